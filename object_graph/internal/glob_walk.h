// Which nodes of a graph a pattern leads to.
#pragma once

#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/glob.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel::internal {

struct GlobMatch {
  NodeId id = 0;
  NodePath path = {};  // the shortest that matches; of equal length the first in the order of edges
};

// Every node that some path matching `glob` leads to, once, in order of those paths. Walks cycles and ends: a
// node is entered at most once for every component of the pattern. Cost: edges x components of the pattern,
// at most, and the paths found. Errors: ResourceExhausted (more than a few seconds' work, or paths too long
// together: the graph is made to be deep).
StatusOr<std::vector<GlobMatch>> WalkGlob(const ObjectGraph& graph, const Glob& glob);

}  // namespace savedmodel::internal
