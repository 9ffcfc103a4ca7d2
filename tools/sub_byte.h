// Integer types of fewer than 8 bits: one byte per element in memory and in files, of which only the low bits
// count.
#pragma once

#include <cstdint>
#include <optional>

#include "savedmodel/base/dtype.h"

namespace savedmodel::tools {

struct SubByte {
  int bits;
  bool is_signed;

  int ValueOf(uint8_t byte) const {
    const int value = byte & ((1 << bits) - 1);
    return is_signed && (value >> (bits - 1)) != 0 ? value - (1 << bits) : value;
  }
};

// Nothing for other types.
constexpr std::optional<SubByte> SubByteOf(DType dtype) {
  switch (dtype) {
    case DType::kInt4:
      return SubByte{4, true};
    case DType::kUint4:
      return SubByte{4, false};
    case DType::kInt2:
      return SubByte{2, true};
    case DType::kUint2:
      return SubByte{2, false};
    default:
      return std::nullopt;
  }
}

}  // namespace savedmodel::tools
