#include "savedmodel/tools/npy.h"

#include <string_view>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::tools {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};  // with version 1.0
constexpr size_t kAlignment = 64;                           // of the elements in the file
constexpr size_t kLengthBytes = 2;

// NumPy's own name of the element type; with bits only where it has none.
struct NpyType {
  std::string_view descr = {};
  bool only_bits = false;
};

NpyType TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {"<f2"};
    case DType::kFloat32:
      return {"<f4"};
    case DType::kFloat64:
      return {"<f8"};
    case DType::kComplex64:
      return {"<c8"};
    case DType::kComplex128:
      return {"<c16"};
    case DType::kBool:
      return {"|b1"};
    case DType::kInt8:
    case DType::kQint8:
    case DType::kInt4:
    case DType::kInt2:
      return {"|i1"};
    case DType::kUint8:
    case DType::kQuint8:
    case DType::kUint4:
    case DType::kUint2:
      return {"|u1"};
    case DType::kInt16:
    case DType::kQint16:
      return {"<i2"};
    case DType::kUint16:
    case DType::kQuint16:
      return {"<u2"};
    case DType::kInt32:
    case DType::kQint32:
      return {"<i4"};
    case DType::kUint32:
      return {"<u4"};
    case DType::kInt64:
      return {"<i8"};
    case DType::kUint64:
      return {"<u8"};
    case DType::kBfloat16:
      return {"<u2", true};
    default:
      return DTypeSize(dtype) == 1 ? NpyType{"|u1", true} : NpyType{};
  }
}

// A Python tuple: "()", "(3,)", "(2, 3)".
std::string TupleText(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) text += (i == 0 ? "" : " ") + std::to_string(shape.dim(i)) + ",";
  if (shape.rank() > 1) text.pop_back();
  return text + ")";
}

}  // namespace

StatusOr<NpyHeader> MakeNpyHeader(DType dtype, const Shape& shape) {
  const NpyType type = TypeOf(dtype);
  if (type.descr.empty()) {
    return internal::Error(StatusCode::kUnimplemented,
                           "a NumPy file cannot hold elements of this dtype as data alone")
        .Found(std::string(DTypeName(dtype)))
        .Hint("--raw writes their bytes");
  }
  std::string text = "{'descr': '" + std::string(type.descr) +
                     "', 'fortran_order': False, 'shape': " + TupleText(shape) + ", }";
  const size_t before = kMagic.size() + kLengthBytes;
  text.append(kAlignment - (before + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  NpyHeader header;
  header.bytes = kMagic;
  header.bytes += static_cast<char>(text.size() & 0xff);
  header.bytes += static_cast<char>(text.size() >> 8);
  header.bytes += text;
  if (type.only_bits) {
    header.note = "NumPy has no " + std::string(DTypeName(dtype)) + ": the elements stand as " +
                  std::string(type.descr) + ", bit for bit; array.view(ml_dtypes." +
                  std::string(DTypeName(dtype)) + ") reads them";
  }
  return header;
}

}  // namespace savedmodel::tools
