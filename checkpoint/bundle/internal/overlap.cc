#include "savedmodel/checkpoint/bundle/internal/overlap.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "savedmodel/base/internal/error.h"

namespace savedmodel::internal {
namespace {

// Comparisons of extents; far above what any real partitioning needs.
constexpr uint64_t kMaxComparisons = uint64_t{1} << 26;

bool Meet(const Box& a, const Box& b) {
  for (size_t i = 0; i < a.start.size(); ++i) {
    if (a.start[i] >= b.start[i] + b.length[i] || b.start[i] >= a.start[i] + a.length[i]) return false;
  }
  return true;
}

size_t DistinctStarts(std::span<const Box> boxes, size_t dim) {
  std::vector<int64_t> starts;
  for (const Box& box : boxes) starts.push_back(box.start[dim]);
  std::sort(starts.begin(), starts.end());
  return static_cast<size_t>(std::unique(starts.begin(), starts.end()) - starts.begin());
}

// The dimension that tells most boxes apart.
size_t SweepDimension(std::span<const Box> boxes) {
  size_t best = 0;
  size_t most = 0;
  for (size_t dim = 0; dim < boxes.front().start.size(); ++dim) {
    const size_t distinct = DistinctStarts(boxes, dim);
    if (distinct > most) best = dim, most = distinct;
    if (distinct == boxes.size()) break;
  }
  return best;
}

}  // namespace

// Sweeps along one dimension; only boxes that reach over the current start are compared.
StatusOr<std::optional<std::pair<size_t, size_t>>> FindOverlap(std::span<const Box> boxes) {
  std::optional<std::pair<size_t, size_t>> none;
  if (boxes.size() < 2) return none;
  const size_t dim = SweepDimension(boxes);
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return boxes[a].start[dim] < boxes[b].start[dim]; });
  std::vector<size_t> open;
  uint64_t comparisons = 0;
  for (size_t i : order) {
    std::erase_if(
        open, [&](size_t o) { return boxes[o].start[dim] + boxes[o].length[dim] <= boxes[i].start[dim]; });
    comparisons += open.size() * boxes[i].start.size();
    if (comparisons > kMaxComparisons) {
      return Error(StatusCode::kResourceExhausted, "too many slices to tell whether they overlap").ToStatus();
    }
    for (size_t o : open) {
      if (Meet(boxes[o], boxes[i])) return std::optional(std::pair(std::min(o, i), std::max(o, i)));
    }
    open.push_back(i);
  }
  return none;
}

}  // namespace savedmodel::internal
