#include "savedmodel/checkpoint/bundle/internal/copy_runs.h"

#include <algorithm>
#include <cstddef>

namespace savedmodel::internal {
namespace {

// Elements between neighbours along each dimension of a packed box.
std::vector<uint64_t> Strides(const Box& box) {
  std::vector<uint64_t> strides(box.length.size());
  uint64_t stride = 1;
  for (size_t i = box.length.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= static_cast<uint64_t>(box.length[i]);
  }
  return strides;
}

}  // namespace

int64_t Box::num_elements() const {
  int64_t count = 1;
  for (int64_t l : length) count *= l;
  return count;
}

Box MakeBox(const TensorSlice& slice, const Shape& shape) {
  Box box;
  for (int i = 0; i < shape.rank(); ++i) {
    const TensorSlice::Extent& extent = slice.extent(i);
    box.start.push_back(extent.start);
    box.length.push_back(extent.whole() ? shape.dim(i) : extent.length);
  }
  return box;
}

std::optional<Box> Intersect(const Box& a, const Box& b) {
  Box common = a;
  for (size_t i = 0; i < a.start.size(); ++i) {
    common.start[i] = std::max(a.start[i], b.start[i]);
    common.length[i] = std::min(a.start[i] + a.length[i], b.start[i] + b.length[i]) - common.start[i];
    if (common.length[i] <= 0) return std::nullopt;
  }
  return common;
}

CopyRuns CopyRuns::Whole(uint64_t count) {
  CopyRuns runs;
  runs.length_ = count;
  return runs;
}

std::optional<CopyRuns> CopyRuns::Between(const Box& from, const Box& to) {
  const std::optional<Box> common = Intersect(from, to);
  if (!common) return std::nullopt;
  const std::vector<uint64_t> from_strides = Strides(from);
  const std::vector<uint64_t> to_strides = Strides(to);
  CopyRuns runs = Whole(1);
  bool contiguous = true;  // so far, from the innermost dimension out
  for (size_t i = from.length.size(); i-- > 0;) {
    const auto count = static_cast<uint64_t>(common->length[i]);
    runs.base_.from += static_cast<uint64_t>(common->start[i] - from.start[i]) * from_strides[i];
    runs.base_.to += static_cast<uint64_t>(common->start[i] - to.start[i]) * to_strides[i];
    if (contiguous) {
      runs.length_ *= count;
    } else if (count > 1) {
      runs.loops_.push_back({count, {from_strides[i], to_strides[i]}});
      runs.count_ *= count;
    }
    contiguous = contiguous && common->length[i] == from.length[i] && common->length[i] == to.length[i];
  }
  std::reverse(runs.loops_.begin(), runs.loops_.end());
  return runs;
}

CopyRuns CopyRuns::Scaled(uint64_t size) const {
  CopyRuns scaled = *this;
  scaled.length_ *= size;
  scaled.base_ = {base_.from * size, base_.to * size};
  for (Loop& loop : scaled.loops_) loop.step = {loop.step.from * size, loop.step.to * size};
  return scaled;
}

CopyRuns::Run CopyRuns::run(uint64_t i) const {
  Run run = base_;
  for (size_t l = loops_.size(); l-- > 0;) {
    const Loop& loop = loops_[l];
    const uint64_t at = i % loop.count;
    run.from += at * loop.step.from;
    run.to += at * loop.step.to;
    i /= loop.count;
  }
  return run;
}

uint64_t CopyRuns::FirstBehind(uint64_t from) const {
  uint64_t low = 0;
  uint64_t high = count_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (run(middle).from + length_ > from) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace savedmodel::internal
