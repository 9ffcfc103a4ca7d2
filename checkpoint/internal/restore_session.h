// One restore: what was asked for, and what still waits for objects.
//
// The three kinds (by object graph, by name, without a checkpoint) answer a RestoreStatus's questions. Objects know a
// session weakly, as their AttachListener; statuses and the Checkpoint own it. What happens while the session is at
// work, such as a hook that attaches more children, is dealt with afterwards, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/restore_options.h"
#include "savedmodel/checkpoint/restore_status.h"
#include "savedmodel/object_graph/attach_listener.h"
#include "savedmodel/object_graph/snapshot.h"

namespace savedmodel::internal {

// What a Checkpoint restores. The attached objects grow by the save counter.
struct RootObjects {
  std::shared_ptr<Trackable> root;
  std::vector<NamedObject> attached;
};

class RestoreSession;

// The restores that a Checkpoint keeps because they wait, the last issued last. A restore that has nothing to wait for
// any more takes itself out.
struct WaitingRestores {
  std::vector<std::shared_ptr<RestoreSession>> sessions;
};

class RestoreSession : public AttachListener, public std::enable_shared_from_this<RestoreSession> {
 public:
  // Takes the next issue number.
  RestoreSession(std::shared_ptr<const RootObjects> objects, const RestoreOptions& options);

  // Restores what is there and begins to wait. An error leaves the objects as RestoreMode says; the session is then
  // of no use.
  Status Start();
  // For an object attached to the root of the Checkpoint without being its child.
  void OnAttached(const NamedObject& attached);
  // The save counter, which TensorFlow's SavedModels, Checkpoint.write and files of names do not store. Null: there is
  // none yet.
  void NoteSaveCounter(std::weak_ptr<const Trackable> counter) { save_counter_ = std::move(counter); }
  // Who lets go of this one when it waits no more.
  void KeptBy(std::weak_ptr<WaitingRestores> keeper) { keeper_ = std::move(keeper); }

  uint64_t issue() const override { return issue_; }
  void OnChild(int32_t token, const std::string& name, const std::shared_ptr<Trackable>& child) override;
  void OnSlot(int32_t token, const std::shared_ptr<Trackable>& slot) override;

  virtual Status AssertConsumed() const = 0;
  virtual Status AssertExistingObjectsMatched() const = 0;
  virtual Status AssertNontrivialMatch() const = 0;
  virtual std::vector<UnusedValue> unused_values() const = 0;
  virtual std::vector<UnrestoredObject> unrestored_objects() const = 0;
  virtual std::vector<RestoredObject> restored() const = 0;
  virtual std::vector<RestoreConflict> conflicts() const { return {}; }
  virtual bool waits() const = 0;
  // True when this one, issued later for the same root, has a value wherever `older` could still give one.
  virtual bool Covers(const RestoreSession& older) const = 0;

  Status InitializeOrRestore();
  void ExpectPartial() { expect_partial_ = true; }
  const std::vector<Status>& deferred_errors() const { return deferred_errors_; }
  uint64_t bytes_read() const { return bytes_read_; }

 protected:
  struct Event {
    int32_t token = 0;
    std::string name = {};  // of the child; a slot has none
    std::shared_ptr<Trackable> object = {};
    enum { kChild, kAttached, kSlot } kind = kChild;
  };
  virtual Status Begin() = 0;
  virtual Status Handle(const Event& event) = 0;

  const RootObjects& objects() const { return *objects_; }
  const RestoreOptions& options() const { return options_; }
  ReadOptions read_options() const;
  ObjectSnapshot SnapshotNow() const {
    return Snapshot(objects_->root, GraphView::kCheckpoint, objects_->attached);
  }
  bool IsSaveCounter(const Trackable& object) const { return save_counter_.lock().get() == &object; }
  void CountBytes(uint64_t bytes) { bytes_read_ += bytes; }
  // For destructors: tells options().warn what a restore that went well left over. `file`: for the message.
  void WarnOfLeftovers(const std::string& file) noexcept;

 private:
  void Enqueue(Event event) noexcept;
  void HandleEvents();
  void KeepError(Status status);

  std::shared_ptr<const RootObjects> objects_;
  RestoreOptions options_;
  const uint64_t issue_;
  std::weak_ptr<WaitingRestores> keeper_;
  std::weak_ptr<const Trackable> save_counter_;
  bool started_ = false;
  bool busy_ = false;
  bool expect_partial_ = false;
  std::deque<Event> events_;
  std::vector<Status> deferred_errors_;
  uint64_t bytes_read_ = 0;
};

}  // namespace savedmodel::internal
