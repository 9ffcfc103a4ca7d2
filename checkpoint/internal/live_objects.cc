#include "savedmodel/checkpoint/internal/live_objects.h"

#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::internal {
namespace {

// A slot that needs nothing but its one tensor can be made from the checkpoint alone.
bool IsSimpleVariable(const Node& node) {
  return node.children.empty() && node.attributes.size() == 1 && node.attributes[0].name == kVariableValue;
}

}  // namespace

std::optional<NodeId> LiveObjects::Find(const Trackable& object) const {
  const auto known = ids_.find(&object);
  // The address of an object that is gone may be that of another now.
  return known == ids_.end() || !IsAlive(known->second) ? std::nullopt : std::optional(known->second);
}

NodeId LiveObjects::IdOf(const std::shared_ptr<Trackable>& object) {
  held_.push_back(object);
  if (const std::optional<NodeId> known = Find(*object)) return *known;
  const auto id = static_cast<NodeId>(objects_.size());
  objects_.push_back(object);
  ids_[object.get()] = id;
  return id;
}

// Names of live children are unique: whichever edge of a name is asked for, it is this child.
std::optional<NodeId> LiveObjects::Child(NodeId target, std::string_view name, size_t) {
  const std::shared_ptr<Trackable> object = Get(target);
  const std::shared_ptr<Trackable> child = object ? object->Child(name) : nullptr;
  if (!child || !child->InView(GraphView::kCheckpoint)) return std::nullopt;
  return IdOf(child);
}

std::optional<NodeId> LiveObjects::Slot(NodeId optimizer_id, NodeId original, const SlotReference& slot) {
  const auto optimizer = std::dynamic_pointer_cast<Optimizer>(Get(optimizer_id));
  const auto variable = std::dynamic_pointer_cast<Variable>(Get(original));
  if (!optimizer || !variable) return std::nullopt;
  if (const std::shared_ptr<Variable> known = optimizer->Slot(*variable, slot.slot_name)) return IdOf(known);
  const auto key = std::tuple(optimizer_id, original, slot.slot_name);
  if (const auto made = new_slot_ids_.find(key); made != new_slot_ids_.end()) return made->second;
  StatusOr<std::shared_ptr<Variable>> fresh = MakeSlot(*optimizer, *variable, slot);
  if (!fresh.ok()) {
    // An error of the program's counts more than a key that is not there, which may be passed over.
    const bool counts = status_.ok() || status_.code() == StatusCode::kNotFound;
    if (counts) status_ = fresh.status();
    return std::nullopt;
  }
  if (!*fresh) return std::nullopt;
  const NodeId id = IdOf(*fresh);
  new_slots_.push_back({optimizer, variable, slot.slot_name, *fresh, id});
  new_slot_ids_.emplace(key, id);
  return id;
}

// Null when the program has to make it.
StatusOr<std::shared_ptr<Variable>> LiveObjects::MakeSlot(const Optimizer& optimizer,
                                                          const Variable& variable,
                                                          const SlotReference& slot) const {
  if (!stored_ || !reader_ || !IsSimpleVariable(stored_->node(slot.slot))) return std::shared_ptr<Variable>();
  const std::string& key = stored_->node(slot.slot).attributes[0].checkpoint_key;
  StatusOr<TensorInfo> info = reader_->Find(key);
  if (!info.ok()) return WithContext(info.status(), {.key = key, .path = {}});
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> made,
                              optimizer.MakeSlotFor(variable, slot.slot_name, {info->dtype, info->shape}));
  if (made) return made;
  return Error(StatusCode::kInvalidArgument, "an optimizer made no slot variable").Key(key);
}

void LiveObjects::AdoptSlots(const std::function<bool(NodeId)>& is_matched) {
  for (NewSlot& one : new_slots_) {
    if (is_matched(one.id)) one.optimizer->AdoptSlot(one.variable, one.name, std::move(one.slot));
  }
  new_slots_.clear();
}

void LiveObjects::Release() {
  held_.clear();
  new_slots_.clear();
  new_slot_ids_.clear();
  status_ = OkStatus();
}

}  // namespace savedmodel::internal
