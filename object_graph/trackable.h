// Base of every live object of a model: something with named children, that a checkpoint can restore.
//
//   class Dense : public Trackable {
//    public:
//     Dense() { (void)Track("kernel", kernel_); (void)Track("bias", bias_); }  // fails for null only
//    private:
//     std::shared_ptr<Variable> kernel_ = *Variable::Make({DType::kFloat32, Shape{3, 2}});
//     std::shared_ptr<Variable> bias_ = *Variable::Make({DType::kFloat32, Shape{2}});
//   };
//
// Children keep the order in which their names were first tracked; a name tracked again is replaced in place.
//
// An object that keeps values of its own in checkpoints overrides CheckpointValues and RestoreValues; most do not, but
// hold Variables as children. A restore may be issued before the objects exist: the value comes when a child is
// tracked under the name that the checkpoint has for it (checkpoint/checkpoint.h).
//
// Lifetime: an object owns its children (Track); a child refers back to a parent without owning it
// (TrackBack), so that a tree with parent links frees itself. Objects of a loaded model that form a cycle
// live and die together: a handle to one of them keeps all of that cycle, and what is below it, alive.
// Destruction does not recurse, however deep the tree.
// Thread-safety: const methods may run concurrently; all others need outside locking, and Track also for the objects
// that a restore which waits for the child will give values to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/attach_listener.h"
#include "savedmodel/object_graph/checkpoint_value.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// Which graph an object's children are asked for. A training checkpoint holds what has state; a SavedModel holds its
// functions and signatures too.
enum class GraphView { kCheckpoint, kSavedModel };

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
  // False for what has no place in that graph, whoever's child it is.
  virtual bool InView(GraphView) const { return true; }

  // The values of this object itself (not of its children) in a checkpoint, in a fixed order. Asked for several times in
  // a restore, and by its assertions.
  virtual std::vector<CheckpointValue> CheckpointValues() const { return {}; }
  // Takes the values of a restore: one per CheckpointValues() in its order, each of its dtype and shape (of its slice
  // where it has one); nothing for an optional one that the checkpoint lacks. Called once per restore, when all have
  // been read and checked. An error must leave the object as it was; the restore then fails with it.
  virtual Status RestoreValues(std::vector<std::optional<Tensor>> values);
  // Called after a restore that gave this object values, once all objects of the restore have theirs.
  virtual void AfterRestore() {}
  // Gives an object without a value its first one; does nothing for others.
  virtual Status Initialize() { return OkStatus(); }

  // Makes `child` a child under `name`. Where the name was free, restores that wait for it give `child`, and what is
  // below it, their values: their errors are theirs (RestoreStatus) and not this call's.
  // Errors: InvalidArgument (null), ResourceExhausted (memory; a child that is tracked then got no values).
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
  // Calls `visit(name, child)` for every child in `view` in order. `visit` must not add or remove children of this
  // object.
  void ForEachChild(const std::function<void(const std::string&, const std::shared_ptr<Trackable>&)>& visit,
                    GraphView view = GraphView::kSavedModel) const;
  // How many there are, whatever the view. Cost: their number.
  size_t num_children() const;

  // For restores. The issue number of the one that last decided this object's values, if only that it has none for it;
  // 0: none did.
  uint64_t restored_by() const { return restored_by_; }
  void set_restored_by(uint64_t issue) { restored_by_ = issue; }
  // Tells `listener` of new children and slots from now on, for as long as it lives. Adding it again changes nothing.
  void AddListener(std::weak_ptr<AttachListener> listener, int32_t token);
  size_t num_listeners() const;  // that are alive

 protected:
  // Grows whenever a name is added or removed: for what a derived class remembers of the names.
  uint64_t name_changes() const { return name_changes_; }
  // Calls `tell(listener, token)` for all listeners, the last issued first.
  void TellListeners(const std::function<void(AttachListener&, int32_t)>& tell);

 private:
  struct Link {
    std::string name;
    std::shared_ptr<Trackable> owned;
    std::weak_ptr<Trackable> back;  // used when `owned` is null
    bool removed = false;           // keeps its place until links are compacted
    std::shared_ptr<Trackable> Get() const { return owned ? owned : back.lock(); }
  };
  struct NameIndex;
  struct Listeners;
  void TellOfChild(std::string_view name, const std::shared_ptr<Trackable>& child);
  const Link* FindLink(std::string_view name) const;
  Link& LinkFor(std::string_view name);
  void IndexLinks();
  void Compact();

  std::vector<Link> links_;
  std::unique_ptr<NameIndex> index_;  // positions by name; made once there are many links
  size_t num_removed_ = 0;
  uint64_t name_changes_ = 0;
  uint64_t restored_by_ = 0;
  std::unique_ptr<Listeners> listeners_;  // null when nobody ever waited
};

// The child that `path` leads to from `root`. Errors: NotFound (names the longest prefix that exists),
// InvalidArgument (null root).
StatusOr<std::shared_ptr<Trackable>> FindObject(const std::shared_ptr<Trackable>& root, const NodePath& path);

}  // namespace savedmodel
