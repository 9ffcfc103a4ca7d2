// Reads a directory's `checkpoint` file, which names the checkpoints that were kept there and the newest of
// them.
//
//   StatusOr<CheckpointState> state = ReadCheckpointState("training/checkpoint");
//   StatusOr<BundleReader> reader = BundleReader::Open(state->newest);
//
// A missing file and one that cannot be used are different answers: the first means that nothing was saved
// yet, after the second nobody may start from scratch. Thread-safety: values and a pure function.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"

namespace savedmodel {

// The name that writers give the file unless told otherwise.
inline constexpr std::string_view kCheckpointStateFile = "checkpoint";

// Prefixes are joined with the file's own directory where they are relative.
struct CheckpointState {
  std::string newest = {};
  std::vector<std::string> all = {};    // oldest first; ends with `newest` in files of all known writers
  std::vector<double> timestamps = {};  // seconds since the epoch, parallel to `all`; or empty
  double last_preserved_timestamp = 0;  // when a checkpoint was last kept for good
};

// `path` is the file's, taken literally; null `file_system`: the operating system's files. That the
// checkpoints it names exist is not looked at. Errors: NotFound (no such file), DataLoss (no checkpoint
// state, or one that names no checkpoint), ResourceExhausted (far too large to be one, memory), and those of
// base/file_system.h (PermissionDenied, ...).
StatusOr<CheckpointState> ReadCheckpointState(std::string_view path,
                                              const std::shared_ptr<const FileSystem>& file_system = nullptr);

}  // namespace savedmodel
