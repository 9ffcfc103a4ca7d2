// Gives loaded objects their children. Cannot fail: everything was checked before.
#pragma once

#include <memory>
#include <vector>

#include "savedmodel/object_graph/paths.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/saved_model/internal/bindings.h"

namespace savedmodel::internal {

// Wires the selected nodes' edges and returns handles by node id. New objects that form a cycle are owned
// together: a handle to one keeps all of them, edges among them do not own, so the cycle frees itself. Edges
// from a cycle back to an object of the caller's do not own it either.
std::vector<std::shared_ptr<Trackable>> Wire(const ObjectGraph& graph, const SelectedNodes& selected,
                                             const Bindings& bindings, const ShortestPaths& paths,
                                             std::vector<std::shared_ptr<Trackable>> objects);

// The root of the result: node 0 when it is selected, else a new object under which every requested node
// stands at its path. Components before it that are selected too are the real objects; others are empty ones.
std::shared_ptr<Trackable> MakeRoot(const ObjectGraph& graph, const SelectedNodes& selected,
                                    const std::vector<std::shared_ptr<Trackable>>& handles);

}  // namespace savedmodel::internal
