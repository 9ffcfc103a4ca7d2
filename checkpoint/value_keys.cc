#include "savedmodel/checkpoint/value_keys.h"

#include <string_view>

namespace savedmodel {
namespace {

// How a name is spelled inside a key: "." and "/" have meanings there.
std::string EscapeForKey(std::string_view name) {
  std::string escaped;
  for (char c : name) {
    if (c == '.') {
      escaped += "..";
    } else if (c == '/') {
      escaped += ".S";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

class Finder {
 public:
  Finder(const Node& stored, const BundleReader* reader)
      : stored_(stored), reader_(reader), used_(stored.attributes.size(), false) {}

  ValueKey Find(const std::string& name) {
    ValueKey key = FindExact(name);
    if (key.state != ValueKey::State::kStored) FindExtended(name, key);
    return key;
  }

  std::vector<size_t> unused() const {
    std::vector<size_t> unused;
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) unused.push_back(i);
    }
    return unused;
  }

 private:
  bool IsStored(const std::string& key) const { return !reader_ || reader_->Contains(key); }

  ValueKey FindExact(const std::string& name) {
    const std::string escaped = EscapeForKey(name);
    for (size_t i = 0; i < stored_.attributes.size(); ++i) {
      const Attribute& attribute = stored_.attributes[i];
      if (attribute.name != name && attribute.name != escaped) continue;
      used_[i] = true;
      const bool is_stored = IsStored(attribute.checkpoint_key);
      return {is_stored ? ValueKey::State::kStored : ValueKey::State::kMissing, attribute.checkpoint_key};
    }
    return {};
  }

  void FindExtended(const std::string& name, ValueKey& found) {
    for (size_t i = 0; i < stored_.attributes.size(); ++i) {
      const Attribute& attribute = stored_.attributes[i];
      if (!name.starts_with(attribute.name) || name.size() == attribute.name.size()) continue;
      std::string key = attribute.checkpoint_key + name.substr(attribute.name.size());
      if (!reader_ || !reader_->Contains(key)) continue;
      used_[i] = true;
      found = {ValueKey::State::kStored, std::move(key)};
      return;
    }
  }

  const Node& stored_;
  const BundleReader* reader_;
  std::vector<bool> used_;
};

}  // namespace

NodeKeys KeysByAttribute(const Node& stored, std::span<const CheckpointValue> values,
                         const BundleReader* reader) {
  Finder finder(stored, reader);
  NodeKeys keys;
  keys.values.reserve(values.size());
  for (const CheckpointValue& value : values) keys.values.push_back(finder.Find(value.name));
  keys.unused_attributes = finder.unused();
  return keys;
}

}  // namespace savedmodel
