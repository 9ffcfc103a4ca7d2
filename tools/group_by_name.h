// Things of one name together, for JSON objects, in which a name may stand once: files can repeat any name.
//
//   const auto name_of = [](const Attribute& a) -> std::string_view { return a.name; };
//   for (const auto& [name, items] : GroupByName(attributes, name_of))
//
// Groups are in the order of their first items. Borrows the items. Thread-safety: a pure function.
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace savedmodel::tools {

// `name_of` gives a view that lives as long as the item.
template <class T, class NameOf>
std::vector<std::pair<std::string_view, std::vector<const T*>>> GroupByName(const std::vector<T>& items,
                                                                            NameOf name_of) {
  std::vector<std::pair<std::string_view, std::vector<const T*>>> groups;
  std::unordered_map<std::string_view, size_t> places;
  for (const T& item : items) {
    const auto [place, is_new] = places.try_emplace(name_of(item), groups.size());
    if (is_new) groups.emplace_back(place->first, std::vector<const T*>());
    groups[place->second].second.push_back(&item);
  }
  return groups;
}

}  // namespace savedmodel::tools
