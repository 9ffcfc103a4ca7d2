#include "savedmodel/saved_model/internal/unmatched_objects.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "savedmodel/object_graph/snapshot.h"

namespace savedmodel::internal {
namespace {

bool KeepsValues(const Trackable& object) {
  return !std::ranges::all_of(object.CheckpointValues(), &CheckpointValue::optional);
}

class Finder {
 public:
  Finder(const ObjectGraph& graph, const Bindings& bindings, const NodeNames& names)
      : graph_(graph), names_(names) {
    for (const auto& [id, binding] : bindings) {
      by_id_.emplace(id, binding.object);
      seen_.insert(binding.object.get());
    }
  }

  std::vector<UnrestoredObject> Run() {
    for (const auto& [id, object] : by_id_) AddChildren(id, *object);
    for (size_t i = 0; i < queue_.size(); ++i) {
      const Place place = queue_[i];  // a copy: the queue grows
      place.object->ForEachChild(
          [&](const std::string& name, const std::shared_ptr<Trackable>& child) {
            Add(child, place.path, name);
          },
          GraphView::kCheckpoint);
    }
    return std::move(found_);
  }

 private:
  struct Place {
    std::shared_ptr<Trackable> object;
    std::string path;
  };

  // A child that the model has too, under its name, is bound itself, or makes room for the model's, or was left out by
  // the selection.
  void AddChildren(NodeId id, const Trackable& object) {
    object.ForEachChild(
        [&](const std::string& name, const std::shared_ptr<Trackable>& child) {
          if (!graph_.Child(id, name)) Add(child, names_.Name(id), name);
        },
        GraphView::kCheckpoint);
  }

  void Add(const std::shared_ptr<Trackable>& object, const std::string& parent, const std::string& name) {
    if (!seen_.insert(object.get()).second) return;
    // A chain of the program's own can be of any length; its names need not be told in full.
    std::string path =
        parent.size() < NodeNames::kShortNameBytes ? parent + "." + QuoteComponent(name) : parent;
    if (KeepsValues(*object)) found_.push_back(DescribeUnrestored(object, path));
    queue_.push_back({object, std::move(path)});
  }

  const ObjectGraph& graph_;
  const NodeNames& names_;
  std::map<NodeId, std::shared_ptr<Trackable>> by_id_;
  std::unordered_set<const Trackable*> seen_;
  std::vector<Place> queue_;
  std::vector<UnrestoredObject> found_;
};

}  // namespace

std::vector<UnrestoredObject> UnmatchedObjects(const ObjectGraph& graph, const Bindings& bindings,
                                               const NodeNames& names) {
  return Finder(graph, bindings, names).Run();
}

}  // namespace savedmodel::internal
