// What a MODEL argument names.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel::tools {

struct ModelArgument {
  enum class Kind { kSavedModel, kCheckpoint };
  Kind kind = Kind::kSavedModel;
  std::string path = {};  // of a SavedModel's directory, or a checkpoint's prefix
};

// Looks at what is there: a SavedModel's directory (or the graph file in it), a checkpoint prefix, one of
// a checkpoint's files, a `checkpoint` state file or its directory (the newest checkpoint then counts). The
// argument is literal. Whether the files hold what their names say is left to whoever opens them. Errors:
// NotFound (nothing of these, with names that are close; a link to nothing, which is named), DataLoss (a file
// of another kind, which is named; a broken state file), InvalidArgument (an empty argument), and those of
// base/file_system.h.
StatusOr<ModelArgument> ResolveModel(std::string_view argument);

}  // namespace savedmodel::tools
