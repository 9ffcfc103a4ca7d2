// The operating system's error numbers as the SDK's errors.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// The code for an errno (docs/errors.md); Unavailable for numbers without a line of their own.
StatusCode ErrnoCode(int error);
// "cannot WHAT: Permission denied, in FILE" with the code above.
Error ErrnoError(int error, std::string_view what, std::string_view file);

}  // namespace savedmodel::internal
