#include "savedmodel/proto/internal/tensor_value.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/byte_reader.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"

namespace savedmodel::internal {
namespace {

using proto::TensorProto;

// What a message says it holds.
struct Header {
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t max_filled_bytes = 0;

  uint64_t count() const { return static_cast<uint64_t>(shape.num_elements()); }
  std::string ToString() const { return std::string(DTypeName(dtype)) + shape.ToString(); }
};

Error BadValue(const Header& header, const char* why) {
  return Error(StatusCode::kDataLoss, absl::StrCat("tensor value of ", header.ToString(), ": ", why));
}

std::string DTypeText(DType dtype) {
  return absl::StrCat(ToAbsl(DTypeName(dtype)), " (", static_cast<int32_t>(dtype), ")");
}

Status CheckDType(DType dtype) {
  if (dtype == DType::kInvalid) return Error(StatusCode::kDataLoss, "tensor value without a dtype");
  if (IsStorable(dtype)) return OkStatus();
  return Error(StatusCode::kUnimplemented, "tensor value of a dtype that is not read")
      .Found(DTypeText(dtype));
}

StatusOr<Shape> ReadShape(const proto::TensorShapeProto& message) {
  if (message.unknown_rank()) return Shape();
  std::vector<int64_t> dims;
  dims.reserve(static_cast<size_t>(message.dim_size()));
  for (const auto& dim : message.dim()) dims.push_back(dim.size());
  StatusOr<Shape> shape = Shape::Make(dims);
  if (shape.ok()) return shape;
  return Error(StatusCode::kDataLoss,
               absl::StrCat("tensor value of an impossible shape: ", shape.status().message()));
}

StatusOr<Header> ReadHeader(const TensorProto& message, const TensorValueLimits& limits) {
  Header header;
  header.dtype = static_cast<DType>(message.dtype());
  SAVEDMODEL_RETURN_IF_ERROR(CheckDType(header.dtype));
  SAVEDMODEL_ASSIGN_OR_RETURN(header.shape, ReadShape(message.tensor_shape()));
  header.max_filled_bytes = limits.max_filled_bytes;
  return header;
}

// The bits of a sub-byte type; 0 for types that use all of theirs.
int SubByteBits(DType dtype) {
  switch (dtype) {
    case DType::kInt4:
    case DType::kUint4:
    case DType::kFloat4E2m1fn:
      return 4;
    case DType::kInt2:
    case DType::kUint2:
      return 2;
    default:
      return 0;
  }
}

// The byte that stands for the low `bits` of `value`.
uint8_t NarrowTo(int bits, bool is_signed, uint32_t value) {
  const uint32_t low = value & ((1u << bits) - 1);
  const bool negative = is_signed && (low >> (bits - 1)) != 0;
  return static_cast<uint8_t>(negative ? low | ~((1u << bits) - 1) : low);
}

bool IsSignedSubByte(DType dtype) { return dtype == DType::kInt4 || dtype == DType::kInt2; }

// ---- tensor_content ----

void SwapUnits(std::span<std::byte> bytes, size_t unit) {
  for (size_t i = 0; i + unit <= bytes.size(); i += unit) std::reverse(&bytes[i], &bytes[i] + unit);
}

bool KeepsContentBytes(DType dtype) {
  return (std::endian::native == std::endian::little || DTypeSwapUnit(dtype) == 1) && SubByteBits(dtype) == 0;
}

Status CheckContent(const Header& header, std::span<const std::byte> content) {
  uint64_t wanted = 0;
  if (__builtin_mul_overflow(header.count(), uint64_t{DTypeSize(header.dtype)}, &wanted) ||
      wanted != content.size()) {
    return BadValue(header, "tensor_content has the wrong size")
        .Expected(absl::StrCat(header.count(), " elements of ", DTypeSize(header.dtype), " bytes"))
        .Found(absl::StrCat(content.size(), " bytes"));
  }
  const auto is_bool = [](std::byte b) { return b <= std::byte{1}; };
  if (header.dtype == DType::kBool && !std::all_of(content.begin(), content.end(), is_bool))
    return BadValue(header, "a bool is neither 0 nor 1");
  return OkStatus();
}

StatusOr<Tensor> FixedFromContent(const Header& header, std::span<const std::byte> content) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckContent(header, content));
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer buffer, MutableBuffer::Allocate(content.size()));
  std::copy(content.begin(), content.end(), buffer.data());
  if (std::endian::native == std::endian::big) SwapUnits(buffer.bytes(), DTypeSwapUnit(header.dtype));
  if (const int bits = SubByteBits(header.dtype); bits != 0) {
    const bool is_signed = IsSignedSubByte(header.dtype);
    for (std::byte& b : buffer.bytes()) b = std::byte{NarrowTo(bits, is_signed, static_cast<uint8_t>(b))};
  }
  return Tensor::FromBuffer(header.dtype, header.shape, std::move(buffer).Freeze());
}

StatusOr<Tensor> StringsFromContent(const Header& header, std::string_view content) {
  const auto wrong = [&](const char* why) { return BadValue(header, why).ToStatus(); };
  if (header.count() > content.size()) return wrong("tensor_content is too short for the strings' lengths");
  ByteReader reader(content);
  std::vector<uint64_t> ends;
  ends.reserve(header.count());
  for (uint64_t end = 0; ends.size() < header.count(); ends.push_back(end)) {
    uint32_t length = 0;
    if (!reader.ReadVarint32(&length)) return wrong("tensor_content holds a broken length of a string");
    end += length;
  }
  const std::string_view payload = content.substr(reader.offset());
  if (ends.back() != payload.size()) return wrong("the strings' lengths do not add up to their bytes");
  SAVEDMODEL_ASSIGN_OR_RETURN(Buffer copy, Buffer::Copy(std::as_bytes(std::span(payload))));
  return Tensor::FromElements(DType::kString, header.shape, std::move(copy), std::move(ends));
}

StatusOr<Tensor> FromContent(const Header& header, const std::string& content) {
  if (header.dtype == DType::kString) return StringsFromContent(header, content);
  if (header.dtype == DType::kVariant)
    return Error(StatusCode::kUnimplemented, "variants in tensor_content are not read");
  return FixedFromContent(header, std::as_bytes(std::span(content)));
}

// ---- typed lists ----

// Errors: ResourceExhausted when elements that are not spelled out take too much.
Status CheckFilled(const Header& header, uint64_t listed, uint64_t num_bytes) {
  if (listed >= header.count() || num_bytes <= header.max_filled_bytes) return OkStatus();
  return Error(StatusCode::kResourceExhausted,
               absl::StrCat("tensor value of ", header.ToString(), " lists only ", listed, " elements"))
      .Expected(absl::StrCat("at most ", header.max_filled_bytes, " bytes"))
      .Found(absl::StrCat(num_bytes));
}

uint64_t ProductOrMax(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

// Elements value_at(0), ..., value_at(listed - 1), then the last of them again, or zeros when there is none.
template <class T, class ValueAt>
StatusOr<Tensor> FromList(const Header& header, uint64_t listed, ValueAt value_at) {
  const uint64_t num_bytes = ProductOrMax(header.count(), sizeof(T));
  SAVEDMODEL_RETURN_IF_ERROR(CheckFilled(header, listed, num_bytes));
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer buffer, MutableBuffer::Allocate(num_bytes));
  auto* const out = reinterpret_cast<T*>(buffer.data());
  const auto given = static_cast<int>(std::min(listed, header.count()));
  for (int i = 0; i < given; ++i) out[i] = static_cast<T>(value_at(i));
  std::fill(out + given, out + header.count(), given == 0 ? T{} : out[given - 1]);
  return Tensor::FromBuffer(header.dtype, header.shape, std::move(buffer).Freeze());
}

template <class T, class List>
StatusOr<Tensor> FromNumbers(const Header& header, const List& list) {
  return FromList<T>(header, static_cast<uint64_t>(list.size()), [&](int i) { return list.Get(i); });
}

template <class T, class List>
StatusOr<Tensor> FromPairs(const Header& header, const List& list) {
  return FromList<std::complex<T>>(header, static_cast<uint64_t>(list.size() / 2), [&](int i) {
    return std::complex<T>(list.Get(2 * i), list.Get(2 * i + 1));
  });
}

StatusOr<Tensor> FromSubBytes(const Header& header, const TensorProto& message) {
  const int bits = SubByteBits(header.dtype);
  const bool is_signed = IsSignedSubByte(header.dtype);
  return FromList<uint8_t>(header, static_cast<uint64_t>(message.int_val_size()), [&](int i) {
    return NarrowTo(bits, is_signed, static_cast<uint32_t>(message.int_val(i)));
  });
}

StatusOr<Tensor> FromFloat8(const Header& header, const std::string& bytes) {
  return FromList<uint8_t>(header, bytes.size(), [&](int i) { return bytes[static_cast<size_t>(i)]; });
}

// Elements of their own length: those listed, then `rest` as often as there are elements left.
template <class ElementAt>
StatusOr<Tensor> FromElementList(const Header& header, uint64_t listed, ElementAt element_at,
                                 std::string_view rest) {
  const uint64_t given = std::min(listed, header.count());
  const uint64_t per_rest = rest.size() + sizeof(uint64_t);  // an element and its end
  SAVEDMODEL_RETURN_IF_ERROR(CheckFilled(header, listed, ProductOrMax(header.count(), per_rest)));
  std::string payload;
  std::vector<uint64_t> ends;
  ends.reserve(header.count());
  for (uint64_t i = 0; i < header.count(); ++i) {
    payload += i < given ? element_at(static_cast<int>(i)) : rest;
    ends.push_back(payload.size());
  }
  return Tensor::FromElements(header.dtype, header.shape, Buffer::FromString(std::move(payload)),
                              std::move(ends));
}

StatusOr<Tensor> FromStrings(const Header& header, const TensorProto& message) {
  const int listed = message.string_val_size();
  const std::string_view last =
      listed == 0 ? std::string_view() : std::string_view(message.string_val(listed - 1));
  return FromElementList(
      header, static_cast<uint64_t>(listed), [&](int i) { return std::string_view(message.string_val(i)); },
      last);
}

// Unlike every other type, missing variants are default ones, whose encoding is empty.
StatusOr<Tensor> FromVariants(const Header& header, const TensorProto& message) {
  std::vector<std::string> elements;
  for (const auto& element : message.variant_val()) {
    SAVEDMODEL_ASSIGN_OR_RETURN(std::string bytes, SerializeDeterministic(element));
    elements.push_back(std::move(bytes));
  }
  return FromElementList(
      header, elements.size(), [&](int i) { return std::string_view(elements[static_cast<size_t>(i)]); }, "");
}

StatusOr<Tensor> FromTypedList(const Header& header, const TensorProto& message) {
  switch (header.dtype) {
    case DType::kFloat32:
      return FromNumbers<float>(header, message.float_val());
    case DType::kFloat64:
      return FromNumbers<double>(header, message.double_val());
    case DType::kInt32:
    case DType::kQint32:
      return FromNumbers<int32_t>(header, message.int_val());
    case DType::kInt16:
    case DType::kQint16:
      return FromNumbers<int16_t>(header, message.int_val());
    case DType::kUint16:
    case DType::kQuint16:
      return FromNumbers<uint16_t>(header, message.int_val());
    case DType::kInt8:
    case DType::kQint8:
      return FromNumbers<int8_t>(header, message.int_val());
    case DType::kUint8:
    case DType::kQuint8:
      return FromNumbers<uint8_t>(header, message.int_val());
    case DType::kFloat16:
    case DType::kBfloat16:
      return FromNumbers<uint16_t>(header, message.half_val());
    case DType::kInt64:
      return FromNumbers<int64_t>(header, message.int64_val());
    case DType::kUint32:
      return FromNumbers<uint32_t>(header, message.uint32_val());
    case DType::kUint64:
      return FromNumbers<uint64_t>(header, message.uint64_val());
    case DType::kBool:
      return FromNumbers<uint8_t>(header, message.bool_val());
    case DType::kComplex64:
      return FromPairs<float>(header, message.scomplex_val());
    case DType::kComplex128:
      return FromPairs<double>(header, message.dcomplex_val());
    case DType::kString:
      return FromStrings(header, message);
    case DType::kVariant:
      return FromVariants(header, message);
    default:
      break;
  }
  if (SubByteBits(header.dtype) != 0) return FromSubBytes(header, message);
  return FromFloat8(header, message.float8_val());
}

// A tensor without elements: what the message's fields hold does not count.
StatusOr<Tensor> EmptyTensor(const Header& header) {
  if (IsFixedSize(header.dtype)) return Tensor::FromBuffer(header.dtype, header.shape, Buffer());
  return Tensor::FromElements(header.dtype, header.shape, Buffer(), {});
}

}  // namespace

StatusOr<Tensor> DecodeTensor(const TensorProto& message, const TensorValueLimits& limits) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Header header, ReadHeader(message, limits));
  if (header.count() == 0) return EmptyTensor(header);
  return message.tensor_content().empty() ? FromTypedList(header, message)
                                          : FromContent(header, message.tensor_content());
}

StatusOr<Tensor> DecodeTensor(TensorProto&& message, const TensorValueLimits& limits) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Header header, ReadHeader(message, limits));
  const bool has_content = header.count() != 0 && !message.tensor_content().empty();
  if (!has_content || !IsFixedSize(header.dtype) || !KeepsContentBytes(header.dtype))
    return DecodeTensor(std::as_const(message), limits);
  SAVEDMODEL_RETURN_IF_ERROR(CheckContent(header, std::as_bytes(std::span(message.tensor_content()))));
  Buffer content = Buffer::FromString(std::move(*message.mutable_tensor_content()));
  return Tensor::FromBuffer(header.dtype, header.shape, std::move(content));
}

Status EncodeTensor(const Tensor& tensor, TensorProto* message) {
  message->Clear();
  message->set_dtype(static_cast<proto::DataType>(tensor.dtype()));
  message->mutable_tensor_shape();
  for (int64_t dim : tensor.shape().dims()) message->mutable_tensor_shape()->add_dim()->set_size(dim);
  if (IsFixedSize(tensor.dtype())) {
    std::string content(tensor.buffer().view());
    if (std::endian::native == std::endian::big)
      SwapUnits(std::as_writable_bytes(std::span(content)), DTypeSwapUnit(tensor.dtype()));
    message->set_tensor_content(std::move(content));
    return OkStatus();
  }
  if (!IsStorable(tensor.dtype()))
    return Error(StatusCode::kInvalidArgument, "no value of this dtype can be written")
        .Found(DTypeText(tensor.dtype()));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    SAVEDMODEL_ASSIGN_OR_RETURN(const std::string_view element, tensor.StringAt(i));
    if (tensor.dtype() == DType::kString) {
      message->add_string_val(std::string(element));
      continue;
    }
    SAVEDMODEL_RETURN_IF_ERROR(
        ParseBounded(element, message->add_variant_val(), {.what = "variant element"}));
  }
  return OkStatus();
}

}  // namespace savedmodel::internal
