// What was handed over in place of a checkpoint prefix, or what lies where one should be, for error messages.
//
// Only called when something is missing or wrong; looks at a bounded number of names and bytes.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// What a file looks like by its first bytes; empty when nothing is recognised.
StatusOr<std::string> LooksLike(const RandomAccessFile& file);

// The error for a prefix without an index file, saying what `prefix` is instead and which prefix to pass.
// NotFound; DataLoss when `prefix` is a file of another known kind; Unimplemented when it is a V1 checkpoint.
Status ExplainMissingIndex(const Directory& directory, std::string_view prefix);

// "there are: ..." with the names of shards of `prefix` that exist; empty when there are none.
std::string ShardsThere(const Directory& directory, std::string_view prefix);

}  // namespace savedmodel::internal
