#include "savedmodel/checkpoint/internal/restore_session.h"

#include <atomic>
#include <utility>

#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/checkpoint/leftovers.h"

namespace savedmodel::internal {
namespace {

// Restores of one process are ordered by when they were issued, whichever Checkpoint issues them: two of them may
// reach one object. A number without other meaning is all that they share.
uint64_t NextIssue() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

constexpr size_t kMaxErrors = 100;  // deferred ones kept for the status

}  // namespace

RestoreSession::RestoreSession(std::shared_ptr<const RootObjects> objects, const RestoreOptions& options)
    : objects_(std::move(objects)), options_(options), issue_(NextIssue()) {
  deferred_errors_.reserve(kMaxErrors);  // so that no error is lost for want of memory
}

ReadOptions RestoreSession::read_options() const {
  return {.mode = options_.read_mode,
          .verify = options_.verify,
          .max_tensor_bytes = options_.max_tensor_bytes,
          .control = options_.control};
}

Status RestoreSession::Start() {
  busy_ = true;
  Status status = Begin();
  if (!status.ok()) return status;
  started_ = true;
  options_.control.deadline.reset();
  options_.control.progress = nullptr;
  HandleEvents();
  return OkStatus();
}

void RestoreSession::OnChild(int32_t token, const std::string& name,
                             const std::shared_ptr<Trackable>& child) {
  Enqueue({.token = token, .name = name, .object = child});
}

void RestoreSession::OnSlot(int32_t token, const std::shared_ptr<Trackable>& slot) {
  Enqueue({.token = token, .object = slot, .kind = Event::kSlot});
}

void RestoreSession::OnAttached(const NamedObject& attached) {
  Enqueue({.name = attached.name, .object = attached.object, .kind = Event::kAttached});
}

void RestoreSession::Enqueue(Event event) noexcept {
  const std::shared_ptr<RestoreSession> self = shared_from_this();  // what is called may let go of all others
  Status kept = Guarded([&] {
    events_.push_back(std::move(event));
    if (busy_) return OkStatus();
    busy_ = true;
    HandleEvents();
    const std::shared_ptr<WaitingRestores> keeper = waits() ? nullptr : keeper_.lock();
    if (keeper) std::erase_if(keeper->sessions, [&](const auto& one) { return one.get() == this; });
    return OkStatus();
  });
  if (!kept.ok()) KeepError(std::move(kept));
}

void RestoreSession::HandleEvents() {
  while (!events_.empty()) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    Status status = Guarded([&] { return Handle(event); });
    if (!status.ok()) KeepError(std::move(status));
  }
  busy_ = false;
}

void RestoreSession::KeepError(Status status) {
  if (deferred_errors_.size() < kMaxErrors) deferred_errors_.push_back(std::move(status));
}

Status RestoreSession::InitializeOrRestore() {
  return Guarded([&] {
    Status first;
    for (const std::shared_ptr<Trackable>& object : SnapshotNow().objects) {
      if (object->restored_by() >= issue_ && !object->CheckpointValues().empty()) continue;
      Status status = object->Initialize();
      if (first.ok()) first = std::move(status);
    }
    return first;
  });
}

void RestoreSession::WarnOfLeftovers(const std::string& file) noexcept {
  if (!options_.warn || expect_partial_ || !started_) return;
  (void)Guarded([&] {
    const std::vector<UnusedValue> unused = unused_values();
    if (!unused.empty()) options_.warn(file + ": " + DescribeUnused(unused));
    return OkStatus();
  });
}

}  // namespace savedmodel::internal
