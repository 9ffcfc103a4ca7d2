// The two 16-bit floating-point element types, as bit patterns with exact conversion to float.
#pragma once

#include <cstdint>

namespace savedmodel {

// IEEE 754 binary16 (TensorFlow's float16, "half").
struct Float16 {
  uint16_t bits = 0;
  float ToFloat() const;
  bool operator==(const Float16&) const = default;  // same bits
};

// The upper half of an IEEE 754 binary32.
struct BFloat16 {
  uint16_t bits = 0;
  float ToFloat() const;
  bool operator==(const BFloat16&) const = default;  // same bits
};

}  // namespace savedmodel
