// Options of a restore. Values of one call: a restore that waits for objects keeps them for itself, nothing else does.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>

#include "savedmodel/base/control.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/name_map.h"
#include "savedmodel/checkpoint/restore.h"
#include "savedmodel/checkpoint/saver_registry.h"

namespace savedmodel {

// How objects and stored tensors find each other.
enum class RestoreBy {
  // By the checkpoint's object graph; by name where it has none.
  kObjectGraph,
  // By the names of variables, as TensorFlow 1's Saver: every name must be there. A checkpoint with an object graph is
  // asked by the names that the graph records for its values (full_name), where they are unique.
  kName,
};

struct RestoreOptions {
  RestoreBy by = RestoreBy::kObjectGraph;
  // For restores by name: what the program's variables are called in the file.
  NameMap names = {};
  // Optimizers' slots are left alone, and the assertions do not ask for them.
  bool skip_slot_variables = false;
  // A value that the checkpoint's own graph names and its index lacks leaves its object as it is; by default it is
  // NotFound. With RestoreBy::kName likewise for names that are not there; a checkpoint without a graph that is asked
  // by kObjectGraph never misses a name, but its status does.
  bool allow_partial_checkpoint = false;
  // How values reach memory of the caller's (Variable::Wrap).
  RestoreMode mode = RestoreMode::kVerifyFirst;
  // kMapped: values may point into the mapped files, which must stay as they are for as long.
  ReadMode read_mode = ReadMode::kCopied;
  Verify verify = Verify::kAlways;
  // Of all values that the call, or one deferred part of it, reads; more is ResourceExhausted.
  uint64_t max_tensor_bytes = std::numeric_limits<uint64_t>::max();
  // Null: objects of savers of the program's own cannot be restored (an error when there are any). Must live as long
  // as the status and the Checkpoint.
  const SaverRegistry* savers = nullptr;
  // Null: the operating system's files.
  std::shared_ptr<const FileSystem> file_system = {};
  BundleLimits limits = {};
  // The deadline and the progress are for the call itself; deferred parts are read without.
  Control control = {};
  // Told of stored values that nobody took, when the last who kept the restore (statuses, the Checkpoint) lets go of
  // it; not after RestoreStatus::ExpectPartial. Must not throw.
  std::function<void(std::string_view message)> warn = {};
};

}  // namespace savedmodel
