// Lists, tuples and dicts of a model: children with positions or keys for names.
//
//   auto layers = model.Get<List>(*NodePath::Parse("root.layers"));
//   for (size_t i = 0; i < (*layers)->size(); ++i) Use((*layers)->at(i));
//
// They are Modules: children can be tracked, replaced and asked for by name too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/object_graph/module.h"

namespace savedmodel {

// A list: children named "0", "1", ... in decimal without leading zeros. Elements that are not tracked leave
// gaps. Numbers from kMaxSize on are names and no positions.
class List : public Module {
 public:
  static constexpr std::string_view kIdentifier = "trackable_list_wrapper";
  static constexpr size_t kMaxSize = size_t{1} << 24;
  List() : Module({.identifier = std::string(kIdentifier), .producer = 1, .min_consumer = 1}) {}
  explicit List(UserObjectInfo info) : Module(std::move(info)) {}

  // One more than the largest position; 0 when empty. Cost: the number of children.
  size_t size() const;
  // Null for a gap and past the end.
  std::shared_ptr<Trackable> at(size_t i) const { return Child(std::to_string(i)); }
  // Adds a child behind the last. Cost: constant after another Append. Errors: InvalidArgument (null),
  // ResourceExhausted (kMaxSize).
  Status Append(std::shared_ptr<Trackable> element);

 private:
  size_t appended_size_ = 0;      // the size after the last Append
  uint64_t appended_change_ = 0;  // name_changes() then; while it stays so does the size
};

// A tuple: a list that is not appended to. A named tuple has its fields' names as children beside the
// positions.
class Tuple : public List {
 public:
  static constexpr std::string_view kIdentifier = "trackable_tuple_wrapper";
  Tuple() : List({.identifier = std::string(kIdentifier), .producer = 1, .min_consumer = 1}) {}
  explicit Tuple(UserObjectInfo info) : List(std::move(info)) {}
};

// A dict with string keys.
class Dict : public Module {
 public:
  static constexpr std::string_view kIdentifier = "trackable_dict_wrapper";
  Dict() : Module({.identifier = std::string(kIdentifier), .producer = 1, .min_consumer = 1}) {}
  explicit Dict(UserObjectInfo info) : Module(std::move(info)) {}

  std::vector<std::string> keys() const;  // in order
  std::shared_ptr<Trackable> at(std::string_view key) const { return Child(key); }
};

}  // namespace savedmodel
