// Makes `new` fail on demand, to see what becomes of a call that runs out of memory.
//
//   for (uint64_t n = 1;; ++n) {
//     AllocationFaults faults(n);                  // the n-th allocation from now fails, on whatever thread
//     const Status status = Call();
//     faults.Stop();
//     if (!faults.happened()) break;               // the call makes fewer
//     EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
//   }
//
// Linking this replaces the program's operator new. Sanitizers bring their own: there nothing fails, and
// `kCanFailAllocations` is false so that tests can be skipped. One at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace savedmodel::testing {

extern const bool kCanFailAllocations;

class AllocationFaults {
 public:
  // With `and_all_later` none succeeds from then on. Allocations below `min_size` bytes neither count nor fail.
  explicit AllocationFaults(uint64_t n, bool and_all_later = false, size_t min_size = 0);
  ~AllocationFaults() { Stop(); }
  AllocationFaults(const AllocationFaults&) = delete;
  AllocationFaults& operator=(const AllocationFaults&) = delete;

  void Stop();
  bool happened() const { return happened_; }

 private:
  bool happened_ = false;
};

}  // namespace savedmodel::testing
