// Base of objects whose state is one string of their own making: counters, positions of an input, JSON.
//
//   class Epoch : public PythonState {
//    public:
//     int value = 0;
//     StatusOr<std::string> Serialize() const override { return std::to_string(value); }
//     Status Deserialize(std::string_view text) override { return ParseInto(text, &value); }
//   };
//
// Checkpoints of TensorFlow's tf.train.experimental.PythonState are read as they are: the attribute is the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

class PythonState : public Trackable {
 public:
  static constexpr std::string_view kAttribute = "py_state";

  // Any bytes.
  virtual StatusOr<std::string> Serialize() const = 0;
  // What Serialize once gave. An error leaves the object as it was, and fails the restore.
  virtual Status Deserialize(std::string_view state) = 0;

  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = std::string(kAttribute), .spec = {DType::kString, Shape{}}}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override;
};

}  // namespace savedmodel
