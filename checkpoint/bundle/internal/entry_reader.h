// The bytes of stored entries on their way: read or mapped, summed, checked and copied to where they go.
//
// One thread's tool: ReadPass gives each of its threads one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_header.h"
#include "savedmodel/checkpoint/bundle/internal/read_plan.h"

namespace savedmodel::internal {

// Bytes [begin, end) of an entry.
struct EntryRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool empty() const { return begin >= end; }
  uint64_t size() const { return empty() ? 0 : end - begin; }
};

// The part of `range` that must be read: all of it for a checksum, else from the first to the last byte that
// a sink copies.
EntryRange NeededRange(const EntryRead& entry, EntryRange range);

Status CompareChecksum(const EntryRead& entry, uint32_t crc);

class EntryReader {
 public:
  EntryReader(const BundleHeader& header, bool map) : header_(header), map_(map) {}

  // Bytes of the shard, counted from the start of `entry`; valid until the next call of this reader.
  StatusOr<std::span<const std::byte>> ReadBytes(const EntryRead& entry, EntryRange range);
  // An entry whose bytes are all here: nothing is copied before they are known to be sound. `*touched` is set
  // before a sink is written to, here and below.
  Status TakeWhole(EntryRead& entry, std::span<const std::byte> bytes, std::atomic<bool>* touched);
  // A large entry of strings or variants.
  Status ReadElements(EntryRead& entry);
  // A piece of a large entry of a fixed-size dtype; `*crc` goes on over its bytes when the entry is verified.
  Status ReadPiece(const EntryRead& entry, EntryRange piece, std::atomic<bool>* touched, uint32_t* crc);

  uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Bytes = std::span<const std::byte>;

  Status ReadInto(const EntryRead& entry, uint64_t begin, std::span<std::byte> bytes);
  StatusOr<Buffer> Map(const EntryRead& entry, EntryRange range);
  Status Decode(EntryRead& entry, const Buffer& bytes) const;
  Status ReadPieceInChunks(const EntryRead& entry, EntryRange piece, std::atomic<bool>* touched,
                           uint32_t* crc);
  Status ReadToTarget(const EntryRead& entry, EntryRange range, std::byte* target, uint32_t* crc);
  Status Consume(const EntryRead& entry, uint64_t begin, Bytes bytes, std::atomic<bool>* touched,
                 uint32_t* crc) const;
  Status ConsumeInChunks(const EntryRead& entry, uint64_t begin, Bytes bytes, std::atomic<bool>* touched,
                         uint32_t* crc) const;
  void CopyToSinks(const EntryRead& entry, uint64_t begin, Bytes bytes, std::atomic<bool>* touched) const;
  void ToHostOrder(const EntryRead& entry, std::span<std::byte> bytes) const;

  BundleHeader header_;
  bool map_;
  MutableBuffer scratch_;
  uint64_t bytes_read_ = 0;
};

}  // namespace savedmodel::internal
