// Elements of the other byte order turned into this machine's.
#pragma once

#include <cstddef>
#include <span>

namespace savedmodel::internal {

// Reverses the bytes of each `unit` of `bytes` (1, 2, 4 or 8; DTypeSwapUnit). `bytes` may be at any
// alignment.
void SwapBytes(std::span<std::byte> bytes, size_t unit);

}  // namespace savedmodel::internal
