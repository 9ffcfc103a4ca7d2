#include "savedmodel/checkpoint/bundle/internal/overlap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;

bool AnyOverlap(const std::vector<Box>& boxes) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Intersect(boxes[i], boxes[j])) return true;
    }
  }
  return false;
}

TEST(Overlap, NamesTheTwo) {
  const std::vector<Box> boxes{{{0}, {3}}, {{5}, {2}}, {{2}, {2}}};
  SM_ASSERT_OK_AND_ASSIGN(const auto overlap, FindOverlap(boxes));
  EXPECT_EQ(overlap, std::pair(size_t{0}, size_t{2}));
}

TEST(Overlap, NeighboursDoNot) {
  EXPECT_EQ(FindOverlap(std::vector<Box>{{{0, 0}, {5, 1}}, {{0, 1}, {5, 9}}}).value(), std::nullopt);
  EXPECT_EQ(FindOverlap({}).value(), std::nullopt);
}

TEST(Overlap, AgreesWithComparingAll) {
  std::mt19937 random(11);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int overlapping = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Box> boxes(static_cast<size_t>(pick(0, 6)));
    for (Box& box : boxes) {
      for (int d = 0; d < 3; ++d) {
        box.start.push_back(pick(0, 5));
        box.length.push_back(pick(1, 3));
      }
    }
    SM_ASSERT_OK_AND_ASSIGN(const auto overlap, FindOverlap(boxes));
    EXPECT_EQ(overlap.has_value(), AnyOverlap(boxes)) << "round " << round;
    overlapping += overlap.has_value();
  }
  EXPECT_GT(overlapping, 50);
  EXPECT_LT(overlapping, 450);
}

TEST(Overlap, ManyPartsAlongAnyDimensionAreQuick) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < 100'000; ++i) boxes.push_back({{0, i * 2, 0}, {1000, 2, 7}});
  EXPECT_EQ(FindOverlap(boxes).value(), std::nullopt);
}

TEST(Overlap, BoxesThatCannotBeToldApartQuicklyAreRefused) {
  std::vector<Box> boxes;  // two halves of each of 13 dimensions
  for (uint32_t i = 0; i < (1u << 13); ++i) {
    Box box;
    for (uint32_t d = 0; d < 13; ++d) {
      box.start.push_back(i >> d & 1);
      box.length.push_back(1);
    }
    boxes.push_back(std::move(box));
  }
  EXPECT_THAT(FindOverlap(boxes), StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace savedmodel::internal
