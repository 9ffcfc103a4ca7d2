#include "savedmodel/tests/support/fault_file_system.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "savedmodel/base/internal/read_fully.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::testing {

using Call = FaultFileSystem::Call;

struct FaultFileSystem::State {
  struct Named {
    Call call;
    std::string suffix;
    Status status;
  };

  mutable std::mutex mutex;
  std::array<int, kCalls> counts{};
  std::map<std::pair<Call, int>, Status> nth;  // by the call's number since the counts began
  std::vector<Named> named;
  std::vector<Range> ranges;
  std::function<void(Call, const std::string&)> hook;
  bool map_by_copy = false;
  bool in_pieces = false;

  // Counts a call and gives the error it is to fail with.
  Status Enter(Call call, const std::string& file) {
    std::function<void(Call, const std::string&)> run;
    {
      const std::lock_guard lock(mutex);
      run = hook;
    }
    if (run) run(call, file);
    const std::lock_guard lock(mutex);
    const int number = ++counts[static_cast<size_t>(call)];
    if (auto it = nth.find({call, number}); it != nth.end()) return it->second;
    for (const Named& fault : named) {
      if (fault.call == call && file.ends_with(fault.suffix)) return fault.status;
    }
    return OkStatus();
  }

  Status EnterRange(Call call, const std::string& file, uint64_t offset, uint64_t size) {
    if (Status status = Enter(call, file); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    ranges.push_back({file, offset, size, call});
    return OkStatus();
  }

  bool MapsByCopy() const {
    const std::lock_guard lock(mutex);
    return map_by_copy;
  }
  bool ReadsInPieces() const {
    const std::lock_guard lock(mutex);
    return in_pieces;
  }
};

namespace {

using State = FaultFileSystem::State;

constexpr int kMostInOnePiece = 7;

// What pread does on a bad day: a few bytes a call, every third interrupted.
Status ReadPieces(const RandomAccessFile& file, uint64_t offset, std::span<std::byte> out) {
  int calls = 0;
  Status status;
  const internal::ReadOutcome outcome =
      internal::ReadFully(offset, out, [&](void* to, size_t size, uint64_t at) -> long {
        if (++calls % 3 == 0) return errno = EINTR, -1;
        const size_t piece = std::min(size, static_cast<size_t>(calls % kMostInOnePiece + 1));
        status = file.ReadAt(at, std::span(static_cast<std::byte*>(to), piece));
        return status.ok() ? static_cast<long>(piece) : 0;
      });
  return outcome.done == out.size() ? OkStatus() : status;
}

class FaultFile : public RandomAccessFile {
 public:
  FaultFile(std::shared_ptr<const RandomAccessFile> inner, std::shared_ptr<State> state)
      : inner_(std::move(inner)), state_(std::move(state)) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->EnterRange(Call::kReadAt, name(), offset, out.size()));
    return state_->ReadsInPieces() ? ReadPieces(*inner_, offset, out) : inner_->ReadAt(offset, out);
  }
  StatusOr<Buffer> Map(uint64_t offset, uint64_t size) const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->EnterRange(Call::kMap, name(), offset, size));
    if (state_->ReadsInPieces()) {
      SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer copy, MutableBuffer::Allocate(size));
      SAVEDMODEL_RETURN_IF_ERROR(ReadPieces(*inner_, offset, copy.bytes()));
      return std::move(copy).Freeze();
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(Buffer mapped, inner_->Map(offset, size));
    if (state_->MapsByCopy()) return Buffer::Copy(mapped.bytes());
    return mapped;
  }

 private:
  std::shared_ptr<const RandomAccessFile> inner_;
  std::shared_ptr<State> state_;
};

class FaultDirectory : public Directory {
 public:
  FaultDirectory(std::shared_ptr<const Directory> inner, std::shared_ptr<State> state)
      : inner_(std::move(inner)), state_(std::move(state)) {}

  const std::string& name() const override { return inner_->name(); }
  StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(std::string_view name) const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->Enter(Call::kOpenFile, JoinPath(inner_->name(), name)));
    SAVEDMODEL_ASSIGN_OR_RETURN(auto file, inner_->OpenFile(name));
    return std::make_shared<FaultFile>(std::move(file), state_);
  }
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view name) const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->Enter(Call::kOpenDirectory, JoinPath(inner_->name(), name)));
    SAVEDMODEL_ASSIGN_OR_RETURN(auto directory, inner_->OpenDirectory(name));
    return std::make_shared<FaultDirectory>(std::move(directory), state_);
  }
  StatusOr<FileKind> Stat(std::string_view name) const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->Enter(Call::kStat, JoinPath(inner_->name(), name)));
    return inner_->Stat(name);
  }
  StatusOr<std::vector<DirectoryEntry>> List() const override {
    SAVEDMODEL_RETURN_IF_ERROR(state_->Enter(Call::kList, inner_->name()));
    return inner_->List();
  }

 private:
  std::shared_ptr<const Directory> inner_;
  std::shared_ptr<State> state_;
};

}  // namespace

FaultFileSystem::FaultFileSystem(std::shared_ptr<const FileSystem> inner)
    : inner_(std::move(inner)), state_(std::make_shared<State>()) {}

void FaultFileSystem::FailNth(Call call, int n, Status status) {
  const std::lock_guard lock(state_->mutex);
  state_->nth[{call, state_->counts[static_cast<size_t>(call)] + n}] = std::move(status);
}

void FaultFileSystem::FailNamed(Call call, std::string suffix, Status status) {
  const std::lock_guard lock(state_->mutex);
  state_->named.push_back({call, std::move(suffix), std::move(status)});
}

void FaultFileSystem::ClearFailures() {
  const std::lock_guard lock(state_->mutex);
  state_->nth.clear();
  state_->named.clear();
}

void FaultFileSystem::OnCall(std::function<void(Call, const std::string& file)> hook) {
  const std::lock_guard lock(state_->mutex);
  state_->hook = std::move(hook);
}

void FaultFileSystem::MapByCopy(bool copy) {
  const std::lock_guard lock(state_->mutex);
  state_->map_by_copy = copy;
}

void FaultFileSystem::ReadInPieces(bool pieces) {
  const std::lock_guard lock(state_->mutex);
  state_->in_pieces = pieces;
}

int FaultFileSystem::calls(Call call) const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts[static_cast<size_t>(call)];
}

std::vector<FaultFileSystem::Range> FaultFileSystem::ranges() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ranges;
}

uint64_t FaultFileSystem::bytes_read(std::string_view suffix) const {
  uint64_t sum = 0;
  for (const Range& range : ranges()) {
    if (std::string_view(range.file).ends_with(suffix)) sum += range.size;
  }
  return sum;
}

void FaultFileSystem::ResetCounts() {
  const std::lock_guard lock(state_->mutex);
  // Pending faults keep their distance from now.
  std::map<std::pair<Call, int>, Status> pending;
  for (auto& [key, status] : state_->nth) {
    const int left = key.second - state_->counts[static_cast<size_t>(key.first)];
    if (left > 0) pending[{key.first, left}] = std::move(status);
  }
  state_->nth = std::move(pending);
  state_->counts.fill(0);
  state_->ranges.clear();
}

StatusOr<std::shared_ptr<const Directory>> FaultFileSystem::OpenDirectory(std::string_view path) const {
  SAVEDMODEL_RETURN_IF_ERROR(state_->Enter(Call::kOpenDirectory, std::string(path)));
  SAVEDMODEL_ASSIGN_OR_RETURN(auto directory, inner_->OpenDirectory(path));
  return std::make_shared<FaultDirectory>(std::move(directory), state_);
}

}  // namespace savedmodel::testing
