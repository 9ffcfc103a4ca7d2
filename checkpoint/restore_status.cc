#include "savedmodel/checkpoint/restore_status.h"

#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/checkpoint/internal/restore_session.h"

namespace savedmodel {

using internal::Guarded;

Status RestoreStatus::AssertConsumed() const {
  return Guarded([&] { return session_->AssertConsumed(); });
}

Status RestoreStatus::AssertExistingObjectsMatched() const {
  return Guarded([&] { return session_->AssertExistingObjectsMatched(); });
}

Status RestoreStatus::AssertNontrivialMatch() const {
  return Guarded([&] { return session_->AssertNontrivialMatch(); });
}

RestoreStatus& RestoreStatus::ExpectPartial() {
  session_->ExpectPartial();
  return *this;
}

Status RestoreStatus::InitializeOrRestore() { return session_->InitializeOrRestore(); }

std::vector<UnusedValue> RestoreStatus::unused_values() const { return session_->unused_values(); }
std::vector<UnrestoredObject> RestoreStatus::unrestored_objects() const {
  return session_->unrestored_objects();
}
std::vector<RestoredObject> RestoreStatus::restored() const { return session_->restored(); }
std::vector<RestoreConflict> RestoreStatus::conflicts() const { return session_->conflicts(); }
std::vector<Status> RestoreStatus::deferred_errors() const { return session_->deferred_errors(); }
uint64_t RestoreStatus::bytes_read() const { return session_->bytes_read(); }
bool RestoreStatus::waits() const { return session_->waits(); }

}  // namespace savedmodel
