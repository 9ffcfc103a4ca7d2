#include "savedmodel/saved_model/internal/wiring.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/own_together.h"
#include "savedmodel/saved_model/internal/cycles.h"

namespace savedmodel::internal {
namespace {

using Handles = std::vector<std::shared_ptr<Trackable>>;

class Wirer {
 public:
  Wirer(const ObjectGraph& graph, const SelectedNodes& selected, const Bindings& bindings,
        const ShortestPaths& paths, Handles objects)
      : graph_(graph),
        selected_(selected),
        bindings_(bindings),
        paths_(paths),
        handles_(std::move(objects)) {}

  Handles Run() {
    component_ = StronglyConnectedComponents(graph_, [&](NodeId id) { return selected_.Contains(id); });
    GroupCycles();
    for (size_t i = 0; i < handles_.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (selected_.Contains(id)) WireNode(id);
      if (selected_.Contains(id)) WireSlots(id);
    }
    return std::move(handles_);
  }

 private:
  bool IsBound(NodeId id) const { return bindings_.count(id) > 0; }
  bool SameCycle(NodeId a, NodeId b) const {
    return component_[static_cast<size_t>(a)] == component_[static_cast<size_t>(b)];
  }

  // Replaces the handles of new objects in a cycle by ones that own all of them.
  void GroupCycles() {
    std::unordered_map<int32_t, std::vector<NodeId>> members;
    for (size_t i = 0; i < handles_.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (selected_.Contains(id) && !IsBound(id)) members[component_[i]].push_back(id);
    }
    for (const auto& [component, ids] : members) {
      if (ids.size() < 2) continue;
      Handles cycle;
      for (NodeId id : ids) cycle.push_back(std::move(handles_[static_cast<size_t>(id)]));
      cycle = OwnTogether(std::move(cycle));
      for (size_t m = 0; m < ids.size(); ++m) handles_[static_cast<size_t>(ids[m])] = std::move(cycle[m]);
    }
  }

  void WireNode(NodeId id) {
    Trackable& object = *handles_[static_cast<size_t>(id)];
    for (const Edge& edge : graph_.node(id).children) {
      if (!selected_.Contains(edge.child)) continue;
      const std::shared_ptr<Trackable>& child = handles_[static_cast<size_t>(edge.child)];
      if (IsBound(id) && object.Child(edge.name) == child) continue;  // the caller's own edge stays as it is
      // Neither call fails: the child is not null.
      (void)(Owns(id, edge.child) ? object.Track(edge.name, child) : object.TrackBack(edge.name, child));
    }
  }

  // The state that an optimizer keeps for variables is no edge of the graph.
  void WireSlots(NodeId id) {
    if (graph_.node(id).slots.empty()) return;
    auto* optimizer = dynamic_cast<Optimizer*>(handles_[static_cast<size_t>(id)].get());
    for (const SlotReference& slot : graph_.node(id).slots) {
      if (!optimizer || !selected_.Contains(slot.original) || !selected_.Contains(slot.slot)) continue;
      const auto variable = std::dynamic_pointer_cast<Variable>(handles_[static_cast<size_t>(slot.original)]);
      const auto state = std::dynamic_pointer_cast<Variable>(handles_[static_cast<size_t>(slot.slot)]);
      if (variable && state) optimizer->AdoptSlot(variable, slot.slot_name, state);
    }
  }

  bool Owns(NodeId parent, NodeId child) const {
    if (!SameCycle(parent, child)) return true;
    if (!IsBound(parent)) return false;
    // From the caller's object into its own cycle: it owns new objects, and of the caller's those further
    // from the root.
    return !IsBound(child) || paths_.Rank(parent) < paths_.Rank(child);
  }

  const ObjectGraph& graph_;
  const SelectedNodes& selected_;
  const Bindings& bindings_;
  const ShortestPaths& paths_;
  Handles handles_;
  std::vector<int32_t> component_;
};

// Builds the tree of placeholders above the requested nodes.
class RootMaker {
 public:
  RootMaker(const ObjectGraph& graph, const SelectedNodes& selected, const Handles& handles)
      : graph_(graph), selected_(selected), handles_(handles) {}

  std::shared_ptr<Trackable> Run() {
    for (const RequestedNode& node : selected_.requested) Attach(node);
    return root_;
  }

 private:
  void Attach(const RequestedNode& node) {
    std::shared_ptr<Trackable> holder = root_;
    std::optional<NodeId> id = kRootId;
    const auto names = node.path.components();
    for (size_t i = 0; i < names.size(); ++i) {
      // A slot variable's path leaves the graph on its way.
      id = id ? graph_.Child(*id, names[i]) : std::nullopt;
      if (!id && i + 1 == names.size()) id = node.id;
      if (id && selected_.Contains(*id)) {
        (void)holder->Track(names[i], handles_[static_cast<size_t>(*id)]);
        return;  // what is below hangs on the real object
      }
      holder = Placeholder(*holder, names[i]);
    }
  }

  static std::shared_ptr<Trackable> Placeholder(Trackable& holder, const std::string& name) {
    if (std::shared_ptr<Trackable> known = holder.Child(name)) return known;
    auto made = std::make_shared<Module>();
    (void)holder.Track(name, made);
    return made;
  }

  const ObjectGraph& graph_;
  const SelectedNodes& selected_;
  const Handles& handles_;
  std::shared_ptr<Trackable> root_ = std::make_shared<Module>();
};

}  // namespace

Handles Wire(const ObjectGraph& graph, const SelectedNodes& selected, const Bindings& bindings,
             const ShortestPaths& paths, Handles objects) {
  return Wirer(graph, selected, bindings, paths, std::move(objects)).Run();
}

std::shared_ptr<Trackable> MakeRoot(const ObjectGraph& graph, const SelectedNodes& selected,
                                    const Handles& handles) {
  if (graph.size() > 0 && selected.Contains(kRootId)) return handles[kRootId];
  return RootMaker(graph, selected, handles).Run();
}

}  // namespace savedmodel::internal
