// Reads the small files of a model's directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"
#include "savedmodel/proto/wire_index.h"
#include "savedmodel/saved_model/load_options.h"
#include "savedmodel/saved_model/model_info.h"

namespace savedmodel::internal {

struct GraphFile {
  std::string name;  // below the directory
  WireIndex index;
};

// The graph of the model: saved_model.pb, else saved_model.pbtxt. A .pb that is broken is an error even
// beside a sound .pbtxt, as in TensorFlow.
// Errors: NotFound (neither is there), Unimplemented (only a chunked .cpb), DataLoss, ResourceExhausted.
StatusOr<GraphFile> ReadGraphFile(const Directory& directory, const OpenOptions& options);

// All bytes of a file. Errors: ResourceExhausted (larger than `max_bytes`), those of Directory.
StatusOr<Buffer> ReadWholeFile(const Directory& directory, std::string_view name, uint64_t max_bytes);

// Fails when debug info is there and cannot be parsed, as TensorFlow's load does; its absence is fine.
Status CheckDebugInfo(const Directory& directory, uint64_t max_bytes);

// fingerprint.pb. Errors: NotFound (there is none), DataLoss.
StatusOr<Fingerprint> ReadFingerprint(const Directory& directory, uint64_t max_bytes);

// True when `name` names a file below the assets directory and nothing else: relative, without "..", NUL or
// an empty component.
bool IsSafeAssetName(std::string_view name);

}  // namespace savedmodel::internal
