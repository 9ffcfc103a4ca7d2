#include "savedmodel/base/internal/progress.h"

namespace savedmodel::internal {

void ProgressMeter::Add(uint64_t bytes) {
  if (!control_.progress) return;
  // The lock is held during the call: that is what keeps calls apart and sums in order.
  const std::lock_guard lock(mutex_);
  progress_.bytes_done += bytes;
  control_.progress(progress_);
}

}  // namespace savedmodel::internal
