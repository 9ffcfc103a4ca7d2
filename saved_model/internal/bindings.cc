#include "savedmodel/saved_model/internal/bindings.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/first_edges.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel::internal {
namespace {

bool IsContainer(const Trackable& object) {
  return dynamic_cast<const List*>(&object) != nullptr || dynamic_cast<const Dict*>(&object) != nullptr;
}

bool KindFits(NodeKind node, const Trackable& object) {
  const bool is_variable = dynamic_cast<const Variable*>(&object) != nullptr;
  if (node == NodeKind::kVariable || is_variable) return node == NodeKind::kVariable && is_variable;
  return node == object.kind();
}

// A class of the caller's may call itself a variable without being one of ours.
std::string Describe(const Trackable& object) {
  const bool pretends =
      object.kind() == NodeKind::kVariable && dynamic_cast<const Variable*>(&object) == nullptr;
  return pretends ? "an object that is no savedmodel::Variable" : std::string(NodeKindName(object.kind()));
}

class Binder {
 public:
  Binder(const ObjectGraph& graph, const NodeNames& names) : graph_(graph), names_(names) {}

  StatusOr<Bindings> Run(const SelectedNodes& selected) {
    for (const RequestedNode& node : selected.requested) {
      if (!node.object) continue;
      const BindMode mode = node.mode == BindMode::kNode ? BindMode::kNode : BindMode::kTree;
      SAVEDMODEL_RETURN_IF_ERROR(Add(node.id, {node.object, mode}));
    }
    // What the selection binds by name is known by now and wins over what is found below a bound object.
    explicit_.insert(queue_.begin(), queue_.end());
    for (size_t i = 0; i < queue_.size(); ++i) SAVEDMODEL_RETURN_IF_ERROR(AddChildren(queue_[i]));
    const size_t bound = queue_.size();
    for (size_t i = 0; i < bound; ++i) SAVEDMODEL_RETURN_IF_ERROR(AddSlots(queue_[i]));
    return std::move(bindings_);
  }

 private:
  Status Add(NodeId id, Binding binding) {
    if (!KindFits(graph_.node(id).kind, *binding.object)) {
      return Error(StatusCode::kInvalidArgument, "the object bound to the node is of another kind")
          .Path(names_.Name(id))
          .Expected(std::string(NodeKindName(graph_.node(id).kind)))
          .Found(Describe(*binding.object));
    }
    const Trackable* object = binding.object.get();
    auto [it, is_new] = bindings_.emplace(id, std::move(binding));
    if (!is_new && it->second.object.get() != object) {
      return Error(StatusCode::kFailedPrecondition,
                   "one node is reached twice, with different objects bound to it")
          .Path(names_.Name(id));
    }
    auto [known, is_new_object] = node_of_.emplace(object, id);
    if (!is_new_object && known->second != id) {
      return Error(StatusCode::kFailedPrecondition, "one object is reached for two different nodes")
          .Path(names_.Name(id))
          .Found("also reached at " + names_.Name(known->second));
    }
    if (is_new) queue_.push_back(id);
    return OkStatus();
  }

  Status AddChildren(NodeId id) {
    const Binding binding = bindings_.at(id);  // a copy: Add may move the map's entries
    Status status;
    ForEachFirstEdge(graph_.node(id).children, [&](size_t, const Edge& edge) {
      std::shared_ptr<Trackable> child = status.ok() ? binding.object->Child(edge.name) : nullptr;
      if (!child || explicit_.count(edge.child)) return;
      const bool fills = binding.mode == BindMode::kTree || IsContainer(*child);
      if (fills) status = Add(edge.child, {std::move(child), binding.mode});
    });
    return status;
  }

  // Slots that a bound optimizer has already for bound variables.
  Status AddSlots(NodeId id) {
    const auto optimizer = std::dynamic_pointer_cast<const Optimizer>(bindings_.at(id).object);
    if (!optimizer) return OkStatus();
    for (const SlotReference& slot : graph_.node(id).slots) {
      const auto original = bindings_.find(slot.original);
      if (original == bindings_.end() || explicit_.count(slot.slot)) continue;
      const auto known = optimizer->Slot(*original->second.object, slot.slot_name);
      if (known) SAVEDMODEL_RETURN_IF_ERROR(Add(slot.slot, {known, BindMode::kTree}));
    }
    return OkStatus();
  }

  const ObjectGraph& graph_;
  const NodeNames& names_;
  Bindings bindings_;
  std::unordered_map<const Trackable*, NodeId> node_of_;
  std::unordered_set<NodeId> explicit_;
  std::vector<NodeId> queue_;
};

}  // namespace

StatusOr<Bindings> Bind(const ObjectGraph& graph, const SelectedNodes& selected, const NodeNames& names) {
  return Binder(graph, names).Run(selected);
}

}  // namespace savedmodel::internal
