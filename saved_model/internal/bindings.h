// Which objects of the caller's stand in for which nodes, checked before anything is changed.
#pragma once

#include <memory>
#include <unordered_map>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/object_graph/selection.h"

namespace savedmodel::internal {

struct Binding {
  std::shared_ptr<Trackable> object;
  BindMode mode = BindMode::kTree;  // kTree or kNode
};
using Bindings = std::unordered_map<NodeId, Binding>;

// The objects bound by the selection, and those below them: under kTree every child that the object has
// already, under kNode its lists, dicts and tuples only (TensorFlow's rule).
// Errors: InvalidArgument (an object whose kind does not fit its node); FailedPrecondition (one node reached
// with two objects, one object reached for two nodes).
StatusOr<Bindings> Bind(const ObjectGraph& graph, const SelectedNodes& selected, const NodeNames& names);

}  // namespace savedmodel::internal
