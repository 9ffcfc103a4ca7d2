#include "savedmodel/checkpoint/bundle/internal/entry_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/internal/byte_order.h"

namespace savedmodel::internal {
namespace {

// Read, summed and copied while the processor's cache holds it.
constexpr uint64_t kChunkBytes = 256 << 10;

using Bytes = std::span<const std::byte>;

EntryRange NeededBySink(const EntryRead& entry, const EntrySink& sink, EntryRange range) {
  if ((sink.to == nullptr && !entry.has_bools()) || sink.runs.total() == 0) return {};
  const uint64_t first = sink.runs.FirstBehind(range.begin);
  if (first == sink.runs.run_count()) return {};
  const uint64_t begin = std::max(range.begin, sink.runs.run(first).from);
  if (begin >= range.end) return {};
  uint64_t last = sink.runs.FirstBehind(range.end - 1);
  if (last == sink.runs.run_count() || sink.runs.run(last).from >= range.end) --last;
  return {begin, std::min(range.end, sink.runs.run(last).from + sink.runs.run_length())};
}

// Where all of `range` goes in one stretch and nowhere else; else null.
std::byte* OnlyTarget(const EntryRead& entry, EntryRange range) {
  if (entry.sinks.size() != 1 || entry.sinks.front().to == nullptr) return nullptr;
  const EntrySink& sink = entry.sinks.front();
  const uint64_t i = sink.runs.FirstBehind(range.begin);
  if (i == sink.runs.run_count()) return nullptr;
  const CopyRuns::Run run = sink.runs.run(i);
  if (run.from > range.begin || run.from + sink.runs.run_length() < range.end) return nullptr;
  return sink.to + run.to + (range.begin - run.from);
}

Status CheckBools(Bytes bytes, uint64_t file_offset) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bytes.end()) return OkStatus();
  return Error(StatusCode::kDataLoss, "bool is neither 0 nor 1")
      .Offset(file_offset + static_cast<uint64_t>(bad - bytes.begin()))
      .Found(std::to_string(static_cast<int>(*bad)))
      .ToStatus();
}

// Calls `visit(run, from, size)` for each stretch of `size` bytes, from byte `from` of the entry on, that
// `range` and a run of `sink` have in common.
template <class Visit>
void ForEachStretch(const EntrySink& sink, EntryRange range, Visit visit) {
  if (sink.runs.run_length() == 0) return;
  for (uint64_t r = sink.runs.FirstBehind(range.begin); r < sink.runs.run_count(); ++r) {
    const CopyRuns::Run run = sink.runs.run(r);
    if (run.from >= range.end) break;
    const uint64_t from = std::max(run.from, range.begin);
    visit(run, from, std::min(run.from + sink.runs.run_length(), range.end) - from);
  }
}

// `bytes` are the entry's from `begin` on. An entry that is verified is sound as a whole or not at all; of one
// that is not, only what is wanted counts, not what happens to be read along with it.
Status CheckBools(const EntryRead& entry, uint64_t begin, Bytes bytes) {
  if (!entry.has_bools()) return OkStatus();
  if (entry.verify) return CheckBools(bytes, entry.bytes.offset + begin);
  Status status;
  for (const EntrySink& sink : entry.sinks) {
    ForEachStretch(sink, {begin, begin + bytes.size()}, [&](CopyRuns::Run, uint64_t from, uint64_t size) {
      if (!status.ok()) return;
      const Bytes wanted = bytes.subspan(static_cast<size_t>(from - begin), static_cast<size_t>(size));
      status = CheckBools(wanted, entry.bytes.offset + from);
    });
  }
  return status;
}

}  // namespace

EntryRange NeededRange(const EntryRead& entry, EntryRange range) {
  if (entry.verify) return range;
  EntryRange needed;
  for (const EntrySink& sink : entry.sinks) {
    const EntryRange more = NeededBySink(entry, sink, range);
    if (more.empty()) continue;
    if (needed.empty()) needed = more;
    needed = {std::min(needed.begin, more.begin), std::max(needed.end, more.end)};
  }
  return needed;
}

Status CompareChecksum(const EntryRead& entry, uint32_t crc) {
  if (MaskCrc(crc) == entry.bytes.masked_crc32c) return OkStatus();
  return Error(StatusCode::kDataLoss, "checksum of the stored tensor does not match")
      .Expected(Hex32(entry.bytes.masked_crc32c))
      .Found(Hex32(MaskCrc(crc)))
      .ToStatus();
}

StatusOr<Bytes> EntryReader::ReadBytes(const EntryRead& entry, EntryRange range) {
  if (scratch_.size() < range.size()) {
    // A single small tensor takes no more than itself; many sizes in turn do not allocate each time.
    const uint64_t size = std::max<uint64_t>(range.size(), 2 * scratch_.size());
    SAVEDMODEL_ASSIGN_OR_RETURN(scratch_, MutableBuffer::Allocate(static_cast<size_t>(size)));
  }
  const std::span<std::byte> bytes = scratch_.bytes().first(static_cast<size_t>(range.size()));
  SAVEDMODEL_RETURN_IF_ERROR(ReadInto(entry, range.begin, bytes));
  return Bytes(bytes);
}

Status EntryReader::ReadInto(const EntryRead& entry, uint64_t begin, std::span<std::byte> bytes) {
  bytes_read_ += bytes.size();
  return entry.file->ReadAt(entry.bytes.offset + begin, bytes);
}

StatusOr<Buffer> EntryReader::Map(const EntryRead& entry, EntryRange range) {
  bytes_read_ += range.size();
  if (entry.mapping.empty()) return MapFile(*entry.file, entry.bytes.offset + range.begin, range.size());
  return entry.mapping.Slice(static_cast<size_t>(range.begin), static_cast<size_t>(range.size()));
}

Status EntryReader::TakeWhole(EntryRead& entry, Bytes bytes, std::atomic<bool>* touched) {
  if (!entry.fixed_size()) {
    if (!entry.keep_elements) return Decode(entry, Buffer(nullptr, bytes));
    SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer copy, Buffer::Copy(bytes));
    return Decode(entry, copy);
  }
  if (entry.verify) SAVEDMODEL_RETURN_IF_ERROR(CompareChecksum(entry, ExtendCrc32c(0, bytes)));
  SAVEDMODEL_RETURN_IF_ERROR(CheckBools(entry, 0, bytes));
  CopyToSinks(entry, 0, bytes, touched);
  return OkStatus();
}

Status EntryReader::ReadElements(EntryRead& entry) {
  if (map_) {
    SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer mapping, Map(entry, {0, entry.bytes.size}));
    return Decode(entry, mapping);
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer copy,
                              MutableBuffer::Allocate(static_cast<size_t>(entry.bytes.size)));
  SAVEDMODEL_RETURN_IF_ERROR(ReadInto(entry, 0, copy.bytes()));
  return Decode(entry, std::move(copy).Freeze());
}

Status EntryReader::Decode(EntryRead& entry, const Buffer& bytes) const {
  const ElementChecks checks{header_.big_endian, entry.verify, entry.bytes.masked_crc32c, entry.bytes.offset};
  SAVEDMODEL_ASSIGN_OR_RETURN(Elements elements, entry.dtype == DType::kString
                                                     ? DecodeStrings(bytes, entry.elements, checks)
                                                     : DecodeVariants(bytes, entry.elements, checks));
  if (entry.keep_elements) entry.decoded = std::move(elements);
  return OkStatus();
}

Status EntryReader::ReadPiece(const EntryRead& entry, EntryRange piece, std::atomic<bool>* touched,
                              uint32_t* crc) {
  if (!map_) return ReadPieceInChunks(entry, piece, touched, crc);
  const EntryRange range = NeededRange(entry, piece);
  if (range.empty()) return OkStatus();
  SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer mapping, Map(entry, range));
  return Consume(entry, range.begin, mapping.bytes(), touched, crc);
}

Status EntryReader::ReadPieceInChunks(const EntryRead& entry, EntryRange piece, std::atomic<bool>* touched,
                                      uint32_t* crc) {
  for (uint64_t begin = piece.begin; begin < piece.end; begin += kChunkBytes) {
    const EntryRange range = NeededRange(entry, {begin, std::min(piece.end, begin + kChunkBytes)});
    if (range.empty()) continue;
    std::byte* target = OnlyTarget(entry, range);
    if (target != nullptr && !entry.has_bools()) {
      *touched = true;
      SAVEDMODEL_RETURN_IF_ERROR(ReadToTarget(entry, range, target, crc));
    } else {
      SAVEDMODEL_ASSIGN_OR_RETURN(const Bytes bytes, ReadBytes(entry, range));
      SAVEDMODEL_RETURN_IF_ERROR(Consume(entry, range.begin, bytes, touched, crc));
    }
  }
  return OkStatus();
}

Status EntryReader::ReadToTarget(const EntryRead& entry, EntryRange range, std::byte* target, uint32_t* crc) {
  const std::span<std::byte> bytes(target, static_cast<size_t>(range.size()));
  SAVEDMODEL_RETURN_IF_ERROR(ReadInto(entry, range.begin, bytes));
  if (entry.verify) *crc = ExtendCrc32c(*crc, bytes);
  ToHostOrder(entry, bytes);
  return OkStatus();
}

// Sums and copies `bytes`, which are the entry's from `begin` on.
Status EntryReader::Consume(const EntryRead& entry, uint64_t begin, Bytes bytes, std::atomic<bool>* touched,
                            uint32_t* crc) const {
  std::byte* target = OnlyTarget(entry, {begin, begin + bytes.size()});
  if (target == nullptr || !entry.verify || entry.has_bools()) {
    return ConsumeInChunks(entry, begin, bytes, touched, crc);
  }
  *touched = true;
  *crc = CopyAndExtendCrc32c(*crc, bytes, target);
  ToHostOrder(entry, {target, bytes.size()});
  return OkStatus();
}

Status EntryReader::ConsumeInChunks(const EntryRead& entry, uint64_t begin, Bytes bytes,
                                    std::atomic<bool>* touched, uint32_t* crc) const {
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const Bytes chunk = bytes.subspan(at, std::min<size_t>(kChunkBytes, bytes.size() - at));
    if (entry.verify) *crc = ExtendCrc32c(*crc, chunk);
    SAVEDMODEL_RETURN_IF_ERROR(CheckBools(entry, begin + at, chunk));
    CopyToSinks(entry, begin + at, chunk, touched);
  }
  return OkStatus();
}

// Elements are never cut: pieces, chunks and runs are of whole ones.
void EntryReader::CopyToSinks(const EntryRead& entry, uint64_t begin, Bytes bytes,
                              std::atomic<bool>* touched) const {
  for (const EntrySink& sink : entry.sinks) {
    if (sink.to == nullptr) continue;
    ForEachStretch(sink, {begin, begin + bytes.size()}, [&](CopyRuns::Run run, uint64_t from, uint64_t size) {
      std::byte* to = sink.to + run.to + (from - run.from);
      *touched = true;
      std::memcpy(to, bytes.data() + (from - begin), static_cast<size_t>(size));
      ToHostOrder(entry, {to, static_cast<size_t>(size)});
    });
  }
}

void EntryReader::ToHostOrder(const EntryRead& entry, std::span<std::byte> bytes) const {
  if (header_.foreign_order()) SwapBytes(bytes, DTypeSwapUnit(entry.dtype));
}

}  // namespace savedmodel::internal
