// The rules for names that a Directory is asked for, and for paths that a FileSystem is.
#pragma once

#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// The components of `name` ("a//./b" -> "a", "b"); views into `name`.
std::vector<std::string_view> SplitComponents(std::string_view name);

// Names may come from a model's files, so they must not lead out of the directory.
// Errors: InvalidArgument (empty, absolute, a ".." component, a NUL byte); `directory` is for the message.
Status CheckRelativeName(std::string_view directory, std::string_view name);

// "s3" for "s3://bucket/x"; empty for paths without a scheme.
std::string_view UrlScheme(std::string_view path);

}  // namespace savedmodel::internal
