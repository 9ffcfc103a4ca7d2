// The head of a NumPy file (.npy, version 1.0). The elements follow it in C order, little-endian.
#pragma once

#include <string>

#include "savedmodel/base/dtype.h"
#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"

namespace savedmodel::tools {

struct NpyHeader {
  std::string bytes = {};
  // For people, where NumPy has no type of its own for the elements and they stand as whole numbers; else
  // empty.
  std::string note = {};
};

// Errors: Unimplemented (strings and variants, which NumPy cannot hold without running code when it reads
// them).
StatusOr<NpyHeader> MakeNpyHeader(DType dtype, const Shape& shape);

}  // namespace savedmodel::tools
