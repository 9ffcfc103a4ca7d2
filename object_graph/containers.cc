#include "savedmodel/object_graph/containers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

// The position that `name` spells, as TensorFlow spells positions; nothing for other names.
std::optional<size_t> Position(std::string_view name) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (value >= List::kMaxSize || (name.size() > 1 && name.front() == '0')) return std::nullopt;
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

Status List::Append(std::shared_ptr<Trackable> element) {
  const size_t position = appended_change_ == name_changes() ? appended_size_ : size();
  if (position == kMaxSize) {
    return internal::Error(StatusCode::kResourceExhausted, "the list is full")
        .Expected(std::to_string(kMaxSize));
  }
  SAVEDMODEL_RETURN_IF_ERROR(Track(std::to_string(position), std::move(element)));
  appended_size_ = position + 1;
  appended_change_ = name_changes();
  return OkStatus();
}

std::vector<std::string> Dict::keys() const {
  std::vector<std::string> keys;
  ForEachChild([&](const std::string& name, const std::shared_ptr<Trackable>&) { keys.push_back(name); });
  return keys;
}

}  // namespace savedmodel
