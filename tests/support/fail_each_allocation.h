// Runs a call with its first allocation failing, its second, and so on until it makes no more.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "savedmodel/base/status.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {

// `call`, which is sound, must succeed or say ResourceExhausted, and never throw. `look` sees what became of each.
inline void FailEachAllocation(const std::function<Status()>& call,
                               const std::function<void(const Status&)>& look = {}) {
  const Status first = call();  // what a process does once, protobuf's tables for one, is done
  EXPECT_THAT(first, IsOk());
  if (look) look(first);
  for (uint64_t n = 1; n < 100'000; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    Status status;
    AllocationFaults faults(n);
    EXPECT_NO_THROW(status = call());
    faults.Stop();
    if (!status.ok()) {
      EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
    }
    if (look) look(status);
    if (faults.happened()) continue;
    EXPECT_THAT(status, IsOk());
    EXPECT_GT(n, 1u) << "nothing was allocated";
    return;
  }
  FAIL() << "no end of allocations";
}

}  // namespace savedmodel::testing
