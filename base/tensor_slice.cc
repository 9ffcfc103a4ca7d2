#include "savedmodel/base/tensor_slice.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel {
namespace {

using internal::Error;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string Show(std::string_view text) { return "\"" + internal::Printable(text) + "\""; }

Status BadText(std::string what, std::string_view text) {
  return Error(StatusCode::kInvalidArgument, std::move(what)).Found(Show(text)).ToStatus();
}

// All of `text` as a decimal number of an int64, without sign but '-'.
std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The pieces of `text` between separators: one more than there are separators.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Show(const TensorSlice::Extent& extent) {
  return extent.whole() ? "-" : std::to_string(extent.start) + "," + std::to_string(extent.length);
}

bool IsValid(const TensorSlice::Extent& extent) {
  if (extent.whole()) return extent.start == 0;
  return extent.start >= 0 && extent.length > 0 && extent.length <= kMax - extent.start;
}

StatusOr<TensorSlice::Extent> ParseExtent(std::string_view text) {
  if (text == "-") return TensorSlice::All();
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return BadText("a slice's extent is neither \"-\" nor \"start,length\"", text);
  const auto start = ParseNumber(text.substr(0, comma));
  const auto length = ParseNumber(text.substr(comma + 1));
  if (!start || !length) return BadText("a slice's extent is not made of two numbers", text);
  const TensorSlice::Extent extent{*start, *length};
  if (extent.whole() || !IsValid(extent)) {
    return BadText("a slice's extent needs a start of at least 0 and a length of at least 1", text);
  }
  return extent;
}

StatusOr<Shape> ParseDimensions(std::span<const std::string_view> tokens, std::string_view text) {
  std::vector<int64_t> dims;
  for (std::string_view token : tokens) {
    const auto dim = ParseNumber(token);
    if (!dim || *dim < 0) return BadText("a dimension in a shape and slice string is not a size", text);
    dims.push_back(*dim);
  }
  return Shape::Make(dims);
}

Status OtherRank(const TensorSlice& slice, const Shape& shape) {
  return Error(StatusCode::kInvalidArgument, "a slice has another number of dimensions than its tensor")
      .Expected(shape.ToString())
      .Found(Show(slice.ToString()))
      .ToStatus();
}

}  // namespace

TensorSlice TensorSlice::Full(int rank) {
  TensorSlice slice;
  slice.extents_.resize(static_cast<size_t>(std::clamp(rank, 0, Shape::kMaxRank)));
  return slice;
}

StatusOr<TensorSlice> TensorSlice::Make(std::span<const Extent> extents) {
  if (extents.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return Error(StatusCode::kInvalidArgument, "a slice has too many dimensions")
        .Expected("at most " + std::to_string(Shape::kMaxRank))
        .Found(std::to_string(extents.size()))
        .ToStatus();
  }
  for (const Extent& extent : extents) {
    if (!IsValid(extent)) return BadText("a slice's extent is not inside any dimension", Show(extent));
  }
  TensorSlice slice;
  slice.extents_.assign(extents.begin(), extents.end());
  return slice;
}

StatusOr<TensorSlice> TensorSlice::Make(std::initializer_list<Extent> extents) {
  return Make(std::span(extents.begin(), extents.size()));
}

StatusOr<TensorSlice> TensorSlice::Rows(int64_t begin, int64_t count, int rank) {
  if (rank < 1) return Error(StatusCode::kInvalidArgument, "a scalar has no rows").ToStatus();
  if (count < 1) {
    return Error(StatusCode::kInvalidArgument, "a range of rows is empty")
        .Found(std::to_string(count))
        .ToStatus();
  }
  std::vector<Extent> extents(static_cast<size_t>(rank));
  extents[0] = {begin, count};
  return Make(extents);
}

StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  if (text.empty()) return TensorSlice();
  std::vector<Extent> extents;
  for (std::string_view part : Split(text, ':')) {
    SAVEDMODEL_ASSIGN_OR_RETURN(extents.emplace_back(), ParseExtent(part));
  }
  return Make(extents);
}

bool TensorSlice::IsFull() const {
  return std::all_of(extents_.begin(), extents_.end(), [](const Extent& extent) { return extent.whole(); });
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Extent& extent : extents_) {
    if (!text.empty()) text += ':';
    text += Show(extent);
  }
  return text;
}

StatusOr<TensorSlice> TensorSlice::ResolvedWithin(const Shape& shape) const {
  if (rank() != shape.rank()) return OtherRank(*this, shape);
  TensorSlice resolved = *this;
  for (int i = 0; i < rank(); ++i) {
    Extent& extent = resolved.extents_[static_cast<size_t>(i)];
    if (extent.whole()) {
      if (shape.dim(i) > 0) extent.length = shape.dim(i);
    } else if (extent.length > shape.dim(i) || extent.start > shape.dim(i) - extent.length) {
      return Error(StatusCode::kOutOfRange, "a slice leaves its tensor in dimension " + std::to_string(i))
          .Expected("inside " + shape.ToString())
          .Found(Show(ToString()))
          .ToStatus();
    }
  }
  return resolved;
}

StatusOr<Shape> TensorSlice::ShapeWithin(const Shape& shape) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const TensorSlice resolved, ResolvedWithin(shape));
  std::vector<int64_t> dims;
  for (const Extent& extent : resolved.extents_) dims.push_back(extent.whole() ? 0 : extent.length);
  return Shape::Make(dims);
}

std::optional<TensorSlice> TensorSlice::Intersect(const TensorSlice& other) const {
  if (rank() != other.rank()) return std::nullopt;
  TensorSlice common = *this;
  for (size_t i = 0; i < extents_.size(); ++i) {
    Extent& extent = common.extents_[i];
    const Extent& with = other.extents_[i];
    if (with.whole()) continue;
    if (extent.whole()) {
      extent = with;
      continue;
    }
    const int64_t end = std::min(extent.start + extent.length, with.start + with.length);
    extent.start = std::max(extent.start, with.start);
    if (end <= extent.start) return std::nullopt;
    extent.length = end - extent.start;
  }
  return common;
}

StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text) {
  if (text.empty()) return ShapeAndSlice();
  const std::vector<std::string_view> tokens = Split(text, ' ');
  if (tokens.size() < 2) return BadText("a shape and slice string needs a shape and a slice", text);
  ShapeAndSlice result;
  SAVEDMODEL_ASSIGN_OR_RETURN(result.full_shape,
                              ParseDimensions(std::span(tokens).first(tokens.size() - 1), text));
  SAVEDMODEL_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(tokens.back()));
  SAVEDMODEL_ASSIGN_OR_RETURN(result.slice_shape, result.slice.ShapeWithin(*result.full_shape));
  return result;
}

}  // namespace savedmodel
