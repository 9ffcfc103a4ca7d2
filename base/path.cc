#include <string>
#include <string_view>

#include "savedmodel/base/file_system.h"

namespace savedmodel {

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (name.empty()) return std::string(directory);
  if (directory.empty() || directory == ".") return std::string(name);
  std::string out(directory);
  if (!out.ends_with('/')) out += '/';
  return out.append(name);
}

SplitPathResult SplitPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {".", std::string(path)};
  return {slash == 0 ? "/" : std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace savedmodel
