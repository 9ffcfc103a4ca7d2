// Objects of the caller's that hang below bound ones, keep values, and are nothing in the model: they get none.
#pragma once

#include <vector>

#include "savedmodel/checkpoint/leftovers.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/saved_model/internal/bindings.h"

namespace savedmodel::internal {

// In the order of the nodes that lead to them, each once.
std::vector<UnrestoredObject> UnmatchedObjects(const ObjectGraph& graph, const Bindings& bindings,
                                               const NodeNames& names);

}  // namespace savedmodel::internal
