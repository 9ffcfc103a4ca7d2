// A dtype, a shape and immutable elements: owned, or shared with a file mapping.
//
//   StatusOr<Tensor> t = Tensor::FromValues<float>({2, 3}, {0, 1, 2, 3, 4, 5});
//   std::span<const float> v = *t->View<float>();
//   std::string_view s = *names.StringAt(0);
//
// Elements are row-major. TensorFlow packs tensors without alignment, so a mapped tensor may not be viewable
// as its type; Aligned() copies only then. Thread-safety: immutable. Lifetime: views live as long as any
// Tensor or Buffer that shares the bytes; a Tensor outlives the model and the reader that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/dtype.h"
#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"

namespace savedmodel {

struct TensorSpec {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};
  std::string ToString() const;  // "float32[2,?]"
  bool operator==(const TensorSpec&) const = default;
};

class Tensor {
 public:
  Tensor() = default;  // kInvalid, scalar, no bytes

  // A fixed-size dtype over `bytes` in host order, shared and not copied.
  // Errors: InvalidArgument (dtype without a size, or bytes != elements x size).
  static StatusOr<Tensor> FromBuffer(DType dtype, Shape shape, Buffer bytes);
  // Copies. Errors: InvalidArgument (count differs), ResourceExhausted.
  template <class T>
  static StatusOr<Tensor> FromValues(Shape shape, std::initializer_list<T> values) {
    static_assert(kDTypeOf<T> != DType::kInvalid);
    return FromBytes(kDTypeOf<T>, std::move(shape), std::as_bytes(std::span(values.begin(), values.size())));
  }
  // Copies bytes in host order. Errors: as FromBuffer, ResourceExhausted.
  static StatusOr<Tensor> FromBytes(DType dtype, Shape shape, std::span<const std::byte> bytes);
  // String elements, copied. Errors: InvalidArgument (count differs), ResourceExhausted.
  static StatusOr<Tensor> FromStrings(Shape shape, std::span<const std::string> elements);
  // Elements of variable length (kString, or kVariant as serialised VariantTensorDataProto): element i is
  // payload[ends[i-1], ends[i]). Errors: InvalidArgument (dtype, count, ends not ascending or past the
  // payload).
  static StatusOr<Tensor> FromElements(DType dtype, Shape shape, Buffer payload, std::vector<uint64_t> ends);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Bytes of the elements: elements x size; for strings and variants the sum of their lengths.
  uint64_t num_bytes() const { return bytes_.size(); }
  // The elements' bytes: host order, row-major; for strings and variants one after another.
  const Buffer& buffer() const& { return bytes_; }

  // The elements as T; a view into this tensor. Name the tensor: the view in `*variable.Read()->View<float>()` is of one
  // that is gone. Errors: InvalidArgument (T is not this dtype); FailedPrecondition (bytes are not
  // aligned for T: use Aligned()); DataLoss (bool with a byte other than 0 and 1).
  template <class T>
  StatusOr<std::span<const T>> View() const& {
    static_assert(kDTypeOf<T> != DType::kInvalid, "no DType is viewed as this type");
    if (Status status = CheckView(kDTypeOf<T>, alignof(T)); !status.ok()) return status;
    return std::span<const T>(reinterpret_cast<const T*>(bytes_.data()), static_cast<size_t>(num_elements()));
  }
  template <class T>
  StatusOr<std::span<const T>> View() const&& = delete;

  // Element i of a string or variant tensor. Errors: InvalidArgument (dtype), OutOfRange (i).
  StatusOr<std::string_view> StringAt(int64_t i) const&;
  StatusOr<std::string_view> StringAt(int64_t i) const&& = delete;

  // This tensor with bytes aligned for its dtype: itself when they are, else a copy. Errors:
  // ResourceExhausted.
  StatusOr<Tensor> Aligned() const;
  // A copy that shares nothing (for example before a mapped file is replaced). Errors: ResourceExhausted.
  StatusOr<Tensor> Clone() const;

  // Same dtype, shape and bytes.
  bool operator==(const Tensor& other) const;

 private:
  Status CheckView(DType dtype, size_t alignment) const;

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  Buffer bytes_;
  std::shared_ptr<const std::vector<uint64_t>> ends_;  // strings and variants only
};

}  // namespace savedmodel
