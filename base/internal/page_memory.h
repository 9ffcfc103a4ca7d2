// Large blocks of fresh memory, straight from the operating system.
#pragma once

#include <cstddef>

namespace savedmodel::internal {

// Blocks of at least this size are worth pages of their own, and pages of this size where the system has
// them.
inline constexpr size_t kHugePage = size_t{2} << 20;

// `size` bytes of zero pages at a multiple of kHugePage, huge pages asked for; null when there is no memory.
void* AllocatePages(size_t size);
void FreePages(void* block, size_t size);

}  // namespace savedmodel::internal
