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

UnrestoredObject Describe(const Trackable& object, std::string path) {
  UnrestoredObject described{.path = std::move(path)};
  for (const CheckpointValue& value : object.CheckpointValues()) described.values.push_back(value.name);
  return described;
}

class Finder {
 public:
  Finder(const Bindings& bindings, const NodeNames& names) : names_(names) {
    for (const auto& [id, binding] : bindings) {
      by_id_.emplace(id, binding.object);
      seen_.insert(binding.object.get());
    }
  }

  std::vector<UnrestoredObject> Run() {
    for (const auto& [id, object] : by_id_) Walk(object, names_.Name(id));
    return std::move(found_);
  }

 private:
  // Not into other bound objects, whose turn comes, nor into what was seen before.
  void Walk(const std::shared_ptr<Trackable>& from, const std::string& path) {
    std::vector<std::pair<std::shared_ptr<Trackable>, std::string>> queue = {{from, path}};
    for (size_t i = 0; i < queue.size(); ++i) {
      const auto [object, its_path] = queue[i];  // a copy: the queue grows
      object->ForEachChild(
          [&](const std::string& name, const std::shared_ptr<Trackable>& child) {
            if (!seen_.insert(child.get()).second) return;
            // A chain of the program's own can be of any length; its names need not be told in full.
            std::string child_path = its_path.size() < NodeNames::kShortNameBytes
                                         ? its_path + "." + QuoteComponent(name)
                                         : its_path;
            if (KeepsValues(*child)) found_.push_back(Describe(*child, child_path));
            queue.emplace_back(child, std::move(child_path));
          },
          GraphView::kCheckpoint);
    }
  }

  const NodeNames& names_;
  std::map<NodeId, std::shared_ptr<Trackable>> by_id_;
  std::unordered_set<const Trackable*> seen_;
  std::vector<UnrestoredObject> found_;
};

}  // namespace

std::vector<UnrestoredObject> UnmatchedObjects(const Bindings& bindings, const NodeNames& names) {
  return Finder(bindings, names).Run();
}

}  // namespace savedmodel::internal
