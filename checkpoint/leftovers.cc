#include "savedmodel/checkpoint/leftovers.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel {
namespace {

constexpr size_t kMaxNamed = 10;  // names, or groups of them, in one message

// "root.optimizer" of "root.optimizer.iter": what is left over together mostly hangs together. A dot in quotes ends
// no component.
std::string GroupOf(const std::string& name) {
  size_t dots = 0;
  bool quoted = false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '"' && (i == 0 || name[i - 1] != '\\')) quoted = !quoted;
    if (name[i] == '.' && !quoted && ++dots == 2) return name.substr(0, i);
  }
  return name;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size() && i < kMaxNamed; ++i) text += (i > 0 ? ", " : "") + parts[i];
  return parts.size() > kMaxNamed ? text + ", ..." : text;
}

// All names when they are few, else how many there are in each part of the model.
std::string Shorten(const std::vector<std::string>& names) {
  if (names.size() <= kMaxNamed) return Join(names);
  std::vector<std::string> order;
  std::map<std::string, size_t> counts;
  for (const std::string& name : names) {
    std::string group = GroupOf(name);
    if (counts[group]++ == 0) order.push_back(std::move(group));
  }
  for (std::string& group : order) {
    if (const size_t count = counts[group]; count > 1) group += " (" + std::to_string(count) + ")";
  }
  return Join(order);
}

std::string NameOf(const UnusedValue& value) {
  if (value.path.empty()) return value.key;
  return value.attribute == kVariableValue ? value.path : value.path + " (attribute " + value.attribute + ")";
}

std::string NameOf(const UnrestoredObject& object) {
  const bool plain = object.values.size() == 1 && object.values[0] == kVariableValue;
  if (plain || object.values.empty()) return object.path;
  std::string values;
  for (const std::string& value : object.values) values += (values.empty() ? "" : ", ") + value;
  return object.path + " (" + values + ")";
}

// "1 stored value is" or "3 stored values are".
std::string Counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? " is" : "s are");
}

std::string Describe(const std::vector<std::string>& names) {
  return Counted(names.size(), "stored value") + " not used: " + Shorten(names);
}

}  // namespace

std::vector<UnusedValue> FindUnused(const ObjectGraph& stored, const std::function<bool(NodeId)>& is_taken,
                                    std::span<const UnusedAttribute> unused) {
  std::vector<UnusedValue> found;
  const NodeNames names(stored);
  const std::vector<bool> is_slot = SlotNodes(stored);
  const auto add = [&](NodeId id, const std::string& attribute, const std::string& key, bool optional) {
    found.push_back({names.Name(id), attribute, key, is_slot[static_cast<size_t>(id)], optional});
  };
  for (size_t i = 0; i < stored.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (is_taken(id)) continue;
    for (const Attribute& one : stored.nodes()[i].attributes)
      add(id, one.name, one.checkpoint_key, one.optional);
  }
  for (const UnusedAttribute& one : unused) {
    if (is_taken(one.stored)) add(one.stored, one.name, one.key, one.optional);
  }
  return found;
}

UnrestoredObject DescribeUnrestored(const std::shared_ptr<Trackable>& object, std::string path) {
  UnrestoredObject described{.path = std::move(path), .object = object};
  for (CheckpointValue& value : object->CheckpointValues())
    if (!value.optional) described.values.push_back(std::move(value.name));
  return described;
}

std::string DescribeUnused(std::span<const UnusedValue> unused) {
  std::vector<std::string> names;
  for (const UnusedValue& value : unused) names.push_back(NameOf(value));
  return Describe(names);
}

Status ErrorOfUnused(std::span<const UnusedValue> unused, const std::string& file) {
  std::vector<std::string> names;
  const UnusedValue* first = nullptr;
  for (const UnusedValue& value : unused) {
    if (value.optional) continue;
    if (!first) first = &value;
    names.push_back(NameOf(value));
  }
  if (!first) return OkStatus();
  return internal::Error(StatusCode::kFailedPrecondition, Describe(names))
      .File(file)
      .Key(first->key)
      .Path(first->path);
}

Status ErrorOfUnrestored(std::span<const UnrestoredObject> objects, const std::string& file) {
  if (objects.empty()) return OkStatus();
  std::vector<std::string> names;
  for (const UnrestoredObject& object : objects) names.push_back(NameOf(object));
  return internal::Error(
             StatusCode::kFailedPrecondition,
             Counted(objects.size(), "object") + " without a value from the checkpoint: " + Shorten(names))
      .File(file)
      .Path(objects.front().path);
}

}  // namespace savedmodel
