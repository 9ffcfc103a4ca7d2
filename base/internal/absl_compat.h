// The seam between std::string_view and a distribution's absl::string_view, which may be another type.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace savedmodel::internal {

inline absl::string_view ToAbsl(std::string_view s) { return absl::string_view(s.data(), s.size()); }
inline std::string_view ToStd(absl::string_view s) { return std::string_view(s.data(), s.size()); }

}  // namespace savedmodel::internal
