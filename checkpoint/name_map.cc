#include "savedmodel/checkpoint/name_map.h"

#include <utility>

#include "savedmodel/base/internal/error.h"

namespace savedmodel {

NameMap NameMap::LiveToStored(std::map<std::string, std::string> names) {
  NameMap map;
  for (auto& [live, stored] : names) map.names_.emplace(live, std::move(stored));
  return map;
}

StatusOr<NameMap> NameMap::StoredToLive(const std::map<std::string, std::string>& names) {
  NameMap map;
  for (const auto& [stored, live] : names) {
    const auto [known, is_new] = map.names_.emplace(live, stored);
    if (is_new) continue;
    return internal::Error(StatusCode::kInvalidArgument,
                           "two stored names are mapped to one name of the program")
        .Expected("one stored name for " + live)
        .Found(known->second + " and " + stored);
  }
  return map;
}

std::string NameMap::ToStored(std::string_view live) const {
  if (const auto whole = names_.find(live); whole != names_.end()) return whole->second;
  // The scopes of a/b/c, the longest first: a/b/, a/, and the one of everything.
  for (size_t end = live.rfind('/'); end != std::string_view::npos;
       end = end == 0 ? live.npos : live.rfind('/', end - 1)) {
    const std::string_view scope = live.substr(0, end + 1);
    if (const auto found = names_.find(scope); found != names_.end())
      return found->second + std::string(live.substr(scope.size()));
  }
  const auto all = names_.find("");
  return (all == names_.end() ? "" : all->second) + std::string(live);
}

}  // namespace savedmodel
