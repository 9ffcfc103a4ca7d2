// A tensor's elements as the bytes that digests and raw files are made of, the same on every machine.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "savedmodel/base/tensor.h"

namespace savedmodel::tools {

// Calls `take` with the elements in C order, little-endian, piece by piece. Strings and variants: each
// element's length as 8 bytes, then its bytes.
void ForEachPiece(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& take);

// sha256 over these bytes, in hex.
std::string DigestOf(const Tensor& tensor);

}  // namespace savedmodel::tools
