// Builds SavedModels from the descriptions in tests/cases/*.json, sound ones and broken ones.
//
// A description lists nodes as the graph has them; the checkpoint, its object graph and its keys are made from them unless
// it says otherwise. tests/cases/README.md explains every field.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/base/tensor.h"

namespace savedmodel::testing {

using Json = nlohmann::json;

// The directory under which BuildModel puts the model.
inline constexpr std::string_view kModelDirectory = "model";

std::shared_ptr<MemoryFileSystem> BuildModel(const Json& description);

// A tensor of {"dtype": ..., "shape": [...], "value": [...]}; values are flat.
Tensor TensorFromJson(const Json& description);
// The elements of a tensor as flat JSON values.
Json ValuesOf(const Tensor& tensor);

}  // namespace savedmodel::testing
