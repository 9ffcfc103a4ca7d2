// A training program's objects and their checkpoints: restores values written by TensorFlow into objects of the
// program's own.
//
//   auto model = std::make_shared<MyModel>();                       // a Trackable
//   auto optimizer = std::make_shared<Adam>(0.001f);
//   StatusOr<Checkpoint> checkpoint = Checkpoint::Make({{"model", model}, {"optimizer", optimizer}});
//   StatusOr<RestoreStatus> status = checkpoint->Restore("ckpt/model-7");
//   if (!status.ok()) return status.status();
//   return status->AssertExistingObjectsMatched();                  // else the program starts from what was not stored
//
// As tf.train.Checkpoint(model=..., optimizer=...) and tf.train.Checkpoint(root, ...). Objects are matched by the names
// of the edges that lead to them from the root, never by position. A restore may come before its objects: what has no
// object yet is given its value when the object is attached (Trackable::Track, Optimizer::GetOrMakeSlot), and of several
// restores the one issued last decides, in whatever order objects appear. Checkpoints without an object graph
// (TensorFlow 1's Saver) are restored by the names of variables. The path may be that of a SavedModel: its variables/.
//
// A restore is checked whole (names, dtypes, shapes) before any object changes; RestoreOptions::mode says what an I/O
// error can leave behind. A deferred part is checked and read when its objects appear; its error is kept for the status.
//
// Lifetime: a restore waits as long as this Checkpoint or a status of it lives; meanwhile it holds the index and the
// files that it has opened, so that it gives what was stored when it was issued. An older restore is let go of when a
// newer one gives the same objects all that it waits for: checkpoints of one program, restored any number of times, keep
// one. Files of different structure keep one each, for what only they have; StopWaiting lets go of all.
// A moved-from Checkpoint may only be assigned to or destroyed.
// Thread-safety: outside locking, for the objects too.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/restore_options.h"
#include "savedmodel/checkpoint/restore_status.h"
#include "savedmodel/object_graph/snapshot.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {

class Checkpoint {
 public:
  // The child that counts saves; the same in TensorFlow's files.
  static constexpr std::string_view kSaveCounter = "save_counter";

  // `objects` below a root of the checkpoint's own, by name. Errors: InvalidArgument (null, two of one name, the
  // reserved name kSaveCounter).
  static StatusOr<Checkpoint> Make(std::vector<NamedObject> objects);
  // `root`, and `objects` as more children beside its own; they are restored after it. A name that `root` has as a
  // child must be that child. Errors: InvalidArgument (also the name "root" for another object).
  static StatusOr<Checkpoint> Make(std::shared_ptr<Trackable> root, std::vector<NamedObject> objects = {});
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  const std::shared_ptr<Trackable>& root() const;
  // Int64, scalar. Null before the first Restore, unless the root had one when the Checkpoint was made.
  const std::shared_ptr<Variable>& save_counter() const;

  // All that it would restore now: the root, what that leads to, what is beside it, and slots.
  ObjectSnapshot Objects() const;

  // `path` is a prefix or the directory of a SavedModel. Makes the save counter, which counts on from the file's.
  // Nothing for a path restores nothing: the status then only initialises.
  // Errors: those of BundleReader::Open and PlanRestore, a live object's dtype or shape that does not fit being
  // InvalidArgument with all offenders; DataLoss (the object graph or a value is damaged: never taken for a
  // checkpoint without one); NotFound (the graph names a value that is not there; RestoreBy::kName: names; a saver);
  // those of Trackable::RestoreValues and of savers. Then nothing has changed, as RestoreMode says; but objects that are
  // no variables keep what they took before another one refused, and when a saver fails all others have their values.
  StatusOr<RestoreStatus> Restore(std::optional<std::string_view> path, const RestoreOptions& options = {});
  // The same for checkpoints written without a save counter, as TensorFlow's Checkpoint.write and SavedModels are: makes
  // none, so that the assertions can hold. Takes a prefix only; a SavedModel's is "<directory>/variables/variables".
  StatusOr<RestoreStatus> Read(std::optional<std::string_view> prefix, const RestoreOptions& options = {});

  // Restores of this checkpoint that still wait for objects, without those that only a status keeps. One that has given
  // all that it has goes, and closes its files.
  size_t num_waiting() const;
  // Lets go of them.
  void StopWaiting();

 private:
  struct State;
  explicit Checkpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace savedmodel
