#include "savedmodel/tools/wording.h"

#include <gtest/gtest.h>

namespace savedmodel::tools {
namespace {

TEST(Wording, CountsAgreeWithTheirNoun) {
  EXPECT_EQ(Count(0, "tensor"), "0 tensors");
  EXPECT_EQ(Count(1, "tensor"), "1 tensor");
  EXPECT_EQ(Count(2, "tensor"), "2 tensors");
}

TEST(Wording, ADTypeWithoutANameIsShownByItsNumber) {
  EXPECT_EQ(DTypeText(DType::kBfloat16), "bfloat16");
  EXPECT_EQ(DTypeText(static_cast<DType>(101)), "float32_ref");
  EXPECT_EQ(DTypeText(DType::kInvalid), "invalid");
  EXPECT_EQ(DTypeText(static_cast<DType>(99)), "dtype 99");
  EXPECT_EQ(DTypeText(static_cast<DType>(-5)), "dtype -5");
  EXPECT_EQ(SpecText({static_cast<DType>(99), Shape{2, 3}}), "dtype 99[2,3]");
  EXPECT_EQ(SpecText({DType::kFloat32, PartialShape()}),
            TensorSpec({DType::kFloat32, PartialShape()}).ToString());
}

}  // namespace
}  // namespace savedmodel::tools
