#include "savedmodel/checkpoint/bundle/internal/read_pass.h"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::internal {
namespace {

constexpr uint64_t kPieceBytes = 4 << 20;   // of large entries; one thread's turn
constexpr uint64_t kBatchBytes = 1 << 20;   // of small entries read by one call
constexpr uint64_t kBatchGap = 4 << 10;     // bytes between neighbours that may be read for nothing
constexpr uint64_t kWorkerBytes = 1 << 20;  // for which another thread is worth its start
constexpr int kMaxWorkers = 64;

// An entry that is read whole by one call, alone or with its neighbours.
bool IsSmall(const EntryRead& entry) {
  if (entry.bytes.size >= kMappedBytes) return false;
  if (entry.verify || !entry.fixed_size()) return true;
  return NeededRange(entry, {0, entry.bytes.size}).size() == entry.bytes.size;
}

uint64_t EndInShard(const EntryRead& entry) { return entry.bytes.offset + entry.bytes.size; }

}  // namespace

struct ReadPass::State {
  Status status;  // guarded by mutex_
  std::atomic<bool> touched = false;
  std::atomic<bool> finished = false;
  std::atomic<size_t> pieces_left = 0;
  std::vector<uint32_t> piece_crcs;  // each written by the thread of its piece
};

ReadPass::ReadPass(std::span<EntryRead> entries, const ReadPassOptions& options, const Control& control)
    : entries_(entries), options_(options), control_(control), states_(entries.size()) {
  PlanUnits();
}

ReadPass::~ReadPass() = default;

const Status& ReadPass::status(size_t i) const { return states_[i].status; }
bool ReadPass::touched(size_t i) const { return states_[i].touched; }
bool ReadPass::finished(size_t i) const { return states_[i].finished; }

void ReadPass::PlanUnits() {
  for (size_t i = 0; i < entries_.size();) {
    if (IsSmall(entries_[i])) {
      i += PlanBatch(i);
    } else if (entries_[i].fixed_size()) {
      PlanPieces(i++);
    } else {
      units_.push_back({UnitKind::kElements, i, 1, {0, entries_[i].bytes.size}});
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
  units_.push_back({UnitKind::kBatch, entry, count, {0, end - first.bytes.offset}});
  return count;
}

void ReadPass::PlanPieces(size_t entry) {
  const EntryRead& e = entries_[entry];
  State& state = states_[entry];
  state.piece_crcs.resize(static_cast<size_t>((e.bytes.size + kPieceBytes - 1) / kPieceBytes));
  for (uint64_t begin = 0; begin < e.bytes.size; begin += kPieceBytes) {
    const EntryRange piece{begin, std::min(e.bytes.size, begin + kPieceBytes)};
    if (NeededRange(e, piece).empty()) continue;
    units_.push_back({UnitKind::kPiece, entry, 1, piece});
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
  for (const Unit& unit : units_) bytes += unit.range.size();
  progress_ = std::make_unique<ProgressMeter>(control_, bytes);
  const size_t workers = NumWorkers(bytes);
  if (workers <= 1) {
    Work();
  } else {
    RunAll(control_, std::vector<std::function<void()>>(workers, [this] { Work(); }));
  }
  return stopped_;
}

// An exception must not leave the thread.
void ReadPass::Work() {
  EntryReader reader(options_.header, options_.map);
  Status status = Guarded([&] { return TakeUnits(reader); });
  bytes_read_ += reader.bytes_read();
  if (status.ok()) return;
  const std::lock_guard lock(mutex_);
  stopped_ = std::move(status);
  stop_ = true;
}

Status ReadPass::TakeUnits(EntryReader& reader) {
  while (!stop_) {
    const size_t i = next_unit_.fetch_add(1);
    if (i >= units_.size()) break;
    SAVEDMODEL_RETURN_IF_ERROR(control_.Check());
    ReadUnit(units_[i], reader);
    progress_->Add(units_[i].range.size());
  }
  return OkStatus();
}

void ReadPass::ReadUnit(const Unit& unit, EntryReader& reader) {
  switch (unit.kind) {
    case UnitKind::kBatch:
      return ReadBatch(unit, reader);
    case UnitKind::kElements:
      return Finish(unit.entry, reader.ReadElements(entries_[unit.entry]));
    case UnitKind::kPiece:
      return ReadPiece(unit, reader);
  }
}

void ReadPass::ReadBatch(const Unit& unit, EntryReader& reader) {
  const std::span<EntryRead> batch = entries_.subspan(unit.entry, unit.count);
  const uint64_t begin = batch.front().bytes.offset;
  const StatusOr<std::span<const std::byte>> bytes = reader.ReadBytes(batch.front(), unit.range);
  for (size_t i = 0; i < batch.size(); ++i) {
    const StoredBytes& place = batch[i].bytes;
    Finish(unit.entry + i, bytes.ok()
                               ? reader.TakeWhole(batch[i],
                                                  bytes->subspan(static_cast<size_t>(place.offset - begin),
                                                                 static_cast<size_t>(place.size)),
                                                  &states_[unit.entry + i].touched)
                               : bytes.status());
  }
}

// Whoever finishes the last piece joins the checksums of all.
void ReadPass::ReadPiece(const Unit& unit, EntryReader& reader) {
  State& state = states_[unit.entry];
  uint32_t crc = 0;
  const Status status = reader.ReadPiece(entries_[unit.entry], unit.range, &state.touched, &crc);
  if (!status.ok()) return Fail(unit.entry, status);
  state.piece_crcs[static_cast<size_t>(unit.range.begin / kPieceBytes)] = crc;
  if (state.pieces_left.fetch_sub(1) == 1) Finish(unit.entry, CompareJoined(unit.entry));
}

Status ReadPass::CompareJoined(size_t entry) const {
  const EntryRead& e = entries_[entry];
  if (!e.verify) return OkStatus();
  uint32_t crc = 0;
  uint64_t begin = 0;
  for (uint32_t piece : states_[entry].piece_crcs) {
    crc = CombineCrc32c(crc, piece, std::min(kPieceBytes, e.bytes.size - begin));
    begin += kPieceBytes;
  }
  return CompareChecksum(e, crc);
}

void ReadPass::Finish(size_t entry, const Status& status) {
  if (!status.ok()) return Fail(entry, status);
  states_[entry].finished = true;
}

void ReadPass::Fail(size_t entry, const Status& status) {
  const std::lock_guard lock(mutex_);
  if (states_[entry].status.ok()) states_[entry].status = AtEntry(status, entries_[entry]);
  if (options_.stop_at_error) stop_ = true;
}

}  // namespace savedmodel::internal
