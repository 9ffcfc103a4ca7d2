#include "savedmodel/tools/value_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/tools/base64.h"
#include "savedmodel/tools/json_writer.h"
#include "savedmodel/tools/small_float.h"
#include "savedmodel/tools/sub_byte.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

// Lists that a tensor without elements may have.
constexpr int64_t kMaxEmptyLists = 1'000'000;

template <class T>
T ElementAt(const Tensor& tensor, int64_t i) {
  T value;
  std::memcpy(&value, tensor.buffer().data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::string NumberText(T value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

template <class T>
std::string FloatText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  // "-0" would be read as an integer, which has no sign there.
  return value == 0 && std::signbit(value) ? "-0.0" : NumberText(value);
}

// Text as it stands in JSON: what is no JSON number is a string.
std::string ForJson(std::string number) {
  const char last = number.back();
  return last == 'N' || last == 'y' ? "\"" + number + "\"" : number;
}

std::string Quoted(std::string_view bytes) {
  std::string text = "\"";
  for (char c : internal::Printable(bytes)) text += c == '"' ? std::string("\\\"") : std::string(1, c);
  return text + "\"";
}

template <class T>
std::string ComplexText(const Tensor& tensor, int64_t i, ValueStyle style) {
  const T re = ElementAt<T>(tensor, 2 * i), im = ElementAt<T>(tensor, 2 * i + 1);
  if (style == ValueStyle::kJson) return "[" + ForJson(FloatText(re)) + "," + ForJson(FloatText(im)) + "]";
  const std::string imaginary = FloatText(im);
  return FloatText(re) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
}

std::string SmallFloatText(const Tensor& tensor, int64_t i) {
  const bool wide = DTypeSize(tensor.dtype()) == 2;
  const uint32_t bits = wide ? ElementAt<uint16_t>(tensor, i) : ElementAt<uint8_t>(tensor, i);
  return ShortestText(*SmallFloatOf(tensor.dtype()), bits);
}

std::string BytesText(const Tensor& tensor, int64_t i, ValueStyle style) {
  const std::string_view bytes = tensor.StringAt(i).value_or(std::string_view());
  if (style == ValueStyle::kText) return Quoted(bytes);
  const bool as_text = tensor.dtype() == DType::kString && internal::IsValidUtf8(bytes);
  return as_text ? JsonString(bytes) : "{\"b64\":\"" + Base64(bytes) + "\"}";
}

std::string IntegerText(const Tensor& tensor, int64_t i) {
  if (const std::optional<SubByte> type = SubByteOf(tensor.dtype())) {
    return std::to_string(type->ValueOf(ElementAt<uint8_t>(tensor, i)));
  }
  switch (tensor.dtype()) {
    case DType::kInt8:
    case DType::kQint8:
      return std::to_string(ElementAt<int8_t>(tensor, i));
    case DType::kUint8:
    case DType::kQuint8:
      return std::to_string(ElementAt<uint8_t>(tensor, i));
    case DType::kInt16:
    case DType::kQint16:
      return std::to_string(ElementAt<int16_t>(tensor, i));
    case DType::kUint16:
    case DType::kQuint16:
      return std::to_string(ElementAt<uint16_t>(tensor, i));
    case DType::kInt32:
    case DType::kQint32:
      return std::to_string(ElementAt<int32_t>(tensor, i));
    case DType::kUint32:
      return std::to_string(ElementAt<uint32_t>(tensor, i));
    case DType::kInt64:
      return std::to_string(ElementAt<int64_t>(tensor, i));
    case DType::kUint64:
      return std::to_string(ElementAt<uint64_t>(tensor, i));
    default:
      return {};
  }
}

std::string ElementText(const Tensor& tensor, int64_t i, ValueStyle style) {
  const auto number = [style](std::string text) {
    return style == ValueStyle::kJson ? ForJson(std::move(text)) : text;
  };
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return number(FloatText(ElementAt<float>(tensor, i)));
    case DType::kFloat64:
      return number(FloatText(ElementAt<double>(tensor, i)));
    case DType::kComplex64:
      return ComplexText<float>(tensor, i, style);
    case DType::kComplex128:
      return ComplexText<double>(tensor, i, style);
    case DType::kBool:
      return ElementAt<uint8_t>(tensor, i) != 0 ? "true" : "false";
    case DType::kString:
    case DType::kVariant:
      return BytesText(tensor, i, style);
    default:
      return SmallFloatOf(tensor.dtype()) ? number(SmallFloatText(tensor, i)) : IntegerText(tensor, i);
  }
}

// Walks the lists of a shape without recursion: a position in each dimension.
class ListWalk {
 public:
  ListWalk(const Tensor& tensor, ValueStyle style, Output& out) : tensor_(tensor), style_(style), out_(out) {}

  void Run() {
    const auto rank = static_cast<size_t>(tensor_.shape().rank());
    if (rank == 0) {
      out_ << ElementText(tensor_, 0, style_);
      return;
    }
    Open();
    while (!at_.empty() && out_.wanted()) {
      if (at_.back() == tensor_.shape().dim(static_cast<int>(at_.size()) - 1)) {
        Close();
        continue;
      }
      if (at_.back() > 0) Separate();
      ++at_.back();
      if (at_.size() < rank) {
        Open();
      } else {
        out_ << ElementText(tensor_, element_++, style_);
      }
    }
  }

 private:
  void Open() {
    out_ << '[';
    at_.push_back(0);
  }
  void Close() {
    out_ << ']';
    at_.pop_back();
  }
  // Text puts lists on lines of their own, under the bracket that holds them.
  void Separate() {
    out_ << ',';
    if (style_ == ValueStyle::kJson) return;
    const auto rank = static_cast<size_t>(tensor_.shape().rank());
    if (at_.size() == rank) {
      out_ << ' ';
    } else {
      out_ << '\n' << std::string(at_.size(), ' ');
    }
  }

  const Tensor& tensor_;
  ValueStyle style_;
  Output& out_;
  std::vector<int64_t> at_;  // by open dimension: lists or elements begun in it
  int64_t element_ = 0;
};

}  // namespace

Status CheckWritable(const Tensor& tensor) {
  const bool has_text = IsStorable(tensor.dtype());
  if (!has_text) {
    return Error(StatusCode::kUnimplemented, "elements of this dtype have no text")
        .Found(std::string(DTypeName(tensor.dtype())));
  }
  int64_t lists = 1;
  for (int i = 0; i < tensor.shape().rank() && tensor.num_elements() == 0 && tensor.shape().dim(i) > 0; ++i) {
    if (__builtin_mul_overflow(lists, tensor.shape().dim(i), &lists) || lists > kMaxEmptyLists) {
      return Error(StatusCode::kResourceExhausted,
                   "a tensor without elements has too many empty lists to write")
          .Expected("at most " + std::to_string(kMaxEmptyLists))
          .Found(tensor.shape().ToString());
    }
  }
  return OkStatus();
}

void WriteValues(const Tensor& tensor, ValueStyle style, Output& out) { ListWalk(tensor, style, out).Run(); }

}  // namespace savedmodel::tools
