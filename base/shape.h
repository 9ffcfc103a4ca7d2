// Sizes of a tensor's dimensions: Shape when all are known, PartialShape when some (or their number) are not.
//
// Limits are TensorFlow's: at most 254 dimensions, each >= 0, their product fits int64 (checkpoint/bundle/FORMAT.md).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel {

class Shape {
 public:
  static constexpr int kMaxRank = 254;

  Shape() = default;  // a scalar
  // Errors: InvalidArgument (rank, a negative size, or a product over int64).
  static StatusOr<Shape> Make(std::span<const int64_t> dims);
  // For literals known to be valid; an invalid list gives a scalar.
  Shape(std::initializer_list<int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dims() const& { return dims_; }
  std::span<const int64_t> dims() const&& = delete;
  int64_t num_elements() const { return num_elements_; }  // 1 for a scalar
  std::string ToString() const;                           // "[2,3]", "[]"

  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> dims_;
  int64_t num_elements_ = 1;
};

class PartialShape {
 public:
  static constexpr int64_t kUnknown = -1;

  PartialShape() = default;          // unknown rank
  PartialShape(const Shape& shape);  // NOLINT: every shape is a partial one
  // Sizes >= -1; -1 is unknown. Errors: InvalidArgument.
  static StatusOr<PartialShape> Make(std::span<const int64_t> dims);

  bool unknown_rank() const { return !dims_.has_value(); }
  int rank() const { return dims_ ? static_cast<int>(dims_->size()) : -1; }
  int64_t dim(int i) const { return (*dims_)[static_cast<size_t>(i)]; }
  // True when `shape` has this rank and every known size.
  bool IsCompatibleWith(const Shape& shape) const;
  bool IsCompatibleWith(const PartialShape& other) const;
  std::optional<Shape> ToShape() const;  // when everything is known
  std::string ToString() const;          // "[?,3]", "<unknown>"

  bool operator==(const PartialShape&) const = default;

 private:
  std::optional<std::vector<int64_t>> dims_;
};

}  // namespace savedmodel
