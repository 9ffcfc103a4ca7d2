#include "savedmodel/base/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace savedmodel {
namespace {

// The value of a binary16 by its definition, in double, where every step is exact.
double HalfByDefinition(uint32_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double fraction = bits & 0x3ff;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Float16, EveryFinitePatternConvertsExactly) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    if (((bits >> 10) & 31) == 31) continue;
    const float value = Float16{static_cast<uint16_t>(bits)}.ToFloat();
    ASSERT_EQ(static_cast<double>(value), HalfByDefinition(bits)) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(Float16, InfinitiesAndNaNs) {
  EXPECT_EQ(Float16{0x7c00}.ToFloat(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Float16{0xfc00}.ToFloat(), -std::numeric_limits<float>::infinity());
  for (uint32_t fraction = 1; fraction < 0x400; ++fraction) {
    ASSERT_TRUE(std::isnan(Float16{static_cast<uint16_t>(0x7c00 | fraction)}.ToFloat()));
  }
}

TEST(Float16, KnownValues) {
  EXPECT_EQ(Float16{0x3c00}.ToFloat(), 1.0f);
  EXPECT_EQ(Float16{0xc000}.ToFloat(), -2.0f);
  EXPECT_EQ(Float16{0x7bff}.ToFloat(), 65504.0f);
  EXPECT_EQ(Float16{0x0001}.ToFloat(), 0x1p-24f);
}

TEST(BFloat16, KnownValues) {
  EXPECT_EQ(BFloat16{0x3f80}.ToFloat(), 1.0f);
  EXPECT_EQ(BFloat16{0xc0a0}.ToFloat(), -5.0f);
  EXPECT_EQ(BFloat16{0x7f80}.ToFloat(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(BFloat16{0x7fc0}.ToFloat()));
  EXPECT_TRUE(std::signbit(BFloat16{0x8000}.ToFloat()));
}

}  // namespace
}  // namespace savedmodel
