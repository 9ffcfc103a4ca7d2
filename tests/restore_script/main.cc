// Runs restore scripts for programs that compare: reads a JSON object {"steps": [...], "data": folder} per line and
// answers each with one line, the array of outcomes, or a text where the script is at fault.
#include <exception>
#include <iostream>
#include <string>

#include "savedmodel/tests/restore_script/restore_script.h"

namespace savedmodel::testing {
namespace {

Json Reply(const std::string& line) {
  try {
    const Json request = Json::parse(line);
    return RunScript(request.at("steps"), request.at("data"));
  } catch (const std::exception& error) {
    return std::string("script: ") + error.what();
  }
}

}  // namespace
}  // namespace savedmodel::testing

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << savedmodel::testing::Reply(line) << std::endl;
}
