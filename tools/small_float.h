// Floating-point types of at most 16 bits as numbers and as the shortest decimal text that means the same
// element.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "savedmodel/base/dtype.h"

namespace savedmodel::tools {

// How such a type lays out its bits, sign first.
struct SmallFloat {
  // What the bits say beyond numbers.
  enum class Special {
    kIeee,  // exponent all ones: infinities and NaNs
    kFn,    // no infinities; NaN is all ones but the sign
    kFnuz,  // no infinities, no -0; its bits are the only NaN
    kNone,  // numbers only
  };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;
};

// Nothing for other types.
std::optional<SmallFloat> SmallFloatOf(DType dtype);
// Exact. NaN for bits that are no number.
double Decode(const SmallFloat& type, uint32_t bits);
// "0.1", "-0", "1e-05", "Infinity", "-Infinity", "NaN": the shortest text that is nearer to this element than
// to any other.
std::string ShortestText(const SmallFloat& type, uint32_t bits);

}  // namespace savedmodel::tools
