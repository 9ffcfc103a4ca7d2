#include "savedmodel/base/tensor.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;

bool HasElementsOfOwnLength(DType dtype) { return dtype == DType::kString || dtype == DType::kVariant; }

std::string Describe(DType dtype, const Shape& shape) {
  return std::string(DTypeName(dtype)) + shape.ToString();
}

// Bytes of all elements; a product over 64 bits can equal no buffer's size.
Status CheckByteCount(DType dtype, const Shape& shape, uint64_t num_bytes) {
  if (!IsFixedSize(dtype)) {
    return Error(StatusCode::kInvalidArgument, "elements of this dtype have no fixed size")
        .Found(std::string(DTypeName(dtype)) + " (" + std::to_string(static_cast<int32_t>(dtype)) + ")");
  }
  uint64_t wanted = 0;
  const bool too_many = __builtin_mul_overflow(static_cast<uint64_t>(shape.num_elements()),
                                               uint64_t{DTypeSize(dtype)}, &wanted);
  if (!too_many && wanted == num_bytes) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "bytes do not fill a tensor of " + Describe(dtype, shape))
      .Expected(too_many ? "more bytes than 64 bits can count" : std::to_string(wanted) + " bytes")
      .Found(std::to_string(num_bytes) + " bytes");
}

Status CheckElementCount(const Shape& shape, size_t count) {
  if (static_cast<uint64_t>(shape.num_elements()) == count) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "number of elements does not fit the shape " + shape.ToString())
      .Expected(std::to_string(shape.num_elements()))
      .Found(std::to_string(count));
}

Status CheckEnds(std::span<const uint64_t> ends, uint64_t payload_size) {
  if (!std::is_sorted(ends.begin(), ends.end())) {
    return Error(StatusCode::kInvalidArgument, "ends of a tensor's elements are not ascending");
  }
  if (ends.empty() || ends.back() <= payload_size) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "a tensor's elements end past their payload")
      .Expected("at most " + std::to_string(payload_size))
      .Found(std::to_string(ends.back()));
}

bool IsAligned(const std::byte* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

Status CheckBools(std::span<const std::byte> bytes) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bytes.end()) return OkStatus();
  return Error(StatusCode::kDataLoss,
               "bool element " + std::to_string(bad - bytes.begin()) + " is neither 0 nor 1")
      .Expected("0 or 1")
      .Found(std::to_string(static_cast<int>(*bad)));
}

}  // namespace

std::string TensorSpec::ToString() const {
  return std::string(DTypeName(dtype)) + (shape.unknown_rank() ? " " : "") + shape.ToString();
}

StatusOr<Tensor> Tensor::FromBuffer(DType dtype, Shape shape, Buffer bytes) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckByteCount(dtype, shape, bytes.size()));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.bytes_ = std::move(bytes);
  return tensor;
}

StatusOr<Tensor> Tensor::FromBytes(DType dtype, Shape shape, std::span<const std::byte> bytes) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckByteCount(dtype, shape, bytes.size()));
  SAVEDMODEL_ASSIGN_OR_RETURN(Buffer copy, Buffer::Copy(bytes));
  return FromBuffer(dtype, std::move(shape), std::move(copy));
}

StatusOr<Tensor> Tensor::FromStrings(Shape shape, std::span<const std::string> elements) {
  return internal::Guarded([&]() -> StatusOr<Tensor> {
    SAVEDMODEL_RETURN_IF_ERROR(CheckElementCount(shape, elements.size()));
    std::vector<uint64_t> ends;
    ends.reserve(elements.size());
    for (const std::string& element : elements)
      ends.push_back((ends.empty() ? 0 : ends.back()) + element.size());
    SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer payload,
                                MutableBuffer::Allocate(ends.empty() ? 0 : ends.back()));
    std::byte* out = payload.data();
    for (const std::string& element : elements)
      out = std::ranges::copy(std::as_bytes(std::span(element)), out).out;
    return FromElements(DType::kString, std::move(shape), std::move(payload).Freeze(), std::move(ends));
  });
}

StatusOr<Tensor> Tensor::FromElements(DType dtype, Shape shape, Buffer payload, std::vector<uint64_t> ends) {
  if (!HasElementsOfOwnLength(dtype)) {
    return Error(StatusCode::kInvalidArgument, "elements of variable length need dtype string or variant")
        .Found(std::string(DTypeName(dtype)));
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckElementCount(shape, ends.size()));
  SAVEDMODEL_RETURN_IF_ERROR(CheckEnds(ends, payload.size()));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.bytes_ = payload.Slice(0, ends.empty() ? 0 : static_cast<size_t>(ends.back()));
  tensor.ends_ = std::make_shared<const std::vector<uint64_t>>(std::move(ends));
  return tensor;
}

Status Tensor::CheckView(DType dtype, size_t alignment) const {
  if (dtype != dtype_) {
    return Error(StatusCode::kInvalidArgument, "tensor is viewed as another dtype")
        .Expected(std::string(DTypeName(dtype)))
        .Found(std::string(DTypeName(dtype_)));
  }
  if (!bytes_.empty() && !IsAligned(bytes_.data(), alignment)) {
    return Error(StatusCode::kFailedPrecondition,
                 "bytes of " + Describe(dtype_, shape_) + " are not aligned for a view")
        .Expected("a multiple of " + std::to_string(alignment))
        .Hint("call Aligned() first");
  }
  if (dtype_ == DType::kBool) return CheckBools(bytes_.bytes());
  return OkStatus();
}

StatusOr<std::string_view> Tensor::StringAt(int64_t i) const& {
  if (ends_ == nullptr) {
    return Error(StatusCode::kInvalidArgument, "tensor has no string elements")
        .Found(std::string(DTypeName(dtype_)));
  }
  if (i < 0 || i >= num_elements()) {
    return Error(StatusCode::kOutOfRange,
                 "no element " + std::to_string(i) + " in " + Describe(dtype_, shape_));
  }
  const auto index = static_cast<size_t>(i);
  const uint64_t begin = index == 0 ? 0 : (*ends_)[index - 1];
  return bytes_.view().substr(static_cast<size_t>(begin), static_cast<size_t>((*ends_)[index] - begin));
}

StatusOr<Tensor> Tensor::Aligned() const {
  // Complex numbers are aligned as their halves are, so the swap unit is the alignment of every dtype.
  const size_t alignment = std::max<size_t>(DTypeSwapUnit(dtype_), 1);
  if (IsAligned(bytes_.data(), alignment)) return *this;
  return Clone();
}

StatusOr<Tensor> Tensor::Clone() const {
  return internal::Guarded([&]() -> StatusOr<Tensor> {
    SAVEDMODEL_ASSIGN_OR_RETURN(Buffer copy, Buffer::Copy(bytes_.bytes()));
    Tensor tensor = *this;
    tensor.bytes_ = std::move(copy);
    if (ends_ != nullptr) tensor.ends_ = std::make_shared<const std::vector<uint64_t>>(*ends_);
    return tensor;
  });
}

bool Tensor::operator==(const Tensor& other) const {
  const bool same_ends = ends_ == other.ends_ || (ends_ && other.ends_ && *ends_ == *other.ends_);
  return dtype_ == other.dtype_ && shape_ == other.shape_ && same_ends &&
         std::ranges::equal(bytes_.bytes(), other.bytes_.bytes());
}

}  // namespace savedmodel
