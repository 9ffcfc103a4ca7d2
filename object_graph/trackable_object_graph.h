// Reads the object graph that a checkpoint holds (TrackableObjectGraph) into the value.
#pragma once

#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// Every node is kTrackable with its edges, attributes, slots and saver. `file` and `key` name the source in
// messages.
// Errors: DataLoss (cannot be parsed; no node; ids out of range).
StatusOr<ObjectGraph> ReadTrackableObjectGraph(std::string_view bytes, std::string_view file,
                                               std::string_view key);

}  // namespace savedmodel
