#include "savedmodel/checkpoint/bundle/internal/read_pass.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/internal/byte_order.h"

namespace savedmodel::internal {
namespace {

constexpr uint64_t kPieceBytes = 4 << 20;    // of large entries; one thread's turn
constexpr uint64_t kBatchBytes = 1 << 20;    // of small entries read by one call
constexpr uint64_t kBatchGap = 4 << 10;      // bytes between neighbours that may be read for nothing
constexpr uint64_t kChunkBytes = 256 << 10;  // read, summed and copied while the processor's cache holds it
constexpr uint64_t kWorkerBytes = 1 << 20;   // for which another thread is worth its start
constexpr int kMaxWorkers = 64;

using Bytes = std::span<const std::byte>;

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool empty() const { return begin >= end; }
};

// The bytes of [begin, end) that the sink copies, and what may lie between them.
Range NeededBySink(const EntrySink& sink, Range range) {
  if (sink.to == nullptr || sink.runs.total() == 0) return {};
  const uint64_t first = sink.runs.FirstBehind(range.begin);
  if (first == sink.runs.run_count()) return {};
  const uint64_t begin = std::max(range.begin, sink.runs.run(first).from);
  if (begin >= range.end) return {};
  uint64_t last = sink.runs.FirstBehind(range.end - 1);
  if (last == sink.runs.run_count() || sink.runs.run(last).from >= range.end) --last;
  return {begin, std::min(range.end, sink.runs.run(last).from + sink.runs.run_length())};
}

// The part of [begin, end) that must be read: all of it for a checksum.
Range Needed(const EntryRead& entry, Range range) {
  if (entry.verify) return range;
  Range needed;
  for (const EntrySink& sink : entry.sinks) {
    const Range more = NeededBySink(sink, range);
    if (more.empty()) continue;
    needed =
        needed.empty() ? more : Range{std::min(needed.begin, more.begin), std::max(needed.end, more.end)};
  }
  return needed;
}

// Where all of [begin, end) goes in one stretch and nowhere else; else null.
std::byte* OnlyTarget(const EntryRead& entry, Range range) {
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

Status CompareChecksum(const EntryRead& entry, uint32_t crc) {
  if (MaskCrc(crc) == entry.bytes.masked_crc32c) return OkStatus();
  return Error(StatusCode::kDataLoss, "checksum of the stored tensor does not match")
      .Expected(Hex32(entry.bytes.masked_crc32c))
      .Found(Hex32(MaskCrc(crc)))
      .ToStatus();
}

}  // namespace

struct ReadPass::State {
  Status status;  // guarded by mutex_
  std::atomic<bool> touched = false;
  std::atomic<bool> finished = false;
  std::atomic<size_t> pieces_left = 0;
  std::vector<uint32_t> piece_crcs;  // each written by the thread of its piece
};

// What one thread does with its units.
class ReadPass::Worker {
 public:
  explicit Worker(ReadPass& pass) : pass_(pass) {}

  void Read(const Unit& unit) {
    if (unit.count > 1 || IsWhole(unit)) return ReadWhole(unit);
    uint32_t crc = 0;
    const Status status = ReadPiece(unit.entry, {unit.begin, unit.end}, &crc);
    if (!status.ok()) return pass_.Fail(unit.entry, status);
    pass_.FinishPiece(unit, crc);
  }

 private:
  EntryRead& entry(size_t i) const { return pass_.entries_[i]; }
  State& state(size_t i) const { return pass_.states_[i]; }
  bool foreign() const { return pass_.options_.header.foreign_order(); }

  // Pieces are of entries that have some.
  bool IsWhole(const Unit& unit) const { return state(unit.entry).piece_crcs.empty(); }

  void ReadWhole(const Unit& unit) {
    if (unit.count == 1 && unit.end >= kMappedBytes) return Finish(unit.entry, ReadLargeElements(unit.entry));
    const EntryRead& first = entry(unit.entry);
    const StatusOr<Bytes> bytes = ReadToScratch(first, {unit.begin, unit.end});
    for (size_t i = unit.entry; i < unit.entry + unit.count; ++i) {
      Finish(i, bytes.ok() ? ReadSmall(i, bytes->subspan(entry(i).bytes.offset - first.bytes.offset,
                                                         entry(i).bytes.size))
                           : bytes.status());
    }
  }

  void Finish(size_t i, const Status& status) {
    if (!status.ok()) return pass_.Fail(i, status);
    state(i).finished = true;
  }

  // `range` is relative to the entry.
  StatusOr<Bytes> ReadToScratch(const EntryRead& e, Range range) {
    const uint64_t size = range.end - range.begin;
    if (scratch_.size() < size) {
      SAVEDMODEL_ASSIGN_OR_RETURN(scratch_,
                                  MutableBuffer::Allocate(static_cast<size_t>(std::max(size, kChunkBytes))));
    }
    const std::span<std::byte> bytes = scratch_.bytes().first(static_cast<size_t>(size));
    SAVEDMODEL_RETURN_IF_ERROR(ReadInto(e, range.begin, bytes));
    return Bytes(bytes);
  }

  Status ReadInto(const EntryRead& e, uint64_t begin, std::span<std::byte> bytes) {
    pass_.bytes_read_ += bytes.size();
    return e.file->ReadAt(e.bytes.offset + begin, bytes);
  }

  StatusOr<Buffer> Map(const EntryRead& e, Range range) {
    pass_.bytes_read_ += range.end - range.begin;
    if (!e.mapping.empty()) {
      return e.mapping.Slice(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin));
    }
    return e.file->Map(e.bytes.offset + range.begin, range.end - range.begin);
  }

  // All bytes are here, so nothing is copied before they are known to be sound.
  Status ReadSmall(size_t i, Bytes bytes) {
    EntryRead& e = entry(i);
    if (!e.fixed_size()) {
      if (!e.keep_elements) return Decode(e, Buffer(nullptr, bytes));
      SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer copy, Buffer::Copy(bytes));
      return Decode(e, copy);
    }
    if (e.verify) SAVEDMODEL_RETURN_IF_ERROR(CompareChecksum(e, ExtendCrc32c(0, bytes)));
    if (e.check_bools) SAVEDMODEL_RETURN_IF_ERROR(CheckBools(bytes, e.bytes.offset));
    CopyToSinks(i, 0, bytes);
    return OkStatus();
  }

  Status ReadLargeElements(size_t i) {
    EntryRead& e = entry(i);
    if (pass_.options_.map) {
      SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer mapping, Map(e, {0, e.bytes.size}));
      return Decode(e, mapping);
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer copy,
                                MutableBuffer::Allocate(static_cast<size_t>(e.bytes.size)));
    SAVEDMODEL_RETURN_IF_ERROR(ReadInto(e, 0, copy.bytes()));
    return Decode(e, std::move(copy).Freeze());
  }

  Status Decode(EntryRead& e, const Buffer& bytes) {
    const ElementChecks checks{pass_.options_.header.big_endian, e.verify, e.bytes.masked_crc32c,
                               e.bytes.offset};
    SAVEDMODEL_ASSIGN_OR_RETURN(Elements elements, e.dtype == DType::kString
                                                       ? DecodeStrings(bytes, e.elements, checks)
                                                       : DecodeVariants(bytes, e.elements, checks));
    if (e.keep_elements) e.decoded = std::move(elements);
    return OkStatus();
  }

  Status ReadPiece(size_t i, Range piece, uint32_t* crc) {
    const EntryRead& e = entry(i);
    if (!pass_.options_.map) return ReadPieceInChunks(i, piece, crc);
    const Range range = Needed(e, piece);
    if (range.empty()) return OkStatus();
    SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer mapping, Map(e, range));
    return Consume(i, range.begin, mapping.bytes(), crc);
  }

  Status ReadPieceInChunks(size_t i, Range piece, uint32_t* crc) {
    const EntryRead& e = entry(i);
    for (uint64_t begin = piece.begin; begin < piece.end; begin += kChunkBytes) {
      const Range range = Needed(e, {begin, std::min(piece.end, begin + kChunkBytes)});
      if (range.empty()) continue;
      if (std::byte* target = OnlyTarget(e, range)) {
        SAVEDMODEL_RETURN_IF_ERROR(ReadToTarget(i, range, target, crc));
      } else {
        SAVEDMODEL_ASSIGN_OR_RETURN(const Bytes bytes, ReadToScratch(e, range));
        SAVEDMODEL_RETURN_IF_ERROR(Consume(i, range.begin, bytes, crc));
      }
    }
    return OkStatus();
  }

  Status ReadToTarget(size_t i, Range range, std::byte* target, uint32_t* crc) {
    const EntryRead& e = entry(i);
    const std::span<std::byte> bytes(target, static_cast<size_t>(range.end - range.begin));
    state(i).touched = true;
    SAVEDMODEL_RETURN_IF_ERROR(ReadInto(e, range.begin, bytes));
    if (e.verify) *crc = ExtendCrc32c(*crc, bytes);
    if (e.check_bools) SAVEDMODEL_RETURN_IF_ERROR(CheckBools(bytes, e.bytes.offset + range.begin));
    if (foreign()) SwapBytes(bytes, DTypeSwapUnit(e.dtype));
    return OkStatus();
  }

  // Sums and copies `bytes`, which are the entry's from `begin` on.
  Status Consume(size_t i, uint64_t begin, Bytes bytes, uint32_t* crc) {
    const EntryRead& e = entry(i);
    std::byte* target = OnlyTarget(e, {begin, begin + bytes.size()});
    if (target == nullptr || !e.verify || e.check_bools) return ConsumeInChunks(i, begin, bytes, crc);
    state(i).touched = true;
    *crc = CopyAndExtendCrc32c(*crc, bytes, target);
    if (foreign()) SwapBytes({target, bytes.size()}, DTypeSwapUnit(e.dtype));
    return OkStatus();
  }

  Status ConsumeInChunks(size_t i, uint64_t begin, Bytes bytes, uint32_t* crc) {
    const EntryRead& e = entry(i);
    for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
      const Bytes chunk = bytes.subspan(at, std::min<size_t>(kChunkBytes, bytes.size() - at));
      if (e.verify) *crc = ExtendCrc32c(*crc, chunk);
      if (e.check_bools) SAVEDMODEL_RETURN_IF_ERROR(CheckBools(chunk, e.bytes.offset + begin + at));
      CopyToSinks(i, begin + at, chunk);
    }
    return OkStatus();
  }

  // `bytes` are the entry's from `begin` on. Elements are never cut: chunks and runs are of whole ones.
  void CopyToSinks(size_t i, uint64_t begin, Bytes bytes) {
    const uint64_t end = begin + bytes.size();
    for (const EntrySink& sink : entry(i).sinks) {
      if (sink.to == nullptr || sink.runs.run_length() == 0) continue;
      for (uint64_t r = sink.runs.FirstBehind(begin); r < sink.runs.run_count(); ++r) {
        const CopyRuns::Run run = sink.runs.run(r);
        if (run.from >= end) break;
        const uint64_t from = std::max(run.from, begin);
        const uint64_t size = std::min(run.from + sink.runs.run_length(), end) - from;
        std::byte* to = sink.to + run.to + (from - run.from);
        state(i).touched = true;
        std::memcpy(to, bytes.data() + (from - begin), static_cast<size_t>(size));
        if (foreign()) SwapBytes({to, static_cast<size_t>(size)}, DTypeSwapUnit(entry(i).dtype));
      }
    }
  }

  ReadPass& pass_;
  MutableBuffer scratch_;
};

ReadPass::ReadPass(std::span<EntryRead> entries, const ReadPassOptions& options, const Control& control)
    : entries_(entries), options_(options), control_(control), states_(entries.size()) {
  PlanUnits();
}

ReadPass::~ReadPass() = default;

const Status& ReadPass::status(size_t i) const { return states_[i].status; }
bool ReadPass::touched(size_t i) const { return states_[i].touched; }
bool ReadPass::finished(size_t i) const { return states_[i].finished; }

namespace {

// An entry that is read whole by one call, alone or with its neighbours.
bool IsSmall(const EntryRead& entry) {
  if (entry.bytes.size >= kMappedBytes) return false;
  if (entry.verify || !entry.fixed_size()) return true;
  const Range needed = Needed(entry, {0, entry.bytes.size});
  return needed.end - needed.begin == entry.bytes.size;
}

uint64_t EndInShard(const EntryRead& entry) { return entry.bytes.offset + entry.bytes.size; }

}  // namespace

void ReadPass::PlanUnits() {
  for (size_t i = 0; i < entries_.size();) {
    if (IsSmall(entries_[i])) {
      i += PlanBatch(i);
    } else if (entries_[i].fixed_size()) {
      PlanPieces(i++);
    } else {
      units_.push_back({i, 1, 0, entries_[i].bytes.size});
      ++i;
    }
  }
}

// Takes small entries from `entry` on into one unit and returns how many.
size_t ReadPass::PlanBatch(size_t entry) {
  const EntryRead& first = entries_[entry];
  uint64_t end = EndInShard(first);
  size_t count = 1;
  for (; entry + count < entries_.size(); ++count) {
    const EntryRead& next = entries_[entry + count];
    const uint64_t new_end = std::max(end, EndInShard(next));
    if (next.bytes.shard != first.bytes.shard || !IsSmall(next) || next.bytes.offset > end + kBatchGap ||
        new_end - first.bytes.offset > kBatchBytes) {
      break;
    }
    end = new_end;
  }
  units_.push_back({entry, count, 0, end - first.bytes.offset});
  return count;
}

void ReadPass::PlanPieces(size_t entry) {
  const EntryRead& e = entries_[entry];
  State& state = states_[entry];
  state.piece_crcs.resize(static_cast<size_t>((e.bytes.size + kPieceBytes - 1) / kPieceBytes));
  for (uint64_t begin = 0; begin < e.bytes.size; begin += kPieceBytes) {
    const Range piece{begin, std::min(e.bytes.size, begin + kPieceBytes)};
    if (Needed(e, piece).empty()) continue;
    units_.push_back({entry, 1, piece.begin, piece.end});
    ++state.pieces_left;
  }
  state.finished = state.pieces_left == 0;
}

size_t ReadPass::NumWorkers(uint64_t bytes) const {
  int limit = control_.executor != nullptr ? control_.executor->concurrency() : control_.threads;
  if (limit == 0) limit = static_cast<int>(std::thread::hardware_concurrency());
  const auto workers = static_cast<uint64_t>(std::clamp(limit, 1, kMaxWorkers));
  return static_cast<size_t>(std::min({workers, uint64_t{units_.size()}, bytes / kWorkerBytes + 1}));
}

Status ReadPass::Run() {
  uint64_t bytes = 0;
  for (const Unit& unit : units_) bytes += unit.end - unit.begin;
  progress_ = std::make_unique<ProgressMeter>(control_, bytes);
  const size_t workers = NumWorkers(bytes);
  if (workers <= 1) {
    TakeUnits();
  } else {
    RunAll(control_, std::vector<std::function<void()>>(workers, [this] { TakeUnits(); }));
  }
  return stopped_;
}

void ReadPass::TakeUnits() {
  Worker worker(*this);
  while (!stop_) {
    const size_t i = next_unit_.fetch_add(1);
    if (i >= units_.size()) return;
    if (Status status = control_.Check(); !status.ok()) {
      const std::lock_guard lock(mutex_);
      stopped_ = status;
      stop_ = true;
      return;
    }
    worker.Read(units_[i]);
    progress_->Add(units_[i].end - units_[i].begin);
  }
}

void ReadPass::Fail(size_t entry, const Status& status) {
  const std::lock_guard lock(mutex_);
  if (states_[entry].status.ok()) states_[entry].status = AtEntry(status, entries_[entry]);
  if (options_.stop_at_error) stop_ = true;
}

// Whoever finishes the last piece joins the checksums of all.
void ReadPass::FinishPiece(const Unit& unit, uint32_t crc) {
  const EntryRead& entry = entries_[unit.entry];
  State& state = states_[unit.entry];
  state.piece_crcs[static_cast<size_t>(unit.begin / kPieceBytes)] = crc;
  if (state.pieces_left.fetch_sub(1) != 1) return;
  state.finished = true;
  if (!entry.verify) return;
  uint32_t all = 0;
  for (size_t i = 0; i < state.piece_crcs.size(); ++i) {
    const uint64_t begin = i * kPieceBytes;
    all = CombineCrc32c(all, state.piece_crcs[i], std::min(kPieceBytes, entry.bytes.size - begin));
  }
  if (Status status = CompareChecksum(entry, all); !status.ok()) Fail(unit.entry, status);
}

}  // namespace savedmodel::internal
