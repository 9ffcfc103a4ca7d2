// Which edges of a node can be addressed: the first under each name.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel::internal {

// Calls `visit(index, edge)` for the first edge of every name, in order. Cost: the edges.
template <class F>
void ForEachFirstEdge(const std::vector<Edge>& edges, const F& visit) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (seen.insert(edges[i].name).second) visit(i, edges[i]);
  }
}

}  // namespace savedmodel::internal
