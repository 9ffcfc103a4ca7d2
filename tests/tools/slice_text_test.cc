#include "savedmodel/tools/slice_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

std::string Parsed(std::string_view text, const Shape& shape) {
  const StatusOr<TensorSlice> slice = ParseSlice(text, shape);
  EXPECT_TRUE(slice.ok()) << slice.status().ToString();
  return slice.ok() ? slice->ToString() : "";
}

TEST(SliceText, OneRangePerDimension) {
  EXPECT_EQ(Parsed("0:10,:", {20, 3}), "0,10:-");
  EXPECT_EQ(Parsed("5:,:2", {20, 3}), "5,15:0,2");
  EXPECT_EQ(Parsed("7,1:3", {20, 3}), "7,1:1,2");
}

TEST(SliceText, DimensionsAfterTheLastRangeAreWhole) {
  EXPECT_EQ(Parsed("2:4", {20, 3, 5}), "2,2:-:-");
  EXPECT_EQ(Parsed(":", {20, 3}), "-:-");
}

TEST(SliceText, WhatLeavesTheTensorIsOutOfRange) {
  for (const char* text : {"0:21", "20", "20:", "5:5", "5:4", "99999999999:", ":,3", "9223372036854775807"}) {
    EXPECT_THAT(ParseSlice(text, {20, 3}), StatusIs(StatusCode::kOutOfRange)) << text;
  }
  EXPECT_THAT(ParseSlice("0:21,:", {20, 3}), StatusIs(StatusCode::kOutOfRange, HasSubstr("0:20")));
}

TEST(SliceText, WhatIsNoSliceIsTheCallersFault) {
  for (const char* text :
       {"", "a", "1:2:3", "-1:", "1:-1", "1,", ",1", "1 :2", "0x1", "99999999999999999999", ":,:,:"}) {
    EXPECT_THAT(ParseSlice(text, {20, 3}), StatusIs(StatusCode::kInvalidArgument)) << text;
  }
  EXPECT_THAT(ParseSlice(":", {}), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace savedmodel::tools
