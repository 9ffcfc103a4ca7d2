#include "savedmodel/base/internal/file_range.h"

#include <gtest/gtest.h>

#include "savedmodel/base/error_context.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using savedmodel::testing::IsOk;
using savedmodel::testing::StatusIs;

TEST(FileRange, RangesInsideTheFilePass) {
  EXPECT_THAT(CheckFileRange("f", 10, 0, 10), IsOk());
  EXPECT_THAT(CheckFileRange("f", 10, 10, 0), IsOk());
  EXPECT_THAT(CheckFileRange("f", 0, 0, 0), IsOk());
  EXPECT_THAT(CheckFileRange("f", ~uint64_t{0}, 1, ~uint64_t{0} - 1), IsOk());
}

TEST(FileRange, RangesPastTheEndAreDataLossEvenWhenTheirSumOverflows) {
  const uint64_t max = ~uint64_t{0};
  const struct {
    uint64_t offset, size;
  } cases[] = {{0, 11}, {10, 1}, {11, 0}, {11, 1}, {5, max}, {max, max}, {max, 1}};
  for (const auto& [offset, size] : cases) {
    const Status status = CheckFileRange("f", 10, offset, size);
    EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss)) << offset << "+" << size;
    EXPECT_EQ(GetErrorContext(status)->file, "f");
    EXPECT_EQ(GetErrorContext(status)->offset, offset);
  }
}

}  // namespace
}  // namespace savedmodel::internal
