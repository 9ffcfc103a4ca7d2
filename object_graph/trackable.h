// Base of every live object of a model: something with named children, that a checkpoint can restore.
//
//   class Dense : public Trackable {
//    public:
//     Dense() { Track("kernel", kernel_); Track("bias", bias_); }
//    private:
//     std::shared_ptr<Variable> kernel_ = *Variable::Make({DType::kFloat32, Shape{3, 2}});
//     std::shared_ptr<Variable> bias_ = *Variable::Make({DType::kFloat32, Shape{2}});
//   };
//
// Children keep the order in which their names were first tracked; a name tracked again is replaced in place.
//
// Lifetime: an object owns its children (Track); a child refers back to a parent without owning it
// (TrackBack), so that a tree with parent links frees itself. Objects of a loaded model that form a cycle
// live and die together: a handle to one of them keeps all of that cycle, and what is below it, alive.
// Destruction does not recurse, however deep the tree.
// Thread-safety: const methods may run concurrently; Track, TrackBack and Untrack need outside locking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

class Trackable {
 public:
  Trackable();
  Trackable(const Trackable&) = delete;  // objects have an identity: checkpoints match by it
  Trackable& operator=(const Trackable&) = delete;
  virtual ~Trackable();

  // What this object is in a SavedModel's graph.
  virtual NodeKind kind() const { return NodeKind::kUserObject; }
  // A label of the kind of user object, written to and read from SavedModels.
  virtual std::string_view identifier() const { return "_generic_user_object"; }

  // Makes `child` a child under `name`. Errors: InvalidArgument (null).
  Status Track(std::string_view name, std::shared_ptr<Trackable> child);
  // The same without owning it. A child that is gone later is no child any more.
  Status TrackBack(std::string_view name, const std::shared_ptr<Trackable>& child);
  // Removes the edge, not the object; false when there is none. Cost: constant, on average.
  bool Untrack(std::string_view name);

  // The child under `name`; null when there is none. Cost: constant.
  std::shared_ptr<Trackable> Child(std::string_view name) const;
  template <class T>
  std::shared_ptr<T> ChildAs(std::string_view name) const {
    return std::dynamic_pointer_cast<T>(Child(name));
  }
  // Calls `visit(name, child)` for every child in order. `visit` must not add or remove children of this object.
  void ForEachChild(
      const std::function<void(const std::string&, const std::shared_ptr<Trackable>&)>& visit) const;
  // How many ForEachChild would visit. Cost: the number of children.
  size_t num_children() const;

 protected:
  // Grows whenever a name is added or removed: for what a derived class remembers of the names.
  uint64_t name_changes() const { return name_changes_; }

 private:
  struct Link {
    std::string name;
    std::shared_ptr<Trackable> owned;
    std::weak_ptr<Trackable> back;  // used when `owned` is null
    bool removed = false;           // keeps its place until links are compacted
    std::shared_ptr<Trackable> Get() const { return owned ? owned : back.lock(); }
  };
  struct NameIndex;
  const Link* FindLink(std::string_view name) const;
  Link& LinkFor(std::string_view name);
  void IndexLinks();
  void Compact();

  std::vector<Link> links_;
  std::unique_ptr<NameIndex> index_;  // positions by name; made once there are many links
  size_t num_removed_ = 0;
  uint64_t name_changes_ = 0;
};

// The child that `path` leads to from `root`. Errors: NotFound (names the longest prefix that exists),
// InvalidArgument (null root).
StatusOr<std::shared_ptr<Trackable>> FindObject(const std::shared_ptr<Trackable>& root, const NodePath& path);

}  // namespace savedmodel
