// The command, from its arguments to its exit code.
#pragma once

#include <span>
#include <string>

namespace savedmodel::tools {

// Answers on stdout and stderr. `arguments` without the program's name.
int RunCommand(std::span<const std::string> arguments);

}  // namespace savedmodel::tools
