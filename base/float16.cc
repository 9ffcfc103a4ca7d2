#include "savedmodel/base/float16.h"

#include <bit>

namespace savedmodel {
namespace {

// binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. binary32: 1, 8 (bias 127), 23.
constexpr int kFractionShift = 23 - 10;
constexpr uint32_t kRebias = 127 - 15;
constexpr uint32_t kHalfExponentMax = 31;  // infinity and NaN
constexpr float kSubnormalUnit = 0x1p-24f;

}  // namespace

float Float16::ToFloat() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero and subnormals: fraction x 2^-24, exact in binary32
    const float magnitude = static_cast<float>(fraction) * kSubnormalUnit;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide_exponent = exponent == kHalfExponentMax ? 0xffu : exponent + kRebias;
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << kFractionShift));
}

float BFloat16::ToFloat() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

}  // namespace savedmodel
