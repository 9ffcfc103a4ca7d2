// A box inside a tensor, as partitioned variables are stored and as parts of a tensor are asked for.
//
//   TensorSlice rows = *TensorSlice::Rows(10, 5, shape.rank());  // rows 10..14, all of the other dimensions
//   TensorSlice box = *TensorSlice::Make({{0, 2}, TensorSlice::All()});
//   auto spec = ParseShapeAndSlice("5 10 -:0,1");                // column 0 of a [5,10] tensor
//
// Thread-safety: a value; const methods may run concurrently.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"

namespace savedmodel {

class TensorSlice {
 public:
  static constexpr int64_t kWholeDimension = -1;

  // [start, start + length) of one dimension, or all of it when `length` is kWholeDimension (and `start` 0).
  struct Extent {
    int64_t start = 0;
    int64_t length = kWholeDimension;
    bool whole() const { return length == kWholeDimension; }
    bool operator==(const Extent&) const = default;
  };

  TensorSlice() = default;  // of a scalar
  static Extent All() { return {}; }
  // All of a tensor of `rank` dimensions. A rank outside 0..Shape::kMaxRank is taken as the nearest inside.
  static TensorSlice Full(int rank);
  // Errors: InvalidArgument (too many dimensions, a negative start, a length that is neither kWholeDimension
  // nor > 0, start + length over int64).
  static StatusOr<TensorSlice> Make(std::span<const Extent> extents);
  static StatusOr<TensorSlice> Make(std::initializer_list<Extent> extents);
  // Rows [begin, begin + count) of dimension 0 and all of the others. Errors: InvalidArgument (rank < 1, as
  // Make).
  static StatusOr<TensorSlice> Rows(int64_t begin, int64_t count, int rank);
  // "-:0,1": one extent per dimension, each "-" or "start,length". Errors: InvalidArgument.
  static StatusOr<TensorSlice> Parse(std::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int i) const { return extents_[static_cast<size_t>(i)]; }
  std::span<const Extent> extents() const& { return extents_; }
  std::span<const Extent> extents() const&& = delete;
  // True when every extent is a whole dimension.
  bool IsFull() const;
  std::string ToString() const;  // as Parse reads it; "" for a scalar

  // The shape of this part of a tensor of `shape`. Errors: InvalidArgument (other rank), OutOfRange (leaves
  // the shape).
  StatusOr<Shape> ShapeWithin(const Shape& shape) const;
  // This slice with every whole dimension spelled out as [0, size). Errors: as ShapeWithin. Dimensions of
  // size 0 stay whole.
  StatusOr<TensorSlice> ResolvedWithin(const Shape& shape) const;
  // The common part; nothing when there is none or the ranks differ.
  std::optional<TensorSlice> Intersect(const TensorSlice& other) const;

  bool operator==(const TensorSlice&) const = default;

 private:
  std::vector<Extent> extents_;
};

// What a TensorFlow `shape_and_slice` string says: the full tensor's shape and the part that is meant.
struct ShapeAndSlice {
  std::optional<Shape> full_shape;  // nothing: the string was empty, the whole tensor whatever its shape
  TensorSlice slice;
  Shape slice_shape;
};

// "" or "DIM DIM ... SLICE" with single spaces, SLICE as TensorSlice::Parse reads it: "5 10 -:0,1".
// Errors: InvalidArgument (malformed, a negative size, ranks differ), OutOfRange (the slice leaves the
// shape).
StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text);

}  // namespace savedmodel
