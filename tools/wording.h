// Words that several verbs need in the same form. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "savedmodel/base/dtype.h"
#include "savedmodel/base/tensor.h"

namespace savedmodel::tools {

// "1 tensor", "2 tensors"; for nouns that just take an s.
std::string Count(uint64_t count, std::string_view noun);

// The name of a dtype; "dtype 99" for a number that has none, so that the number is not lost.
std::string DTypeText(DType dtype);
// "float32[2,3]" with that.
std::string SpecText(const TensorSpec& spec);

}  // namespace savedmodel::tools
