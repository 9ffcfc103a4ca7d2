#include "savedmodel/object_graph/optimizer.h"

#include <algorithm>
#include <set>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {

// An address can be that of a variable which is gone; then the entry is of nobody.
const Optimizer::SlotsOf* Optimizer::Find(const Trackable& variable) const {
  const auto found = slots_.find(&variable);
  return found == slots_.end() || found->second.variable.expired() ? nullptr : &found->second;
}

std::shared_ptr<Variable> Optimizer::Slot(const Trackable& variable, std::string_view slot_name) const {
  const SlotsOf* known = Find(variable);
  if (!known) return nullptr;
  for (const auto& [name, slot] : known->slots) {
    if (name == slot_name) return slot;
  }
  return nullptr;
}

void Optimizer::ForgetExpired() {
  std::erase_if(slots_, [](const auto& entry) { return entry.second.variable.expired(); });
  forget_at_ = std::max<size_t>(64, 2 * slots_.size());
}

Optimizer::SlotsOf& Optimizer::SlotsFor(const std::shared_ptr<Variable>& variable) {
  if (slots_.size() >= forget_at_) ForgetExpired();
  SlotsOf& entry = slots_[variable.get()];
  if (entry.variable.expired()) entry = {variable, {}};
  return entry;
}

StatusOr<std::shared_ptr<Variable>> Optimizer::MakeSlotFor(const Variable&, std::string_view,
                                                           const TensorSpec& spec) const {
  return Variable::Make(spec);
}

void Optimizer::AdoptSlot(const std::shared_ptr<Variable>& variable, std::string_view slot_name,
                          std::shared_ptr<Variable> slot) {
  if (!Slot(*variable, slot_name)) {
    SlotsFor(variable).slots.emplace_back(std::string(slot_name), std::move(slot));
  }
}

StatusOr<std::shared_ptr<Variable>> Optimizer::GetOrMakeSlot(const std::shared_ptr<Variable>& variable,
                                                             std::string_view slot_name,
                                                             const TensorSpec& spec,
                                                             Variable::Initializer initializer) {
  if (!variable) {
    return internal::Error(StatusCode::kInvalidArgument, "a slot is kept for a variable, not for null");
  }
  if (std::shared_ptr<Variable> known = Slot(*variable, slot_name)) return known;
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> slot, MakeSlotFor(*variable, slot_name, spec));
  if (!slot) return internal::Error(StatusCode::kInvalidArgument, "an optimizer made no slot variable");
  slot->set_initializer(std::move(initializer));
  AdoptSlot(variable, slot_name, slot);
  TellListeners([&](AttachListener& listener, int32_t token) { listener.OnSlot(token, slot); });
  if (Status status = slot->Initialize(); !status.ok()) {
    std::erase_if(SlotsFor(variable).slots, [&](const auto& one) { return one.second == slot; });
    return status;
  }
  return slot;
}

void Optimizer::ForEachSlot(const std::function<void(const std::shared_ptr<Variable>&)>& visit) const {
  for (const auto& [variable, entry] : slots_) {
    if (entry.variable.expired()) continue;
    for (const auto& [name, slot] : entry.slots) visit(slot);
  }
}

std::vector<std::string> Optimizer::slot_names() const {
  std::set<std::string> names;
  for (const auto& [variable, entry] : slots_) {
    if (entry.variable.expired()) continue;
    for (const auto& [name, slot] : entry.slots) names.insert(name);
  }
  return {names.begin(), names.end()};
}

bool Optimizer::RemoveSlots(const Trackable& variable) {
  const bool had = Find(variable) != nullptr;
  slots_.erase(&variable);
  return had;
}

}  // namespace savedmodel
