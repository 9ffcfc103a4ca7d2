// Options of a read that are none: the values of an enumeration can be any number.
#pragma once

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"

namespace savedmodel::internal {

// Errors: InvalidArgument.
Status CheckOptions(const ReadOptions& options);

}  // namespace savedmodel::internal
