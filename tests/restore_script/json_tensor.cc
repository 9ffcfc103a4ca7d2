#include "savedmodel/tests/restore_script/json_tensor.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "savedmodel/base/float16.h"

namespace savedmodel::testing {
namespace {

Shape ShapeOf(const Json& value) {
  std::vector<int64_t> dims;
  for (const Json* at = &value; at && at->is_array(); at = at->empty() ? nullptr : &at->front())
    dims.push_back(static_cast<int64_t>(at->size()));
  return Shape::Make(dims).value();
}

void Flatten(const Json& value, std::vector<const Json*>& elements) {
  if (!value.is_array()) return elements.push_back(&value);
  for (const Json& one : value) Flatten(one, elements);
}

// The 16 bits that are this number; a script has only numbers that there are.
template <class T>
T HalfOf(const Json& value) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const T half{static_cast<uint16_t>(bits)};
    if (half.ToFloat() == value.get<float>()) return half;
  }
  throw std::runtime_error("no number of 16 bits: " + value.dump());
}

template <class T>
T ElementOf(const Json& value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return HalfOf<T>(value);
  } else {
    return value.get<T>();
  }
}

template <class T>
Tensor Numbers(const Shape& shape, const std::vector<const Json*>& elements) {
  std::string bytes;
  for (const Json* one : elements) {
    const T element = ElementOf<T>(*one);
    bytes.append(reinterpret_cast<const char*>(&element), sizeof(T));
  }
  return Tensor::FromBytes(kDTypeOf<T>, shape, std::as_bytes(std::span(bytes))).value();
}

Tensor Texts(const Shape& shape, const std::vector<const Json*>& elements) {
  std::vector<std::string> texts;
  for (const Json* one : elements) texts.push_back(one->get<std::string>());
  return Tensor::FromStrings(shape, texts).value();
}

// Calls `call` with an element of the type that `dtype` is.
template <class Call>
auto ForType(DType dtype, const Call& call) {
  switch (dtype) {
    case DType::kFloat32:
      return call(float());
    case DType::kFloat64:
      return call(double());
    case DType::kInt32:
      return call(int32_t());
    case DType::kInt64:
      return call(int64_t());
    case DType::kUint8:
      return call(uint8_t());
    case DType::kBool:
      return call(bool());
    case DType::kFloat16:
      return call(Float16());
    case DType::kBfloat16:
      return call(BFloat16());
    default:
      throw std::runtime_error("no script uses " + std::string(DTypeName(dtype)));
  }
}

Json JsonOf(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kString) return Json(std::string(tensor.StringAt(i).value()));
  return ForType(tensor.dtype(), [&](auto element) {
    std::memcpy(&element, tensor.buffer().data() + static_cast<size_t>(i) * sizeof(element), sizeof(element));
    if constexpr (requires { element.ToFloat(); }) {
      return Json(element.ToFloat());
    } else {
      return Json(element);
    }
  });
}

Json Nested(const Tensor& tensor, int dimension, int64_t& next) {
  if (dimension == tensor.shape().rank()) return JsonOf(tensor, next++);
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.shape().dim(dimension); ++i)
    list.push_back(Nested(tensor, dimension + 1, next));
  return list;
}

}  // namespace

Tensor TensorFromJson(const Json& value, DType dtype, const std::optional<Shape>& shape) {
  const Shape own = shape ? *shape : ShapeOf(value);
  std::vector<const Json*> elements;
  Flatten(value, elements);
  if (dtype == DType::kString) return Texts(own, elements);
  return ForType(dtype, [&](auto element) { return Numbers<decltype(element)>(own, elements); });
}

Json JsonFromTensor(const Tensor& tensor) {
  int64_t next = 0;
  return Nested(tensor, 0, next);
}

}  // namespace savedmodel::testing
