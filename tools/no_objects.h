// Why a SavedModel has no one object graph to show or to look paths up in.
#pragma once

#include "savedmodel/base/status.h"
#include "savedmodel/saved_model/loader.h"

namespace savedmodel::tools {

// For a loader without has_object_graph(). NotFound (no MetaGraphs), InvalidArgument (several; one without
// objects).
Status NoObjects(const Loader& loader);

}  // namespace savedmodel::tools
