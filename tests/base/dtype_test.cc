#include "savedmodel/base/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace savedmodel {
namespace {

struct Expected {
  int number;
  std::string_view name;
  size_t size;
  size_t swap_unit;
  bool storable;
};

// TensorFlow's table, written down a second time: number, Python name, bytes, bytes that swap together.
constexpr Expected kTable[] = {
    {1, "float32", 4, 4, true},
    {2, "float64", 8, 8, true},
    {3, "int32", 4, 4, true},
    {4, "uint8", 1, 1, true},
    {5, "int16", 2, 2, true},
    {6, "int8", 1, 1, true},
    {7, "string", 0, 0, true},
    {8, "complex64", 8, 4, true},
    {9, "int64", 8, 8, true},
    {10, "bool", 1, 1, true},
    {11, "qint8", 1, 1, true},
    {12, "quint8", 1, 1, true},
    {13, "qint32", 4, 4, true},
    {14, "bfloat16", 2, 2, true},
    {15, "qint16", 2, 2, true},
    {16, "quint16", 2, 2, true},
    {17, "uint16", 2, 2, true},
    {18, "complex128", 16, 8, true},
    {19, "float16", 2, 2, true},
    {20, "resource", 0, 0, false},
    {21, "variant", 0, 0, true},
    {22, "uint32", 4, 4, true},
    {23, "uint64", 8, 8, true},
    {24, "float8_e5m2", 1, 1, true},
    {25, "float8_e4m3fn", 1, 1, true},
    {26, "float8_e4m3fnuz", 1, 1, true},
    {27, "float8_e4m3b11fnuz", 1, 1, true},
    {28, "float8_e5m2fnuz", 1, 1, true},
    {29, "int4", 1, 1, true},
    {30, "uint4", 1, 1, true},
    {31, "int2", 1, 1, true},
    {32, "uint2", 1, 1, true},
    {33, "float4_e2m1fn", 1, 1, true},
};

TEST(DType, EveryNumberHasItsNameAndSizes) {
  for (const Expected& row : kTable) {
    const auto dtype = static_cast<DType>(row.number);
    SCOPED_TRACE(row.name);
    EXPECT_EQ(DTypeName(dtype), row.name);
    EXPECT_EQ(DTypeSize(dtype), row.size);
    EXPECT_EQ(DTypeSwapUnit(dtype), row.swap_unit);
    EXPECT_EQ(IsFixedSize(dtype), row.size != 0);
    EXPECT_EQ(IsStorable(dtype), row.storable);
    EXPECT_TRUE(IsKnown(dtype));
    EXPECT_EQ(DTypeFromName(row.name), dtype);
  }
}

TEST(DType, AllDTypesAreTheTableByNumber) {
  ASSERT_EQ(AllDTypes().size(), std::size(kTable));
  for (size_t i = 0; i < std::size(kTable); ++i)
    EXPECT_EQ(static_cast<int>(AllDTypes()[i]), kTable[i].number);
}

TEST(DType, ReferenceTypesHaveNamesButAreNotKnown) {
  for (const Expected& row : kTable) {
    const auto reference = static_cast<DType>(row.number + 100);
    const std::string name = std::string(row.name) + "_ref";
    EXPECT_EQ(DTypeName(reference), name);
    EXPECT_EQ(DTypeFromName(name), reference);
    EXPECT_FALSE(IsKnown(reference));
    EXPECT_FALSE(IsStorable(reference));
    EXPECT_EQ(DTypeSize(reference), 0u);
    EXPECT_EQ(DTypeSwapUnit(reference), 0u);
  }
}

TEST(DType, OtherNumbersAreInvalid) {
  for (int number :
       {0, -1, 34, 99, 100, 134, 200, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(DTypeName(dtype), "invalid") << number;
    EXPECT_FALSE(IsKnown(dtype)) << number;
    EXPECT_FALSE(IsFixedSize(dtype)) << number;
    EXPECT_FALSE(IsStorable(dtype)) << number;
    EXPECT_EQ(DTypeSize(dtype), 0u) << number;
  }
}

TEST(DType, OtherNamesGiveNothing) {
  for (std::string_view name :
       {"", "invalid", "invalid_ref", "_ref", "float", "Float32", "float32 ", "float32_ref_ref"}) {
    EXPECT_EQ(DTypeFromName(name), std::nullopt) << name;
  }
}

TEST(DType, NamesAreUnique) {
  std::set<std::string_view> names;
  for (DType dtype : AllDTypes()) names.insert(DTypeName(dtype));
  EXPECT_EQ(names.size(), AllDTypes().size());
}

TEST(DType, CppTypesHaveTheSizeOfTheirDType) {
  EXPECT_EQ(sizeof(Float16), DTypeSize(kDTypeOf<Float16>));
  EXPECT_EQ(sizeof(BFloat16), DTypeSize(kDTypeOf<BFloat16>));
  EXPECT_EQ(sizeof(std::complex<double>), DTypeSize(kDTypeOf<std::complex<double>>));
  EXPECT_EQ(sizeof(std::complex<float>), DTypeSize(kDTypeOf<std::complex<float>>));
  EXPECT_EQ(sizeof(int64_t), DTypeSize(kDTypeOf<int64_t>));
  EXPECT_EQ(sizeof(bool), DTypeSize(kDTypeOf<bool>));
  EXPECT_EQ(kDTypeOf<char*>, DType::kInvalid);
}

}  // namespace
}  // namespace savedmodel
