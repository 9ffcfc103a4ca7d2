// Makes a live object for every selected node that no object of the caller's stands in for.
#pragma once

#include <memory>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/saved_model/internal/bindings.h"
#include "savedmodel/saved_model/internal/model.h"

namespace savedmodel::internal {

// By node id: the bound object, a new one, or null for nodes that are not selected. No edge is made and no
// value read.
// Errors: DataLoss (an asset's name that leaves the assets directory), Unimplemented (a variable's dtype).
StatusOr<std::vector<std::shared_ptr<Trackable>>> Revive(const Model& model, const SelectedNodes& selected,
                                                         const Bindings& bindings, const NodeNames& names);

}  // namespace savedmodel::internal
