#include "savedmodel/checkpoint/bundle/internal/copy_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace savedmodel::internal {
namespace {

Box MakeBox(std::vector<int64_t> start, std::vector<int64_t> length) {
  return {std::move(start), std::move(length)};
}

// Places of a box's elements in the tensor, in the box's own order.
std::vector<std::vector<int64_t>> Places(const Box& box) {
  std::vector<std::vector<int64_t>> places{{}};
  for (size_t d = 0; d < box.start.size(); ++d) {
    std::vector<std::vector<int64_t>> next;
    for (const auto& place : places) {
      for (int64_t i = 0; i < box.length[d]; ++i) {
        next.push_back(place);
        next.back().push_back(box.start[d] + i);
      }
    }
    places = std::move(next);
  }
  return places;
}

// Which element of `from` each element of `to` is copied from; -1 for none. Found one by one.
std::vector<int64_t> CopyOneByOne(const Box& from, const Box& to) {
  const auto sources = Places(from);
  std::vector<int64_t> copied;
  for (const auto& place : Places(to)) {
    const auto at = std::find(sources.begin(), sources.end(), place);
    copied.push_back(at == sources.end() ? -1 : at - sources.begin());
  }
  return copied;
}

std::vector<int64_t> CopyByRuns(const Box& from, const Box& to) {
  std::vector<int64_t> copied(static_cast<size_t>(to.num_elements()), -1);
  const auto runs = CopyRuns::Between(from, to);
  if (!runs) return copied;
  uint64_t previous_end = 0;
  for (uint64_t r = 0; r < runs->run_count(); ++r) {
    const CopyRuns::Run run = runs->run(r);
    EXPECT_GE(run.from, previous_end) << "runs ascend";
    previous_end = run.from + runs->run_length();
    EXPECT_EQ(runs->FirstBehind(run.from), r);
    EXPECT_EQ(runs->FirstBehind(previous_end - 1), r);
    for (uint64_t i = 0; i < runs->run_length(); ++i)
      copied.at(run.to + i) = static_cast<int64_t>(run.from + i);
  }
  EXPECT_EQ(runs->from_end(), previous_end);
  EXPECT_EQ(runs->FirstBehind(previous_end), runs->run_count());
  return copied;
}

TEST(CopyRuns, RowsAreOneRun) {
  const auto runs = CopyRuns::Between(MakeBox({0, 0}, {10, 7}), MakeBox({3, 0}, {4, 7}));
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->run_count(), 1u);
  EXPECT_EQ(runs->run_length(), 28u);
  EXPECT_EQ(runs->from_begin(), 21u);
}

TEST(CopyRuns, PartOfOneRowIsOneRun) {
  const auto runs = CopyRuns::Between(MakeBox({0, 0, 0}, {10, 7, 3}), MakeBox({3, 2, 0}, {1, 4, 3}));
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->run_count(), 1u);
  EXPECT_EQ(runs->run_length(), 12u);
}

TEST(CopyRuns, AColumnIsARunPerRow) {
  const auto runs = CopyRuns::Between(MakeBox({0, 0}, {5, 10}), MakeBox({0, 2}, {5, 1}))->Scaled(4);
  EXPECT_EQ(runs.run_count(), 5u);
  EXPECT_EQ(runs.run_length(), 4u);
  EXPECT_EQ(runs.run(3).from, 128u);
  EXPECT_EQ(runs.run(3).to, 12u);
}

TEST(CopyRuns, NothingInCommonIsNoRuns) {
  EXPECT_EQ(CopyRuns::Between(MakeBox({0, 0}, {5, 2}), MakeBox({0, 2}, {5, 1})), std::nullopt);
  EXPECT_EQ(CopyRuns::Between(MakeBox({0}, {0}), MakeBox({0}, {0})), std::nullopt);
}

TEST(CopyRuns, AScalarIsOneRunOfOne) { EXPECT_EQ(CopyRuns::Between({}, {})->total(), 1u); }

TEST(CopyRuns, AgreesWithCopyingOneByOne) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 400; ++round) {
    const auto rank = static_cast<size_t>(pick(0, 4));
    Box from;
    Box to;
    for (size_t d = 0; d < rank; ++d) {
      for (Box* box : {&from, &to}) {
        const int64_t start = pick(0, 3);
        box->start.push_back(start);
        box->length.push_back(pick(1, 5 - start));
      }
    }
    EXPECT_EQ(CopyByRuns(from, to), CopyOneByOne(from, to)) << "round " << round;
  }
}

}  // namespace

// For messages of EXPECT_EQ with optional values.
bool operator==(const CopyRuns& a, const CopyRuns& b) { return a.total() == b.total(); }

}  // namespace savedmodel::internal
