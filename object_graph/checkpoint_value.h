// What an object keeps in a checkpoint: one description per tensor that it wants stored and restored.
//
//   std::vector<CheckpointValue> CheckpointValues() const override {
//     return {{.name = "total", .spec = {DType::kInt64, Shape{}}},
//             {.name = "window", .spec = {DType::kFloat32, Shape{100, 8}}, .slice = *TensorSlice::Rows(50, 50, 2)}};
//   }
#pragma once

#include <optional>
#include <string>

#include "savedmodel/base/tensor.h"
#include "savedmodel/base/tensor_slice.h"

namespace savedmodel {

struct CheckpointValue {
  // The attribute's name in the checkpoint: kVariableValue for variables; any text, unique in its object but for
  // slices of one tensor.
  std::string name = {};
  // Dtype and shape of the whole stored tensor, also where only a slice of it is wanted.
  TensorSpec spec = {};
  std::optional<TensorSlice> slice = {};  // the part that this object holds; nothing: all of it
  // Its name in a checkpoint without an object graph; empty: such a checkpoint cannot hold it.
  std::string full_name = {};
  // True: a checkpoint that lacks it is no fault, and the assertions of a restore pass over it.
  bool optional = false;
};

}  // namespace savedmodel
