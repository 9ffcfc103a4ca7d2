// Adds up the bytes that several threads have done and tells the caller, one call at a time.
#pragma once

#include <cstdint>
#include <mutex>

#include "savedmodel/base/control.h"

namespace savedmodel::internal {

class ProgressMeter {
 public:
  // `control` must outlive the meter.
  ProgressMeter(const Control& control, uint64_t bytes_total)
      : control_(control), progress_{0, bytes_total} {}

  // Thread-safe. Calls control.progress with a sum that never goes down.
  void Add(uint64_t bytes);

 private:
  const Control& control_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace savedmodel::internal
