#include "savedmodel/checkpoint/tensor_paths.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace savedmodel {
namespace {

// An attribute and the key it is recorded under; views into the graph.
struct Recorded {
  std::string_view key;
  NodeId node;
  size_t index;  // of the attribute
  const Attribute* attribute;
};

bool ByKey(const Recorded& a, const Recorded& b) { return a.key < b.key; }

// Sorted by key, each key once: the first node's.
std::vector<Recorded> RecordedKeys(const ObjectGraph& graph) {
  std::vector<Recorded> recorded;
  for (size_t id = 0; id < graph.size(); ++id) {
    const std::vector<Attribute>& attributes = graph.nodes()[id].attributes;
    for (size_t i = 0; i < attributes.size(); ++i) {
      recorded.push_back({attributes[i].checkpoint_key, static_cast<NodeId>(id), i, &attributes[i]});
    }
  }
  std::sort(recorded.begin(), recorded.end(), [](const Recorded& a, const Recorded& b) {
    return std::tie(a.key, a.node, a.index) < std::tie(b.key, b.node, b.index);
  });
  recorded.erase(std::unique(recorded.begin(), recorded.end(),
                             [](const Recorded& a, const Recorded& b) { return a.key == b.key; }),
                 recorded.end());
  return recorded;
}

// The recorded keys that `key` begins with, longest last. Keys are asked for in order, so one pass does.
class Prefixes {
 public:
  explicit Prefixes(std::span<const Recorded> sorted) : sorted_(sorted), used_(sorted.size(), false) {}

  // The longest; null when there is none. An empty recorded key is no prefix of anything.
  const Recorded* LongestOf(std::string_view key) {
    for (; next_ < sorted_.size() && sorted_[next_].key <= key; ++next_) {
      Drop(sorted_[next_].key);
      if (!sorted_[next_].key.empty()) open_.push_back(next_);
    }
    Drop(key);
    if (open_.empty()) return nullptr;
    used_[open_.back()] = true;
    return &sorted_[open_.back()];
  }
  bool used(size_t i) const { return used_[i]; }

 private:
  void Drop(std::string_view key) {
    while (!open_.empty() && !key.starts_with(sorted_[open_.back()].key)) open_.pop_back();
  }

  std::span<const Recorded> sorted_;
  std::vector<bool> used_;
  std::vector<size_t> open_;
  size_t next_ = 0;
};

}  // namespace

TensorPaths::TensorPaths(const ObjectGraph& graph, std::span<const std::string_view> keys)
    : graph_(&graph), names_(graph), is_slot_(SlotNodes(graph)) {
  std::vector<Recorded> stored, missing;
  for (const Recorded& one : RecordedKeys(graph)) {
    const bool is_stored = std::binary_search(keys.begin(), keys.end(), one.key);
    (is_stored ? stored : missing).push_back(one);
  }
  owners_.reserve(keys.size());
  Prefixes prefixes(missing);
  for (std::string_view key : keys) {
    const auto exact = std::lower_bound(stored.begin(), stored.end(), Recorded{key, 0, 0, nullptr}, ByKey);
    if (exact != stored.end() && exact->key == key) {
      Own(key, exact->node, exact->attribute->name);
    } else if (const Recorded* longest = prefixes.LongestOf(key)) {
      Own(key, longest->node, longest->attribute->name + std::string(key.substr(longest->key.size())));
    }
  }
  for (size_t i = 0; i < missing.size(); ++i) {
    if (prefixes.used(i)) continue;
    absent_.push_back({missing[i].node, missing[i].attribute->name, std::string(missing[i].key)});
  }
}

void TensorPaths::Own(std::string_view key, NodeId node, std::string attribute) {
  const auto [place, is_new] = owners_.try_emplace(std::string(key), TensorOwner{node, std::move(attribute)});
  if (is_new) keys_by_node_[node].push_back(place->first);
}

const TensorOwner* TensorPaths::Find(std::string_view key) const {
  const auto found = owners_.find(std::string(key));
  return found == owners_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> TensorPaths::KeysOf(NodeId node) const& {
  const auto found = keys_by_node_.find(node);
  return found == keys_by_node_.end() ? std::vector<std::string_view>() : found->second;
}

std::optional<NodePath> TensorPaths::PathTo(NodeId node) const {
  if (!names_.HasPath(node)) return std::nullopt;
  return names_.PathTo(node);
}

std::vector<NodePath> TensorPaths::PathsTo(NodeId node) {
  if (!names_.HasPath(node)) return {};
  if (!names_.paths().Reaches(node)) return {names_.PathTo(node)};
  if (!all_paths_) all_paths_.emplace(*graph_);
  return all_paths_->To(node, kMaxPaths);
}

}  // namespace savedmodel
