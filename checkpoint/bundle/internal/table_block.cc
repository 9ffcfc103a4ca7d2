#include "savedmodel/checkpoint/bundle/internal/table_block.h"

#include <snappy.h>

#include <string>
#include <utility>

#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

constexpr size_t kRestartSize = sizeof(uint32_t);

// Snappy's densest element, a copy of 64 bytes, takes 3: no sound block grows by more than this.
constexpr uint64_t kSnappyMaxGrowth = 22;

Error Bad(std::string what) { return Error(StatusCode::kDataLoss, std::move(what)); }

StatusOr<Buffer> Decompress(const Buffer& packed, BlockHandle handle, uint64_t max_size) {
  const std::string_view bytes = packed.view();
  size_t size = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size)) {
    return Bad("compressed block has no valid length").Offset(handle.offset).ToStatus();
  }
  if (size / kSnappyMaxGrowth > bytes.size()) {
    return Bad("compressed block claims more bytes than it can hold")
        .Offset(handle.offset)
        .Expected("at most " + std::to_string(bytes.size() * kSnappyMaxGrowth))
        .Found(std::to_string(size))
        .ToStatus();
  }
  if (size > max_size) {
    return Error(StatusCode::kResourceExhausted, "decompressed index is over the limit")
        .Offset(handle.offset)
        .Found("a block of " + std::to_string(size) + " bytes")
        .ToStatus();
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer contents, MutableBuffer::Allocate(size));
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), reinterpret_cast<char*>(contents.data()))) {
    return Bad("compressed block is corrupt").Offset(handle.offset).ToStatus();
  }
  return std::move(contents).Freeze();
}

// The end of all blocks, or 0 in a file that has no room for any.
uint64_t BlocksEnd(const Buffer& file) {
  return file.size() < kTableFooterSize ? 0 : file.size() - kTableFooterSize;
}

Status CheckInside(const Buffer& file, BlockHandle handle) {
  const uint64_t end = BlocksEnd(file);
  if (handle.offset <= end && end - handle.offset >= kBlockTrailerSize &&
      handle.size <= end - handle.offset - kBlockTrailerSize) {
    return OkStatus();
  }
  return Bad("block lies outside the file")
      .Offset(handle.offset)
      .Expected("an end before byte " + std::to_string(end))
      .Found("a block of " + std::to_string(handle.size) + " bytes")
      .ToStatus();
}

Status CheckChecksum(const Buffer& typed_block, uint32_t stored, BlockHandle handle) {
  const uint32_t computed = MaskCrc(ExtendCrc32c(0, typed_block.bytes()));
  if (computed == stored) return OkStatus();
  return Bad("block checksum does not match")
      .Offset(handle.offset)
      .Expected(Hex32(stored))
      .Found(Hex32(computed))
      .ToStatus();
}

}  // namespace

StatusOr<Buffer> LoadBlock(const Buffer& file, BlockHandle handle, uint64_t max_size) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckInside(file, handle));
  const auto offset = static_cast<size_t>(handle.offset);
  const auto size = static_cast<size_t>(handle.size);
  const Buffer trailer = file.Slice(offset + size, kBlockTrailerSize);
  ByteReader reader(trailer.bytes());
  uint8_t type = 0;
  uint32_t stored = 0;
  if (!reader.ReadFixedLittleEndian(&type) || !reader.ReadFixedLittleEndian(&stored)) {
    return Bad("block has no trailer").Offset(handle.offset).ToStatus();
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckChecksum(file.Slice(offset, size + 1), stored, handle));
  Buffer contents = file.Slice(offset, size);
  if (type == kBlockUncompressed) return contents;
  if (type == kBlockSnappy) return Decompress(contents, handle, max_size);
  return Error(StatusCode::kUnimplemented, "block has a compression type that is not read")
      .Offset(handle.offset)
      .Expected("0 (none) or 1 (Snappy)")
      .Found(std::to_string(type))
      .ToStatus();
}

StatusOr<BlockCursor> BlockCursor::Open(std::string_view contents) {
  if (contents.size() < kRestartSize) return Bad("block is too short for its restart count").ToStatus();
  ByteReader tail(contents.substr(contents.size() - kRestartSize));
  uint32_t count = 0;
  if (!tail.ReadFixedLittleEndian(&count) || count == 0 ||
      count > (contents.size() - kRestartSize) / kRestartSize) {
    return Bad("block claims restart points that it cannot hold")
        .Expected("1 to " + std::to_string((contents.size() - kRestartSize) / kRestartSize))
        .Found(std::to_string(count))
        .ToStatus();
  }
  const size_t entries_size = contents.size() - kRestartSize * (size_t{count} + 1);
  BlockCursor cursor(contents.substr(0, entries_size),
                     contents.substr(entries_size, kRestartSize * size_t{count}));
  uint32_t first = 0;
  if (!cursor.restarts_.ReadFixedLittleEndian(&first) || first != 0) {
    return Bad("block's first restart point is not its first entry").Found(std::to_string(first)).ToStatus();
  }
  cursor.restart_ = first;
  return cursor;
}

StatusOr<std::optional<BlockEntry>> BlockCursor::Next() {
  const size_t offset = entries_.offset();
  if (entries_.AtEnd()) {
    // An empty block has one restart point, at its end.
    if (!restart_ || (offset == 0 && restarts_.AtEnd())) return std::optional<BlockEntry>();
    return Bad("restart point lies behind the last entry of its block")
        .Found(std::to_string(*restart_))
        .ToStatus();
  }
  BlockEntry entry;
  uint32_t suffix_size = 0;
  uint32_t value_size = 0;
  if (!entries_.ReadVarint32(&entry.shared) || !entries_.ReadVarint32(&suffix_size) ||
      !entries_.ReadVarint32(&value_size) || !entries_.ReadString(suffix_size, &entry.suffix) ||
      !entries_.ReadString(value_size, &entry.value)) {
    return Bad("entry " + std::to_string(offset) + " bytes into a block runs over its end").ToStatus();
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckRestart(offset, entry.shared));
  return std::optional<BlockEntry>(entry);
}

Status BlockCursor::CheckRestart(size_t offset, uint32_t shared) {
  if (!restart_ || *restart_ > offset) return OkStatus();
  if (*restart_ < offset || shared != 0) {
    return Bad("restart point is not at an entry with a full key")
        .Found(std::to_string(*restart_))
        .ToStatus();
  }
  uint32_t next = 0;
  if (!restarts_.ReadFixedLittleEndian(&next)) {
    restart_.reset();
    return OkStatus();
  }
  if (next <= offset) return Bad("restart points are not ascending").Found(std::to_string(next)).ToStatus();
  restart_ = next;
  return OkStatus();
}

}  // namespace savedmodel::internal
