// What a restore matched, what it did not, and what it still waits for.
//
//   StatusOr<RestoreStatus> status = checkpoint.Restore("ckpt-7");
//   Status all = status->AssertConsumed();           // every stored value used, every live object restored
//   for (const UnusedValue& value : status->unused_values()) Log(value.path, value.key);
//
// The assertions answer for the objects as they are when asked, as TensorFlow's do: a restore may be issued before its
// objects exist, fail them now and pass them later. With an object graph, an object that an assertion once found without a
// value counts for as long as it lives, also where the root does not lead to it any more. They report and undo nothing.
// Of a checkpoint that was asked by name all three assertions are one: every value of every live object was found. What
// else it holds is no fault. Of no checkpoint (Restore of nothing) all three fail.
// Errors, all assertions: FailedPrecondition, with counts and the first few names, grouped; the error of a deferred
// read, when there was one; ResourceExhausted (memory).
// Lifetime: a handle; copies are of one restore. While a handle lives the restore waits for objects that are not there
// yet, and the root object lives. Thread-safety: outside locking, for the restored objects too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/leftovers.h"

namespace savedmodel {

namespace internal {
class RestoreSession;
}  // namespace internal

// An object and the stored keys that its values came from.
struct RestoredObject {
  std::string path = {};  // in the checkpoint's graph; by name: from the root
  std::vector<std::string> keys = {};
  std::shared_ptr<Trackable> object = {};  // null when it is gone
};

// Two ways through the graphs that disagree. The first pair stands, the second is left alone.
struct RestoreConflict {
  enum class Kind {
    kOneStoredTwoObjects,  // the second object got no value
    kTwoStoredOneObject,   // the object has the first one's value
  };
  Kind kind = Kind::kOneStoredTwoObjects;
  std::string path = {};                   // of the stored object, in the checkpoint's graph
  std::string other = {};                  // kTwoStoredOneObject: of the stored object that stands
  std::shared_ptr<Trackable> object = {};  // the one that got nothing; kTwoStoredOneObject: the one object
  std::shared_ptr<Trackable> other_object = {};  // kOneStoredTwoObjects: the one that has the value
};

class RestoreStatus {
 public:
  // The checkpoint knows every live object with values, which has them from this restore or one issued later; every
  // stored value has been taken, and no attribute of a matched object is left over. Of two stored objects that meet in
  // one live object, which conflicts() tells, both count as taken, as in TensorFlow.
  Status AssertConsumed() const;
  // The first of these only: stored values may be left over. What the program has must have been in the checkpoint.
  Status AssertExistingObjectsMatched() const;
  // More than the root was matched.
  Status AssertNontrivialMatch() const;
  // Says that leftovers are expected: RestoreOptions::warn stays silent.
  RestoreStatus& ExpectPartial();
  // Gives those objects their initial values (Trackable::Initialize) that got none from this restore or a later one
  // and have none; an object without an initialiser stays without. Errors: the first initialiser's, all others are tried.
  Status InitializeOrRestore();

  std::vector<UnusedValue> unused_values() const;            // in the order of the stored graph, or of keys
  std::vector<UnrestoredObject> unrestored_objects() const;  // in breadth-first order
  // In the order of the stored graph; by name: of the live objects. Without those of savers, whose keys only they know.
  std::vector<RestoredObject> restored() const;
  std::vector<RestoreConflict> conflicts() const;
  // Errors of deferred reads, in the order they happened; the objects concerned are as they were.
  std::vector<Status> deferred_errors() const;
  uint64_t bytes_read() const;
  // True while an object that comes later may still get a value from this restore.
  bool waits() const;

 private:
  friend class Checkpoint;
  explicit RestoreStatus(std::shared_ptr<internal::RestoreSession> session) : session_(std::move(session)) {}

  std::shared_ptr<internal::RestoreSession> session_;
};

}  // namespace savedmodel
