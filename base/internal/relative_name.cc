#include "savedmodel/base/internal/relative_name.h"

#include <algorithm>
#include <string>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/error.h"

namespace savedmodel::internal {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSchemeCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

// Why `name` is refused; empty when it is not.
std::string_view Fault(std::string_view name) {
  if (name.empty()) return "file name is empty";
  if (name.front() == '/') return "file name is absolute where a relative one was meant";
  if (name.find('\0') != std::string_view::npos) return "file name has a NUL byte";
  for (std::string_view component : SplitComponents(name)) {
    if (component == "..") return "file name leads out of its directory";
  }
  return {};
}

}  // namespace

std::vector<std::string_view> SplitComponents(std::string_view name) {
  std::vector<std::string_view> components;
  while (!name.empty()) {
    const std::string_view component = name.substr(0, name.find('/'));
    if (!component.empty() && component != ".") components.push_back(component);
    name.remove_prefix(std::min(component.size() + 1, name.size()));
  }
  return components;
}

Status CheckRelativeName(std::string_view directory, std::string_view name) {
  const std::string_view fault = Fault(name);
  if (fault.empty()) return OkStatus();
  return Error(StatusCode::kInvalidArgument, std::string(fault))
      .File(directory)
      .Found("\"" + std::string(name) + "\"");
}

std::string_view UrlScheme(std::string_view path) {
  const std::string_view scheme = path.substr(0, path.find("://"));
  if (scheme.empty() || scheme.size() == path.size() || !IsLetter(scheme.front())) return {};
  return std::all_of(scheme.begin(), scheme.end(), IsSchemeCharacter) ? scheme : std::string_view();
}

}  // namespace savedmodel::internal
