// Tensors as restore scripts spell them: nested lists of numbers, texts and bools.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "savedmodel/base/tensor.h"

namespace savedmodel::testing {

using Json = nlohmann::ordered_json;  // the first key of a step says what it does

// Throws for what is no tensor of `dtype`: a script is at fault. `shape`: in place of the one that the lists have.
Tensor TensorFromJson(const Json& value, DType dtype, const std::optional<Shape>& shape = {});
Json JsonFromTensor(const Tensor& tensor);

}  // namespace savedmodel::testing
