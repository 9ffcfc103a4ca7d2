// Which nodes a concrete function captures, read without parsing the rest of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace savedmodel::internal {

// SavedConcreteFunction.bound_inputs of an encoded message; nothing when the encoding is broken. Both
// encodings of a repeated number are read.
std::optional<std::vector<int32_t>> ReadBoundInputs(std::string_view saved_concrete_function);

}  // namespace savedmodel::internal
