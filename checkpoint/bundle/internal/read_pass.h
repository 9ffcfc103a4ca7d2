// One pass over stored entries: reads or maps their bytes, compares checksums, copies to where they go.
//
// Entries come in the order of the files. Small neighbours are read together, large entries in pieces whose
// checksums are joined; threads take such units from a common list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "savedmodel/base/control.h"
#include "savedmodel/base/internal/progress.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_header.h"
#include "savedmodel/checkpoint/bundle/internal/entry_reader.h"
#include "savedmodel/checkpoint/bundle/internal/read_plan.h"

namespace savedmodel::internal {

// Entries of this size and more are mapped where mapping is wanted; below, a copy is cheaper than pages.
inline constexpr uint64_t kMappedBytes = 64 << 10;

struct ReadPassOptions {
  BundleHeader header = {};
  bool map = true;            // large entries are mapped, else read
  bool stop_at_error = true;  // else every entry is read whatever became of the others
};

class ReadPass {
 public:
  // `entries`, with their shards open, and `control` must outlive the pass.
  ReadPass(std::span<EntryRead> entries, const ReadPassOptions& options, const Control& control);
  ~ReadPass();

  // Reads everything. Errors: Cancelled, DeadlineExceeded and ResourceExhausted (memory) only; those of entries
  // are theirs.
  Status Run();

  // After Run. What became of entry `i`: OK when it was read and is sound.
  const Status& status(size_t i) const;
  // True when bytes were written to a sink of entry `i`.
  bool touched(size_t i) const;
  bool finished(size_t i) const;
  uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct State;
  enum class UnitKind {
    kBatch,     // small entries [entry, entry + count); `range` counts from the start of the first
    kElements,  // one large entry of strings or variants
    kPiece,     // bytes `range` of one large entry
  };
  struct Unit {
    UnitKind kind = UnitKind::kBatch;
    size_t entry = 0;
    size_t count = 1;
    EntryRange range;
  };

  void PlanUnits();
  size_t PlanBatch(size_t entry);
  void PlanPieces(size_t entry);
  size_t NumWorkers(uint64_t bytes) const;

  // What one thread does.
  void Work();
  Status TakeUnits(EntryReader& reader);
  void ReadUnit(const Unit& unit, EntryReader& reader);
  void ReadBatch(const Unit& unit, EntryReader& reader);
  void ReadPiece(const Unit& unit, EntryReader& reader);
  Status CompareJoined(size_t entry) const;
  void Finish(size_t entry, const Status& status);
  void Fail(size_t entry, const Status& status);

  std::span<EntryRead> entries_;
  ReadPassOptions options_;
  const Control& control_;
  std::vector<State> states_;
  std::vector<Unit> units_;
  std::unique_ptr<ProgressMeter> progress_;
  std::atomic<size_t> next_unit_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<uint64_t> bytes_read_ = 0;
  std::mutex mutex_;
  Status stopped_;  // guarded by mutex_
};

}  // namespace savedmodel::internal
