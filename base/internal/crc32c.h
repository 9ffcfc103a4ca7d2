// CRC-32C (Castagnoli), as every checksum of a tensor bundle (checkpoint/bundle/FORMAT.md).
//
// Uses the processor's instructions where they exist, a portable table elsewhere; both give the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace savedmodel::internal {

// crc of `bytes` following those that gave `crc` (0 for none): Extend(Extend(0, a), b) == Extend(0, a + b).
uint32_t ExtendCrc32c(uint32_t crc, std::span<const std::byte> bytes);
// The portable path of ExtendCrc32c, for tests and other machines.
uint32_t ExtendCrc32cPortable(uint32_t crc, std::span<const std::byte> bytes);
// crc of a + b from crc(a), crc(b) and b's length, so that parts are summed on several threads.
uint32_t CombineCrc32c(uint32_t crc_a, uint32_t crc_b, uint64_t size_b);
// Copies `from` to `to` and extends `crc` over the bytes in one pass. Sizes are equal; ranges do not overlap.
uint32_t CopyAndExtendCrc32c(uint32_t crc, std::span<const std::byte> from, std::byte* to);

// The form in which files store a crc: rotated and offset, so that a crc of data holding crcs stays useful.
constexpr uint32_t kCrcMaskDelta = 0xa282ead8u;
constexpr uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kCrcMaskDelta; }
constexpr uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rot = masked - kCrcMaskDelta;
  return (rot >> 17) | (rot << 15);
}

}  // namespace savedmodel::internal
