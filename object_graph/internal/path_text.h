// Splits the text of a path or pattern into components; NodePath and Glob share the grammar (node_path.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel::internal {

struct PathToken {
  std::string name;     // unescaped bytes
  bool quoted = false;  // a quoted token is literal: '*' in it is a character
};

// The tokens after "root". Errors: InvalidArgument, as NodePath::Parse.
StatusOr<std::vector<PathToken>> TokenizePath(std::string_view text);

}  // namespace savedmodel::internal
