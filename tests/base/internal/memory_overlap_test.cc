#include "savedmodel/base/internal/memory_overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace savedmodel::internal {
namespace {

using Ranges = std::vector<MemoryRange>;

TEST(MemoryOverlap, PiecesSideBySideAreApart) {
  EXPECT_FALSE(FindSharedMemory({}));
  EXPECT_FALSE(FindSharedMemory(Ranges{{0, 10}}));
  EXPECT_FALSE(FindSharedMemory(Ranges{{10, 20}, {0, 10}, {20, 21}}));
}

TEST(MemoryOverlap, OneByteIsEnough) {
  EXPECT_EQ(FindSharedMemory(Ranges{{10, 20}, {30, 40}, {5, 11}}), std::pair(size_t{0}, size_t{2}));
  EXPECT_EQ(FindSharedMemory(Ranges{{0, 100}, {50, 51}}), std::pair(size_t{0}, size_t{1}));
}

TEST(MemoryOverlap, APieceWithoutBytesSharesNone) {
  EXPECT_FALSE(FindSharedMemory(Ranges{{0, 10}, {5, 5}, {0, 0}}));
  EXPECT_TRUE(FindSharedMemory(Ranges{{0, 10}, {5, 5}, {9, 12}}));
}

TEST(MemoryOverlap, AgreesWithComparingAllPairs) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Ranges ranges(random() % 6);
    bool any = false;
    for (size_t i = 0; i < ranges.size(); ++i) {
      ranges[i].begin = random() % 40;
      ranges[i].end = ranges[i].begin + random() % 8;
      for (size_t k = 0; k < i; ++k) {
        const uintptr_t begin = std::max(ranges[i].begin, ranges[k].begin);
        any = any || begin < std::min(ranges[i].end, ranges[k].end);
      }
    }
    const auto found = FindSharedMemory(ranges);
    ASSERT_EQ(found.has_value(), any);
    if (!found) continue;
    const MemoryRange a = ranges[found->first], b = ranges[found->second];
    EXPECT_LT(std::max(a.begin, b.begin), std::min(a.end, b.end));
  }
}

}  // namespace
}  // namespace savedmodel::internal
