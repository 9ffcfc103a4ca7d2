// Reads the object graph of a SavedModel (SavedObjectGraph) into the value.
#pragma once

#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

struct MetaGraphIndex;  // proto/wire_index.h

// Reads every node; of the concrete functions only which nodes they capture, so no function body and no
// signature is parsed. Dependencies hold the file's own list, the captures of a node's functions and a
// resource's creating function.
// Errors: DataLoss (a node that cannot be parsed; a node, asset or function reference out of range);
// ResourceExhausted (functions that capture too many nodes together).
StatusOr<ObjectGraph> ReadSavedObjectGraph(const MetaGraphIndex& meta_graph, std::string_view file);

}  // namespace savedmodel
