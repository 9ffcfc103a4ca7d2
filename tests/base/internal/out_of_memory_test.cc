#include "savedmodel/base/internal/out_of_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::AllocationFaults;
using ::savedmodel::testing::kCanFailAllocations;
using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

TEST(Guarded, GivesWhatTheFunctionGives) {
  EXPECT_TRUE(Guarded([] { return OkStatus(); }).ok());
  const StatusOr<std::string> text = Guarded([]() -> StatusOr<std::string> { return std::string("x"); });
  EXPECT_EQ(text.value_or(""), "x");
  const Status error = Guarded([]() -> Status { return Error(StatusCode::kDataLoss, "bad"); });
  EXPECT_THAT(error, StatusIs(StatusCode::kDataLoss, HasSubstr("bad")));
}

TEST(Guarded, AFailedAllocationIsAnErrorThatSaysSo) {
  const StatusOr<int> result = Guarded([]() -> StatusOr<int> { throw std::bad_alloc(); });
  EXPECT_THAT(result, StatusIs(StatusCode::kResourceExhausted, HasSubstr("out of memory")));
}

TEST(Guarded, AContainerThatCanNeverFitIsTheSameError) {
  const Status status = Guarded([]() -> Status {
    std::vector<int> numbers;
    numbers.reserve(numbers.max_size() + 1);
    return OkStatus();
  });
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr("out of memory")));
}

TEST(Guarded, OtherExceptionsAreNotHidden) {
  EXPECT_THROW((void)Guarded([]() -> Status { throw std::runtime_error("a caller's own"); }),
               std::runtime_error);
}

TEST(OutOfMemory, NeedsNoMemoryItself) {
  if (!kCanFailAllocations) GTEST_SKIP() << "sanitizers bring their own operator new";
  for (uint64_t n = 1;; ++n) {
    AllocationFaults faults(n, /*and_all_later=*/true);
    const Status status = OutOfMemory();
    faults.Stop();
    EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
    if (!faults.happened()) break;
  }
}

}  // namespace
}  // namespace savedmodel::internal
