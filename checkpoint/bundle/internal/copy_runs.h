// Which stretches of one box of elements go where in another: the common part of a stored and a wanted slice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "savedmodel/base/shape.h"
#include "savedmodel/base/tensor_slice.h"

namespace savedmodel::internal {

// A slice with every extent spelled out; lengths may be 0. Inside its shape.
struct Box {
  std::vector<int64_t> start;
  std::vector<int64_t> length;
  int64_t num_elements() const;
};

// `slice` must lie within `shape`.
Box MakeBox(const TensorSlice& slice, const Shape& shape);
// Nothing when they have no element in common.
std::optional<Box> Intersect(const Box& a, const Box& b);

// Equally long runs of elements, in ascending order of place on both sides. Units are elements, or bytes once
// scaled.
class CopyRuns {
 public:
  struct Run {
    uint64_t from = 0;
    uint64_t to = 0;
  };

  // One run of `count`, from the start of one side to the start of the other.
  static CopyRuns Whole(uint64_t count);
  // Runs that copy what `from` and `to` have in common, each side packed row-major as its box; nothing when
  // that is empty.
  static std::optional<CopyRuns> Between(const Box& from, const Box& to);

  // The same with each element `size` units wide.
  CopyRuns Scaled(uint64_t size) const;

  uint64_t run_length() const { return length_; }
  uint64_t run_count() const { return count_; }
  uint64_t total() const { return length_ * count_; }
  Run run(uint64_t i) const;
  // The first run that ends behind `from`; run_count() when there is none.
  uint64_t FirstBehind(uint64_t from) const;
  // The places of the source between which all runs lie.
  uint64_t from_begin() const { return base_.from; }
  uint64_t from_end() const { return run(count_ - 1).from + length_; }

 private:
  struct Loop {
    uint64_t count = 0;
    Run step;
  };

  uint64_t length_ = 0;
  uint64_t count_ = 1;
  Run base_;
  std::vector<Loop> loops_;  // outermost first, each with count > 1
};

}  // namespace savedmodel::internal
