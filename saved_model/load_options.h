// Options of a load. Values of one call, never remembered.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/control.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/restore.h"
#include "savedmodel/checkpoint/saver_registry.h"

namespace savedmodel {

struct OpenOptions {
  // Null: the operating system's files, links followed.
  std::shared_ptr<const FileSystem> file_system = {};
  // Which MetaGraph: the one whose tags are exactly these, in any order. Nothing: the only one there is.
  std::optional<std::vector<std::string>> tags = {};
  // Above these the model is refused with ResourceExhausted.
  uint64_t max_graph_bytes = 0x7fffffff;   // of saved_model.pb; 2 GiB - 1 is the format's own limit
  uint64_t max_nodes = uint64_t{1} << 22;  // of its object graph; a node takes about 400 bytes of memory
  BundleLimits checkpoint = {};
};

struct LoadOptions {
  // A selected function or resource that needs a node outside the selection: an error that names all of them, or (true)
  // they join it.
  bool include_dependencies = false;
  // Objects without values: no file below variables/ is read, variables stay without a value.
  bool skip_checkpoint = false;
  // Objects for which the checkpoint has no value stay without one and are listed in the report; by default they are an
  // error, also those of the caller's that a bound object leads to and the model does not know. At least one value must
  // be found where one is wanted.
  bool allow_partial_checkpoint = false;
  // A value of the checkpoint that no selected object takes is FailedPrecondition.
  bool require_all_consumed = false;
  // Savers of the program's own: bound objects that they handle get their values from them, after all others have theirs.
  // Null: there are none, and what such savers wrote is not read.
  const SaverRegistry* savers = nullptr;
  // How values reach memory of the caller's (Variable::Wrap).
  RestoreMode restore_mode = RestoreMode::kVerifyFirst;
  // kMapped: values of new variables may point into the mapped file, which must not be truncated in place meanwhile.
  ReadMode read_mode = ReadMode::kMapped;
  Verify verify = Verify::kAlways;
  // Stored size of all values together; more is ResourceExhausted before any is read. A file can name the same bytes any
  // number of times: set it where models are not trusted and memory is short.
  uint64_t max_tensor_bytes = std::numeric_limits<uint64_t>::max();
  Control control = {};
};

}  // namespace savedmodel
