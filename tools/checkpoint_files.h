// The files of a checkpoint and which of them are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"

namespace savedmodel::tools {

// A file of a model; without a size when it is not there.
struct FileLine {
  std::string name = {};
  std::optional<uint64_t> bytes = {};
};

FileLine LookAt(const Directory& directory, const std::string& name);

struct CheckpointFiles {
  std::vector<FileLine> files = {};  // the index, then shards by number
  uint64_t more_missing = 0;         // shards that are not there, beyond those in `files`
};

// Named relative to `directory`, which is the checkpoint's own or one above it. An index of a few bytes may
// speak of a million shards: those that are there are listed, of the others the first few, and the rest are
// counted. Cost: the entries of the checkpoint's directory; where it cannot be listed, the number of shards.
CheckpointFiles FilesOf(const BundleReader& reader, const Directory& directory);

}  // namespace savedmodel::tools
