#include "savedmodel/checkpoint/internal/stored_names.h"

#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/restore_plan.h"

namespace savedmodel::internal {

StoredNames::StoredNames(const BundleReader& reader, const ObjectGraph* graph) : reader_(reader) {
  if (!graph) return;
  for (const Node& node : graph->nodes()) {
    for (const Attribute& attribute : node.attributes) {
      if (!attribute.full_name.empty())
        keys_by_full_name_[attribute.full_name].push_back(attribute.checkpoint_key);
    }
  }
}

std::vector<std::string> StoredNames::KeysOf(std::string_view name) const {
  if (const auto known = keys_by_full_name_.find(name); known != keys_by_full_name_.end())
    return known->second;
  if (name == kObjectGraphKey || !reader_.Contains(name)) return {};
  return {std::string(name)};
}

std::string StoredNames::Near(std::string_view name) const {
  std::vector<std::string_view> candidates;
  for (const auto& [full_name, keys] : keys_by_full_name_) candidates.push_back(full_name);
  if (candidates.empty()) candidates.assign(reader_.keys().begin(), reader_.keys().end());
  return DidYouMean(name, candidates);
}

}  // namespace savedmodel::internal
