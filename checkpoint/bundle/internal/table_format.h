// Numbers of the index table's layout: FORMAT.md#footer, FORMAT.md#blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace savedmodel::internal {

inline constexpr size_t kTableFooterSize = 48;
inline constexpr uint64_t kTableMagic = 0xdb4775248b80fb57u;

// After every block: its type, and the masked crc of the block and the type.
inline constexpr size_t kBlockTrailerSize = 5;
inline constexpr uint8_t kBlockUncompressed = 0;
inline constexpr uint8_t kBlockSnappy = 1;

// Where a block lies; the size is without the trailer.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

}  // namespace savedmodel::internal
