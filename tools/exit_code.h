// What the command's exit code is for each code of an error, and how the codes are spelled for people and
// scripts.
#pragma once

#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel::tools {

inline constexpr int kExitFine = 0;
inline constexpr int kExitNo = 1;  // the question was answered, and the answer is no
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotReadable = 3;
inline constexpr int kExitRefused = 4;

int ExitCode(const Status& status);
// "NotFound", as in docs/errors.md.
std::string_view CodeName(StatusCode code);

}  // namespace savedmodel::tools
