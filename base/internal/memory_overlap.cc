#include "savedmodel/base/internal/memory_overlap.h"

#include <algorithm>
#include <vector>

namespace savedmodel::internal {

// Of ranges in order of their begin, one that shares a byte with any later one shares it with the next.
std::optional<std::pair<size_t, size_t>> FindSharedMemory(std::span<const MemoryRange> ranges) {
  std::vector<size_t> order;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i].end) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return ranges[a].begin < ranges[b].begin; });
  for (size_t k = 1; k < order.size(); ++k) {
    const size_t a = order[k - 1], b = order[k];
    if (ranges[b].begin < ranges[a].end) return std::pair(std::min(a, b), std::max(a, b));
  }
  return std::nullopt;
}

}  // namespace savedmodel::internal
