// TensorFlow's element types: numbers, names and sizes.
//
// The numbers are those of tensorflow.DataType (types.proto). Sub-byte types take one byte per element in memory
// and in files. Thread-safety: pure functions.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "savedmodel/base/float16.h"

namespace savedmodel {

enum class DType : int32_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2m1fn = 33,
};

// Bytes per element in memory and in a bundle; 0 for string, resource, variant and unknown numbers.
size_t DTypeSize(DType dtype);
// Bytes that swap as one unit when the byte order differs: the element, or half of it for complex types.
size_t DTypeSwapUnit(DType dtype);
// True for types whose elements are DTypeSize() bytes each.
bool IsFixedSize(DType dtype);
// True for the numbers listed above except kInvalid; reference types (number + 100) are not.
bool IsKnown(DType dtype);
// True for types a checkpoint may hold: fixed-size types, string and variant.
bool IsStorable(DType dtype);
// TensorFlow's Python name ("float32", "bfloat16", "float8_e4m3fn", ...). A reference type ends in "_ref"; an unknown
// number gives "invalid".
std::string_view DTypeName(DType dtype);
// The type of that name; nothing when there is none.
std::optional<DType> DTypeFromName(std::string_view name);
// All known types, by number.
std::span<const DType> AllDTypes();

// The C++ type that views elements of a DType. Bytes viewed as bool are validated first (Tensor::View<bool>).
template <class T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <> inline constexpr DType kDTypeOf<float> = DType::kFloat32;
template <> inline constexpr DType kDTypeOf<double> = DType::kFloat64;
template <> inline constexpr DType kDTypeOf<int8_t> = DType::kInt8;
template <> inline constexpr DType kDTypeOf<int16_t> = DType::kInt16;
template <> inline constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <> inline constexpr DType kDTypeOf<int64_t> = DType::kInt64;
template <> inline constexpr DType kDTypeOf<uint8_t> = DType::kUint8;
template <> inline constexpr DType kDTypeOf<uint16_t> = DType::kUint16;
template <> inline constexpr DType kDTypeOf<uint32_t> = DType::kUint32;
template <> inline constexpr DType kDTypeOf<uint64_t> = DType::kUint64;
template <> inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <> inline constexpr DType kDTypeOf<Float16> = DType::kFloat16;
template <> inline constexpr DType kDTypeOf<BFloat16> = DType::kBfloat16;
template <> inline constexpr DType kDTypeOf<std::complex<float>> = DType::kComplex64;
template <> inline constexpr DType kDTypeOf<std::complex<double>> = DType::kComplex128;

}  // namespace savedmodel
