// Reads what a MetaGraph says of itself.
#pragma once

#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/wire_index.h"
#include "savedmodel/saved_model/model_info.h"

namespace savedmodel::internal {

// Everything but the counts that need the object graph. Errors: DataLoss.
StatusOr<MetaGraphInfo> ReadMetaGraphInfo(const MetaGraphIndex& meta_graph, std::string_view file);

// Fills the counts of nodes by kind.
void CountNodes(const ObjectGraph& graph, MetaGraphInfo::Counts* counts);

}  // namespace savedmodel::internal
