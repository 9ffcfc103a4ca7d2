// Whether memory that a caller hands over in several pieces is really in several pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace savedmodel::internal {

// Addresses [begin, end).
struct MemoryRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  static MemoryRange Of(std::span<const std::byte> bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    return {begin, begin + bytes.size()};
  }
};

// Two ranges, by index with the smaller first, that share a byte; nothing when all are apart. An empty range
// shares nothing. Cost: a sort.
std::optional<std::pair<size_t, size_t>> FindSharedMemory(std::span<const MemoryRange> ranges);

}  // namespace savedmodel::internal
