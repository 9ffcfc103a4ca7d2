// The restore of no checkpoint: nothing to match, initial values only.
#pragma once

#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/checkpoint/internal/restore_session.h"

namespace savedmodel::internal {

class EmptySession final : public RestoreSession {
 public:
  using RestoreSession::RestoreSession;

  Status AssertConsumed() const override { return NoCheckpoint(); }
  Status AssertExistingObjectsMatched() const override { return NoCheckpoint(); }
  Status AssertNontrivialMatch() const override { return NoCheckpoint(); }
  std::vector<UnusedValue> unused_values() const override { return {}; }
  std::vector<UnrestoredObject> unrestored_objects() const override { return {}; }
  std::vector<RestoredObject> restored() const override { return {}; }
  bool waits() const override { return false; }
  bool Covers(const RestoreSession&) const override { return false; }

 private:
  Status Begin() override { return OkStatus(); }
  Status Handle(const Event&) override { return OkStatus(); }
  static Status NoCheckpoint() {
    return Error(StatusCode::kFailedPrecondition, "no checkpoint was given: nothing is restored");
  }
};

}  // namespace savedmodel::internal
