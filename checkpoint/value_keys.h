// Under which key a checkpoint holds each value of an object.
//
// Two ways to know: the object graph of the checkpoint records keys with the attributes of its nodes
// (KeysByAttribute), and checkpoints without a graph use the variables' names themselves (name_map.h).
// Thread-safety: values and pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/checkpoint_value.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

struct ValueKey {
  enum class State {
    kUnknown,  // the checkpoint does not speak of such a value
    kMissing,  // it does, but the tensor is not there
    kStored,
  };
  State state = State::kUnknown;
  std::string key = {};  // empty when kUnknown
  bool operator==(const ValueKey&) const = default;
};

struct NodeKeys {
  std::vector<ValueKey> values = {};  // by the object's value
  std::vector<size_t> unused_attributes =
      {};  // of the stored node, by position: no value of the object takes them
};

// An attribute belongs to the value of its name, or of the name it is the escaped form of. It also stands for stored
// keys that begin with its own: "table" with key k for a value "table-keys" that is stored as k-keys.
// `reader` null: what is recorded counts as stored.
NodeKeys KeysByAttribute(const Node& stored, std::span<const CheckpointValue> values,
                         const BundleReader* reader);

}  // namespace savedmodel
