#include "savedmodel/object_graph/snapshot.h"

#include <unordered_map>
#include <utility>

#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {
namespace {

class Snapshooter {
 public:
  Snapshooter(GraphView view, std::span<const NamedObject> attached) : view_(view), attached_(attached) {}

  ObjectSnapshot Run(const std::shared_ptr<Trackable>& root) {
    if (!root) return {};
    IdOf(root);
    for (size_t i = 0; i < objects_.size(); ++i) AddChildren(i);
    AddSlots();
    return {ObjectGraph(std::move(nodes_)), std::move(objects_)};
  }

 private:
  NodeId IdOf(const std::shared_ptr<Trackable>& object) {
    const auto [known, is_new] = ids_.emplace(object.get(), static_cast<NodeId>(objects_.size()));
    if (is_new) {
      nodes_.push_back(Describe(*object));
      objects_.push_back(object);
    }
    return known->second;
  }

  static Node Describe(const Trackable& object) {
    Node node;
    node.kind = object.kind();
    for (CheckpointValue& value : object.CheckpointValues()) {
      const bool repeats = !node.attributes.empty() && node.attributes.back().name == value.name;
      if (repeats) continue;  // another slice of one tensor
      node.attributes.push_back({.name = std::move(value.name),
                                 .full_name = std::move(value.full_name),
                                 .optional = value.optional});
    }
    if (const auto* variable = dynamic_cast<const Variable*>(&object)) {
      node.detail = VariableInfo{
          .spec = variable->spec(), .name = variable->name(), .trainable = variable->trainable()};
    }
    return node;
  }

  void AddChildren(size_t i) {
    const std::shared_ptr<Trackable> object = objects_[i];  // a copy: the vector grows
    std::vector<Edge> edges;
    object->ForEachChild(
        [&](const std::string& name, const std::shared_ptr<Trackable>& child) {
          edges.push_back({name, IdOf(child)});
        },
        view_);
    if (i == 0) {
      for (const NamedObject& extra : attached_) edges.push_back({extra.name, IdOf(extra.object)});
    }
    nodes_[i].children = std::move(edges);
  }

  void AddSlots() {
    const size_t reached = objects_.size();
    for (size_t i = 0; i < reached; ++i) {
      const auto optimizer = std::dynamic_pointer_cast<const Optimizer>(objects_[i]);
      if (!optimizer) continue;
      for (const std::string& name : optimizer->slot_names()) AddSlotsOf(i, *optimizer, name, reached);
    }
  }

  void AddSlotsOf(size_t optimizer_id, const Optimizer& optimizer, const std::string& name, size_t reached) {
    for (size_t v = 0; v < reached; ++v) {
      const std::shared_ptr<Variable> slot = optimizer.Slot(*objects_[v], name);
      if (!slot) continue;
      const NodeId id = IdOf(slot);
      nodes_[optimizer_id].slots.push_back({static_cast<NodeId>(v), name, id});
    }
  }

  const GraphView view_;
  const std::span<const NamedObject> attached_;
  std::vector<Node> nodes_;
  std::vector<std::shared_ptr<Trackable>> objects_;
  std::unordered_map<const Trackable*, NodeId> ids_;
};

}  // namespace

ObjectSnapshot Snapshot(const std::shared_ptr<Trackable>& root, GraphView view,
                        std::span<const NamedObject> attached) {
  return Snapshooter(view, attached).Run(root);
}

}  // namespace savedmodel
