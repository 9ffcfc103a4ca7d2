#include "savedmodel/base/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;
using Dims = std::vector<int64_t>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Shape, DefaultIsScalarWithOneElement) {
  const Shape shape;
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_EQ(shape.num_elements(), 1);
  EXPECT_EQ(shape.ToString(), "[]");
}

TEST(Shape, KnowsSizesAndCountsElements) {
  SM_ASSERT_OK_AND_ASSIGN(const Shape shape, Shape::Make(Dims{2, 3, 5}));
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.dim(2), 5);
  EXPECT_EQ(shape.num_elements(), 30);
  EXPECT_EQ(shape.ToString(), "[2,3,5]");
  EXPECT_EQ(shape, (Shape{2, 3, 5}));
  EXPECT_NE(shape, (Shape{3, 2, 5}));
}

TEST(Shape, ZeroSizesAreShapesWithoutElements) {
  SM_ASSERT_OK_AND_ASSIGN(const Shape shape, Shape::Make(Dims{4, 0, 7}));
  EXPECT_EQ(shape.num_elements(), 0);
  EXPECT_EQ(shape.ToString(), "[4,0,7]");
}

TEST(Shape, NegativeSizesAreRefused) {
  for (int64_t dim : {int64_t{-1}, int64_t{-5}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(Shape::Make(Dims{2, dim}),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::to_string(dim))));
  }
}

TEST(Shape, RankEndsAt254) {
  SM_ASSERT_OK_AND_ASSIGN(const Shape shape, Shape::Make(Dims(254, 1)));
  EXPECT_EQ(shape.rank(), 254);
  EXPECT_THAT(Shape::Make(Dims(255, 1)), StatusIs(StatusCode::kInvalidArgument, HasSubstr("255")));
}

TEST(Shape, ElementsMustFitInt64) {
  SM_ASSERT_OK_AND_ASSIGN(const Shape largest, Shape::Make(Dims{kMax}));
  EXPECT_EQ(largest.num_elements(), kMax);
  EXPECT_THAT(Shape::Make(Dims{int64_t{1} << 31, int64_t{1} << 31}), IsOk());
  EXPECT_THAT(Shape::Make(Dims{int64_t{1} << 32, int64_t{1} << 31}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Shape::Make(Dims{kMax, 2}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Shape::Make(Dims(254, 2)), StatusIs(StatusCode::kInvalidArgument));
}

// The product is taken from the first size to the last, so it matters where the zero is.
TEST(Shape, ZeroBeforeLargeSizesIsAShapeAndAfterThemIsNot) {
  EXPECT_THAT(Shape::Make(Dims{0, kMax, kMax}), IsOk());
  EXPECT_THAT(Shape::Make(Dims{kMax, kMax, 0}), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Shape, InvalidLiteralGivesScalar) { EXPECT_EQ((Shape{2, -3}), Shape()); }

TEST(PartialShape, DefaultHasUnknownRank) {
  const PartialShape shape;
  EXPECT_TRUE(shape.unknown_rank());
  EXPECT_EQ(shape.rank(), -1);
  EXPECT_EQ(shape.ToString(), "<unknown>");
  EXPECT_EQ(shape.ToShape(), std::nullopt);
  EXPECT_TRUE(shape.IsCompatibleWith(Shape{1, 2}));
}

TEST(PartialShape, UnknownSizesMatchAny) {
  SM_ASSERT_OK_AND_ASSIGN(const PartialShape shape, PartialShape::Make(Dims{-1, 3}));
  EXPECT_EQ(shape.ToString(), "[?,3]");
  EXPECT_EQ(shape.dim(0), PartialShape::kUnknown);
  EXPECT_EQ(shape.ToShape(), std::nullopt);
  EXPECT_TRUE(shape.IsCompatibleWith(Shape{7, 3}));
  EXPECT_TRUE(shape.IsCompatibleWith(Shape{0, 3}));
  EXPECT_FALSE(shape.IsCompatibleWith(Shape{7, 4}));
  EXPECT_FALSE(shape.IsCompatibleWith(Shape{3}));
  SM_ASSERT_OK_AND_ASSIGN(const PartialShape other, PartialShape::Make(Dims{2, -1}));
  EXPECT_TRUE(shape.IsCompatibleWith(other));
}

TEST(PartialShape, KnownShapesConvertBothWays) {
  const PartialShape shape = Shape{2, 0};
  EXPECT_EQ(shape.ToShape(), (Shape{2, 0}));
  EXPECT_NE(shape, PartialShape());
}

TEST(PartialShape, ScalarIsNotUnknown) {
  const PartialShape scalar = Shape();
  EXPECT_FALSE(scalar.unknown_rank());
  EXPECT_EQ(scalar.ToString(), "[]");
  EXPECT_FALSE(scalar.IsCompatibleWith(Shape{1}));
}

TEST(PartialShape, LimitsAreThoseOfShape) {
  EXPECT_THAT(PartialShape::Make(Dims{-2}), StatusIs(StatusCode::kInvalidArgument, HasSubstr("-2")));
  EXPECT_THAT(PartialShape::Make(Dims(255, -1)), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(PartialShape::Make(Dims{kMax, -1, 2}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(PartialShape::Make(Dims(254, -1)), IsOk());
}

}  // namespace
}  // namespace savedmodel
