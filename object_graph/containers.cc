#include "savedmodel/object_graph/containers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace savedmodel {
namespace {

// The position that `name` spells, as TensorFlow spells positions; nothing for other names.
std::optional<size_t> Position(std::string_view name) {
  uint32_t value = 0;  // a list never has more elements than the graph has nodes
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  return value;
}

}  // namespace

size_t List::size() const {
  size_t size = 0;
  ForEachChild([&](const std::string& name, const std::shared_ptr<Trackable>&) {
    if (std::optional<size_t> position = Position(name)) size = std::max(size, *position + 1);
  });
  return size;
}

std::vector<std::string> Dict::keys() const {
  std::vector<std::string> keys;
  ForEachChild([&](const std::string& name, const std::shared_ptr<Trackable>&) { keys.push_back(name); });
  return keys;
}

}  // namespace savedmodel
