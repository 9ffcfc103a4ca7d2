#include "savedmodel/base/shape.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;

// Names the dimensions one after another; `dims` may be longer than a shape can be.
std::string DimsText(std::span<const int64_t> dims) {
  constexpr size_t kShown = Shape::kMaxRank;
  std::string out = "[";
  for (size_t i = 0; i < dims.size() && i < kShown; ++i) {
    if (i > 0) out += ",";
    out += dims[i] == PartialShape::kUnknown ? "?" : std::to_string(dims[i]);
  }
  return out + (dims.size() > kShown ? ",...]" : "]");
}

Status CheckRank(std::span<const int64_t> dims) {
  if (dims.size() <= static_cast<size_t>(Shape::kMaxRank)) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "shape has too many dimensions")
      .Expected("at most " + std::to_string(Shape::kMaxRank))
      .Found(std::to_string(dims.size()));
}

Status CheckSizes(std::span<const int64_t> dims, int64_t smallest) {
  for (int64_t dim : dims) {
    if (dim < smallest)
      return Error(StatusCode::kInvalidArgument, "shape has a negative size").Found(std::to_string(dim));
  }
  return OkStatus();
}

// Multiplies known sizes from the first to the last, as TensorFlow does: [0,2^40,2^40] passes, [2^40,2^40,0]
// does not.
StatusOr<int64_t> Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim == PartialShape::kUnknown) continue;
    if (__builtin_mul_overflow(product, dim, &product)) {
      return Error(StatusCode::kInvalidArgument, "shape has more elements than 64 bits can count")
          .Found(DimsText(dims));
    }
  }
  return product;
}

bool Compatible(int64_t a, int64_t b) {
  return a == b || a == PartialShape::kUnknown || b == PartialShape::kUnknown;
}

}  // namespace

StatusOr<Shape> Shape::Make(std::span<const int64_t> dims) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckRank(dims));
  SAVEDMODEL_RETURN_IF_ERROR(CheckSizes(dims, 0));
  SAVEDMODEL_ASSIGN_OR_RETURN(const int64_t num_elements, Product(dims));
  Shape shape;
  shape.dims_.assign(dims.begin(), dims.end());
  shape.num_elements_ = num_elements;
  return shape;
}

Shape::Shape(std::initializer_list<int64_t> dims) {
  if (auto made = Make(std::span(dims.begin(), dims.size())); made.ok()) *this = *std::move(made);
}

std::string Shape::ToString() const { return DimsText(dims_); }

PartialShape::PartialShape(const Shape& shape)
    : dims_(std::in_place, shape.dims().begin(), shape.dims().end()) {}

StatusOr<PartialShape> PartialShape::Make(std::span<const int64_t> dims) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckRank(dims));
  SAVEDMODEL_RETURN_IF_ERROR(CheckSizes(dims, kUnknown));
  SAVEDMODEL_RETURN_IF_ERROR(Product(dims).status());
  PartialShape shape;
  shape.dims_.emplace(dims.begin(), dims.end());
  return shape;
}

bool PartialShape::IsCompatibleWith(const Shape& shape) const {
  if (unknown_rank()) return true;
  return std::ranges::equal(*dims_, shape.dims(), Compatible);
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (unknown_rank() || other.unknown_rank()) return true;
  if (rank() != other.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (!Compatible(dim(i), other.dim(i))) return false;
  }
  return true;
}

std::optional<Shape> PartialShape::ToShape() const {
  if (unknown_rank()) return std::nullopt;
  auto shape = Shape::Make(*dims_);  // an unknown size is negative and so refused
  if (!shape.ok()) return std::nullopt;
  return *std::move(shape);
}

std::string PartialShape::ToString() const { return unknown_rank() ? "<unknown>" : DimsText(*dims_); }

}  // namespace savedmodel
