// The text of --slice: one range per dimension, as 0:10,:,3 means rows 0 to 9, all of the second, and 3 of
// the third.
#pragma once

#include <string_view>

#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor_slice.h"

namespace savedmodel::tools {

// Ranges are START:END with END not included; either may be left out. A single number is a range of one: the
// dimension stays. Dimensions after the last range are whole. Errors: InvalidArgument (malformed, more ranges
// than dimensions), OutOfRange (an empty range, or one that leaves the tensor).
StatusOr<TensorSlice> ParseSlice(std::string_view text, const Shape& shape);

}  // namespace savedmodel::tools
