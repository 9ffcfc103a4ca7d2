#include "savedmodel/tools/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string HeaderOf(DType dtype, Shape shape) { return MakeNpyHeader(dtype, shape)->bytes; }

TEST(Npy, HeaderIsVersionOneAndElementsStandAtAMultipleOf64) {
  const std::string header = HeaderOf(DType::kFloat32, {2, 3});
  EXPECT_THAT(header, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(static_cast<uint8_t>(header[8]) + 256 * static_cast<uint8_t>(header[9]),
            static_cast<int>(header.size()) - 10);
  EXPECT_THAT(header.substr(10), StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_THAT(header, EndsWith("\n"));
}

TEST(Npy, ShapesArePythonTuples) {
  EXPECT_THAT(HeaderOf(DType::kBool, {}), HasSubstr("'descr': '|b1', 'fortran_order': False, 'shape': (), "));
  EXPECT_THAT(HeaderOf(DType::kBool, {5}), HasSubstr("'shape': (5,), "));
  EXPECT_THAT(HeaderOf(DType::kBool, {0, 1, 2}), HasSubstr("'shape': (0, 1, 2), "));
}

TEST(Npy, EveryHeaderLengthIsAligned) {
  std::vector<int64_t> dims;
  for (int rank = 0; rank <= Shape::kMaxRank; ++rank, dims.push_back(1)) {
    const std::string header = HeaderOf(DType::kFloat32, *Shape::Make(dims));
    ASSERT_EQ(header.size() % 64, 0u) << rank;
    ASSERT_EQ(header.back(), '\n') << rank;
  }
}

TEST(Npy, TypesThatNumPyLacksStandAsTheirBits) {
  const NpyHeader header = *MakeNpyHeader(DType::kBfloat16, {1});
  EXPECT_THAT(header.bytes, HasSubstr("'<u2'"));
  EXPECT_THAT(header.note, HasSubstr("bfloat16"));
  EXPECT_THAT(HeaderOf(DType::kFloat8E4m3fn, {1}), HasSubstr("'|u1'"));
  EXPECT_THAT(MakeNpyHeader(DType::kFloat16, {1})->note, "");
}

TEST(Npy, EveryFixedSizeTypeHasAHeader) {
  for (DType dtype : AllDTypes()) {
    EXPECT_EQ(MakeNpyHeader(dtype, {1}).ok(), IsFixedSize(dtype)) << DTypeName(dtype);
  }
}

TEST(Npy, StringsAreRefusedByName) {
  EXPECT_THAT(MakeNpyHeader(DType::kString, {1}), StatusIs(StatusCode::kUnimplemented, HasSubstr("string")));
}

}  // namespace
}  // namespace savedmodel::tools
