// Values that several verbs put into their JSON documents.
#pragma once

#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/tools/json_writer.h"

namespace savedmodel::tools {

// An error: code, message and the facts, null where one does not apply.
void WriteError(JsonWriter& json, const Status& status);
// Sizes, null for an unknown one; null for an unknown rank.
void WriteShape(JsonWriter& json, const PartialShape& shape);

}  // namespace savedmodel::tools
