#include "savedmodel/base/tensor_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TensorSlice Slice(std::string_view text) { return TensorSlice::Parse(text).value(); }

TEST(TensorSlice, TextRoundTrips) {
  for (const std::string text : {"", "-", "-:0,1", "0,5:-:3,9", "0,4:-"}) {
    SM_ASSERT_OK_AND_ASSIGN(const TensorSlice slice, TensorSlice::Parse(text));
    EXPECT_EQ(slice.ToString(), text);
  }
  EXPECT_EQ(Slice("-:2,3").rank(), 2);
  EXPECT_EQ(Slice("-:2,3").extent(1), (TensorSlice::Extent{2, 3}));
  EXPECT_TRUE(Slice("-:2,3").extent(0).whole());
}

TEST(TensorSlice, MakeRefusesWhatIsInsideNoDimension) {
  EXPECT_THAT(TensorSlice::Make({{-1, 2}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make({{0, 0}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make({{0, -2}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make({{3, -1}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make({{kMax, 1}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make({{kMax - 1, 1}}), IsOk());
  EXPECT_THAT(TensorSlice::Make(std::vector<TensorSlice::Extent>(255)),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Make(std::vector<TensorSlice::Extent>(254)), IsOk());
}

TEST(TensorSlice, RowsNeedADimensionAndOneRow) {
  SM_ASSERT_OK_AND_ASSIGN(const TensorSlice rows, TensorSlice::Rows(10, 5, 3));
  EXPECT_EQ(rows.ToString(), "10,5:-:-");
  EXPECT_THAT(TensorSlice::Rows(0, 1, 0), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Rows(0, 0, 1), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(TensorSlice::Rows(0, -1, 1), StatusIs(StatusCode::kInvalidArgument));
}

TEST(TensorSlice, FullIsOfEveryRank) {
  EXPECT_EQ(TensorSlice::Full(3).ToString(), "-:-:-");
  EXPECT_TRUE(TensorSlice::Full(3).IsFull());
  EXPECT_FALSE(Slice("-:0,1").IsFull());
  EXPECT_EQ(TensorSlice::Full(-1).rank(), 0);
  EXPECT_EQ(TensorSlice::Full(10'000).rank(), Shape::kMaxRank);
}

TEST(TensorSlice, ShapeWithinAShape) {
  const Shape shape{5, 10, 0};
  EXPECT_EQ(Slice("1,2:-:-").ShapeWithin(shape).value(), (Shape{2, 10, 0}));
  EXPECT_THAT(Slice("4,2:-:-").ShapeWithin(shape), StatusIs(StatusCode::kOutOfRange, HasSubstr("4,2:-:-")));
  EXPECT_THAT(Slice("-:-:0,1").ShapeWithin(shape), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(Slice("1,2").ShapeWithin(shape), StatusIs(StatusCode::kInvalidArgument, HasSubstr("[5,10,0]")));
  EXPECT_EQ(TensorSlice().ShapeWithin(Shape{}).value(), Shape{});
}

TEST(TensorSlice, ResolvedSpellsOutWholeDimensions) {
  EXPECT_EQ(Slice("-:2,3").ResolvedWithin(Shape{4, 5}).value().ToString(), "0,4:2,3");
  EXPECT_EQ(Slice("-:-").ResolvedWithin(Shape{0, 5}).value().ToString(), "-:0,5");
}

TEST(TensorSlice, IntersectGivesTheCommonPart) {
  EXPECT_EQ(Slice("0,3:-").Intersect(Slice("2,4:1,2"))->ToString(), "2,1:1,2");
  EXPECT_EQ(Slice("-:-").Intersect(Slice("2,4:1,2"))->ToString(), "2,4:1,2");
  EXPECT_EQ(Slice("0,2").Intersect(Slice("2,2")), std::nullopt);
  EXPECT_EQ(Slice("0,2").Intersect(Slice("0,2:-")), std::nullopt);
}

TEST(ShapeAndSlice, SaysShapeAndPart) {
  SM_ASSERT_OK_AND_ASSIGN(const ShapeAndSlice spec, ParseShapeAndSlice("5 10 -:0,1"));
  EXPECT_EQ(spec.full_shape, (Shape{5, 10}));
  EXPECT_EQ(spec.slice.ToString(), "-:0,1");
  EXPECT_EQ(spec.slice_shape, (Shape{5, 1}));
  SM_ASSERT_OK_AND_ASSIGN(const ShapeAndSlice nothing, ParseShapeAndSlice(""));
  EXPECT_EQ(nothing.full_shape, std::nullopt);
}

TEST(ShapeAndSlice, ErrorsShowTheText) {
  EXPECT_THAT(ParseShapeAndSlice("4  0,2"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("4  0,2")));
  EXPECT_THAT(ParseShapeAndSlice(std::string_view("4 \0", 3)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("\\x00")));
}

}  // namespace
}  // namespace savedmodel
