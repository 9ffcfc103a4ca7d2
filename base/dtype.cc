#include "savedmodel/base/dtype.h"

#include <algorithm>
#include <array>

namespace savedmodel {
namespace {

constexpr int32_t kReferenceOffset = 100;  // number of a reference type = number of the type + this
constexpr std::string_view kReferenceSuffix = "_ref";

struct Row {
  DType dtype;
  size_t size;
  std::string_view reference_name;  // the type's name followed by kReferenceSuffix
};

constexpr Row kRows[] = {
    {DType::kFloat32, 4, "float32_ref"},
    {DType::kFloat64, 8, "float64_ref"},
    {DType::kInt32, 4, "int32_ref"},
    {DType::kUint8, 1, "uint8_ref"},
    {DType::kInt16, 2, "int16_ref"},
    {DType::kInt8, 1, "int8_ref"},
    {DType::kString, 0, "string_ref"},
    {DType::kComplex64, 8, "complex64_ref"},
    {DType::kInt64, 8, "int64_ref"},
    {DType::kBool, 1, "bool_ref"},
    {DType::kQint8, 1, "qint8_ref"},
    {DType::kQuint8, 1, "quint8_ref"},
    {DType::kQint32, 4, "qint32_ref"},
    {DType::kBfloat16, 2, "bfloat16_ref"},
    {DType::kQint16, 2, "qint16_ref"},
    {DType::kQuint16, 2, "quint16_ref"},
    {DType::kUint16, 2, "uint16_ref"},
    {DType::kComplex128, 16, "complex128_ref"},
    {DType::kFloat16, 2, "float16_ref"},
    {DType::kResource, 0, "resource_ref"},
    {DType::kVariant, 0, "variant_ref"},
    {DType::kUint32, 4, "uint32_ref"},
    {DType::kUint64, 8, "uint64_ref"},
    {DType::kFloat8E5m2, 1, "float8_e5m2_ref"},
    {DType::kFloat8E4m3fn, 1, "float8_e4m3fn_ref"},
    {DType::kFloat8E4m3fnuz, 1, "float8_e4m3fnuz_ref"},
    {DType::kFloat8E4m3b11fnuz, 1, "float8_e4m3b11fnuz_ref"},
    {DType::kFloat8E5m2fnuz, 1, "float8_e5m2fnuz_ref"},
    {DType::kInt4, 1, "int4_ref"},
    {DType::kUint4, 1, "uint4_ref"},
    {DType::kInt2, 1, "int2_ref"},
    {DType::kUint2, 1, "uint2_ref"},
    {DType::kFloat4E2m1fn, 1, "float4_e2m1fn_ref"},
};

constexpr bool RowsAreByNumber() {
  int32_t number = 1;
  for (const Row& row : kRows) {
    if (static_cast<int32_t>(row.dtype) != number++ || !row.reference_name.ends_with(kReferenceSuffix))
      return false;
  }
  return true;
}
static_assert(RowsAreByNumber(), "a row is found by its number");

constexpr auto kAll = [] {
  std::array<DType, std::size(kRows)> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = kRows[i].dtype;
  return all;
}();

const Row* FindRow(int64_t number) {
  if (number < 1 || number > static_cast<int64_t>(std::size(kRows))) return nullptr;
  return &kRows[number - 1];
}
const Row* FindRow(DType dtype) { return FindRow(static_cast<int64_t>(dtype)); }

std::string_view PlainName(const Row& row) {
  return row.reference_name.substr(0, row.reference_name.size() - kReferenceSuffix.size());
}

}  // namespace

size_t DTypeSize(DType dtype) {
  const Row* row = FindRow(dtype);
  return row == nullptr ? 0 : row->size;
}

size_t DTypeSwapUnit(DType dtype) {
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return complex ? DTypeSize(dtype) / 2 : DTypeSize(dtype);
}

bool IsFixedSize(DType dtype) { return DTypeSize(dtype) != 0; }
bool IsKnown(DType dtype) { return FindRow(dtype) != nullptr; }
bool IsStorable(DType dtype) {
  return IsFixedSize(dtype) || dtype == DType::kString || dtype == DType::kVariant;
}

std::string_view DTypeName(DType dtype) {
  if (const Row* row = FindRow(dtype)) return PlainName(*row);
  if (const Row* row = FindRow(int64_t{static_cast<int32_t>(dtype)} - kReferenceOffset))
    return row->reference_name;
  return "invalid";
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (name == PlainName(row)) return row.dtype;
    if (name == row.reference_name)
      return static_cast<DType>(static_cast<int32_t>(row.dtype) + kReferenceOffset);
  }
  return std::nullopt;
}

std::span<const DType> AllDTypes() { return kAll; }

}  // namespace savedmodel
