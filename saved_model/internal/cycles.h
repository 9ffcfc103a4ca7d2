// Which nodes of a graph form cycles together.
#pragma once

#include <functional>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel::internal {

// By node id: a number that two nodes share exactly when each is reached from the other through wanted nodes;
// -1 for nodes that are not wanted. Cost: nodes + edges; does not recurse.
std::vector<int32_t> StronglyConnectedComponents(const ObjectGraph& graph,
                                                 const std::function<bool(NodeId)>& wanted);

}  // namespace savedmodel::internal
