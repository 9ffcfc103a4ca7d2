// Which edges of a node can be addressed: the first under each name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// Calls `visit(index, edge)` for the first edge of every name, in order. Cost: the edges.
template <class F>
void ForEachFirstEdge(const std::vector<Edge>& edges, const F& visit) {
  constexpr size_t kFewEdges = 8;  // up to which comparing all is faster than hashing
  if (edges.size() <= kFewEdges) {
    for (size_t i = 0; i < edges.size(); ++i) {
      const auto here = edges.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::none_of(edges.begin(), here, [&](const Edge& e) { return e.name == edges[i].name; }))
        visit(i, edges[i]);
    }
    return;
  }
  std::unordered_set<std::string_view> seen;
  seen.reserve(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (seen.insert(edges[i].name).second) visit(i, edges[i]);
  }
}

}  // namespace savedmodel
