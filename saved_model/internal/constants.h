// Values of Const nodes in a MetaGraph's graph.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::internal {

// The value of an encoded Const NodeDef. Errors: DataLoss (cannot be parsed, no value, a value that cannot be
// what it claims), Unimplemented (its dtype), ResourceExhausted.
StatusOr<Tensor> ReadConstNode(std::string_view node_def, std::string_view file, std::string_view name);

// The checkpoint's object graph from the constant that TensorFlow 2 saves it from: the largest scalar string
// constant of the graph that reads as one. Errors: NotFound (there is none).
StatusOr<ObjectGraph> ObjectGraphFromConstants(const MetaGraphIndex& meta_graph, std::string_view file);

}  // namespace savedmodel::internal
