// One block of an index table: its bytes checked and decompressed, its entries in turn. FORMAT.md#blocks.
//
// Errors here name the offset inside the file or the block; the table reader adds the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/internal/byte_reader.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/internal/table_format.h"

namespace savedmodel::internal {

// The contents of the block at `handle`: a slice of `file` or, when compressed, at most `max_size` bytes of
// its own. Errors: DataLoss (not inside the file, checksum, compressed data), Unimplemented (type),
// ResourceExhausted.
StatusOr<Buffer> LoadBlock(const Buffer& file, BlockHandle handle, uint64_t max_size);

// A key is the first `shared` bytes of the key before and `suffix`.
struct BlockEntry {
  uint32_t shared = 0;
  std::string_view suffix;
  std::string_view value;
};

// Walks a block's entries and holds them against its restart points.
class BlockCursor {
 public:
  // `contents` must outlive the cursor and the entries. Errors: DataLoss.
  static StatusOr<BlockCursor> Open(std::string_view contents);

  // The next entry; nothing after the last. Errors: DataLoss.
  StatusOr<std::optional<BlockEntry>> Next();

 private:
  BlockCursor(std::string_view entries, std::string_view restarts) : entries_(entries), restarts_(restarts) {}
  Status CheckRestart(size_t offset, uint32_t shared);

  ByteReader entries_;
  ByteReader restarts_;              // the points not reached yet
  std::optional<uint32_t> restart_;  // the next of them
};

}  // namespace savedmodel::internal
