#include <csignal>
#include <string>
#include <vector>

#include "savedmodel/tools/command.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is told by the write
  return savedmodel::tools::RunCommand(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
