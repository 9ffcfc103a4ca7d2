// The key under which one part of a partitioned tensor is stored. FORMAT.md#slice-keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "savedmodel/base/tensor_slice.h"

namespace savedmodel::internal {

// Slice keys start with this byte and so stand before ordinary names, which may also start with it.
inline constexpr char kSliceKeyMark = '\0';

// The extents are encoded as they are: "0,5" of a dimension of size 5 and "-" give different keys.
std::string EncodeSliceKey(std::string_view tensor, const TensorSlice& slice);

struct SliceKey {
  std::string tensor;
  TensorSlice slice;
};
// What `key` means, when it is exactly what EncodeSliceKey makes of a slice with at least one dimension.
std::optional<SliceKey> DecodeSliceKey(std::string_view key);

}  // namespace savedmodel::internal
