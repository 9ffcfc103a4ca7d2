#include "savedmodel/tools/small_float.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace savedmodel::tools {
namespace {

using Special = SmallFloat::Special;

uint32_t Ones(int count) { return (uint32_t{1} << count) - 1; }

// The bits without the sign.
uint32_t MagnitudeOf(const SmallFloat& type, uint32_t bits) {
  return bits & Ones(type.exponent_bits + type.mantissa_bits);
}

bool IsNan(const SmallFloat& type, uint32_t bits) {
  const uint32_t magnitude = MagnitudeOf(type, bits);
  const bool negative = (bits >> (type.exponent_bits + type.mantissa_bits)) & 1;
  switch (type.special) {
    case Special::kIeee:
      return magnitude > Ones(type.exponent_bits) << type.mantissa_bits;
    case Special::kFn:
      return magnitude == Ones(type.exponent_bits + type.mantissa_bits);
    case Special::kFnuz:
      return negative && magnitude == 0;
    case Special::kNone:
      return false;
  }
  return false;
}

bool IsInfinite(const SmallFloat& type, uint32_t bits) {
  return type.special == Special::kIeee && MagnitudeOf(type, bits) == Ones(type.exponent_bits)
                                                                          << type.mantissa_bits;
}

// The number that a magnitude stands for, specials not looked at.
double NumberOf(const SmallFloat& type, uint32_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> type.mantissa_bits);
  const uint32_t mantissa = magnitude & Ones(type.mantissa_bits);
  if (exponent == 0) return std::ldexp(mantissa, 1 - type.bias - type.mantissa_bits);
  const uint32_t one = uint32_t{1} << type.mantissa_bits;
  return std::ldexp(one + mantissa, exponent - type.bias - type.mantissa_bits);
}

// Half the distance to the nearer neighbour: text closer than that reads back as the same element.
double HalfGap(const SmallFloat& type, uint32_t magnitude) {
  const double value = NumberOf(type, magnitude);
  const double above = NumberOf(type, magnitude + 1) - value;
  const double below = magnitude == 0 ? above : value - NumberOf(type, magnitude - 1);
  return std::min(above, below) / 2;
}

}  // namespace

std::optional<SmallFloat> SmallFloatOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return SmallFloat{5, 10, 15, Special::kIeee};
    case DType::kBfloat16:
      return SmallFloat{8, 7, 127, Special::kIeee};
    case DType::kFloat8E5m2:
      return SmallFloat{5, 2, 15, Special::kIeee};
    case DType::kFloat8E4m3fn:
      return SmallFloat{4, 3, 7, Special::kFn};
    case DType::kFloat8E4m3fnuz:
      return SmallFloat{4, 3, 8, Special::kFnuz};
    case DType::kFloat8E4m3b11fnuz:
      return SmallFloat{4, 3, 11, Special::kFnuz};
    case DType::kFloat8E5m2fnuz:
      return SmallFloat{5, 2, 16, Special::kFnuz};
    case DType::kFloat4E2m1fn:
      return SmallFloat{2, 1, 1, Special::kNone};
    default:
      return std::nullopt;
  }
}

double Decode(const SmallFloat& type, uint32_t bits) {
  if (IsNan(type, bits)) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = (bits >> (type.exponent_bits + type.mantissa_bits)) & 1;
  const double magnitude = IsInfinite(type, bits) ? std::numeric_limits<double>::infinity()
                                                  : NumberOf(type, MagnitudeOf(type, bits));
  return negative ? -magnitude : magnitude;
}

std::string ShortestText(const SmallFloat& type, uint32_t bits) {
  const double value = Decode(type, bits);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0 && std::signbit(value)) return "-0.0";  // "-0" would be read as an integer
  const double half_gap = HalfGap(type, MagnitudeOf(type, bits));
  char text[64];
  for (int digits = 1;; ++digits) {
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits).ptr;
    double back = 0;
    std::from_chars(text, end, back);
    constexpr int kEnough = 17;  // any double
    if (std::abs(back - value) >= half_gap && digits < kEnough) continue;
    return std::string(text, std::to_chars(text, text + sizeof(text), back).ptr);
  }
}

}  // namespace savedmodel::tools
