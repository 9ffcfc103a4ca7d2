#include "savedmodel/checkpoint/restore.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/memory_overlap.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/python_state.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::MemoryRange;

Status CheckMode(RestoreMode mode) {
  switch (mode) {
    case RestoreMode::kVerifyFirst:
    case RestoreMode::kStage:
    case RestoreMode::kInPlace:
      return OkStatus();
  }
  return Error(StatusCode::kInvalidArgument, "RestoreMode is none that there is")
      .Found(std::to_string(static_cast<int>(mode)));
}

// What the value of `item` takes in memory; at most UINT64_MAX.
uint64_t ValueBytes(const BundleReader& reader, const RestoreItem& item) {
  if (!IsFixedSize(item.dtype)) {
    const StatusOr<TensorInfo> info = reader.Find(item.key);
    return info.ok() ? info->stored_bytes() : 0;  // the read says what is wrong
  }
  uint64_t bytes = 0;
  const auto elements = static_cast<uint64_t>(item.shape.num_elements());
  return __builtin_mul_overflow(elements, uint64_t{DTypeSize(item.dtype)}, &bytes) ? UINT64_MAX : bytes;
}

// An object of the plan and the items it takes: [begin, end).
struct Taker {
  Trackable* object = nullptr;
  Variable* variable = nullptr;  // the same, when it is one
  size_t begin = 0;
  size_t end = 0;
};

class Restorer {
 public:
  Restorer(const BundleReader& reader, const RestorePlan& plan,
           std::span<const std::shared_ptr<Trackable>> objects, RestoreMode mode, const ReadOptions& options,
           RestoreReport* report)
      : reader_(reader), plan_(plan), objects_(objects), mode_(mode), options_(options), report_(report) {}

  Status Run() {
    SAVEDMODEL_RETURN_IF_ERROR(Check());
    SortByHowTheyAreRead();
    SAVEDMODEL_RETURN_IF_ERROR(ReadAside(owning_, options_));
    // A mapping would be read when it is copied, too late for an error.
    ReadOptions copied = options_;
    copied.mode = ReadMode::kCopied;
    SAVEDMODEL_RETURN_IF_ERROR(ReadAside(staged_, copied));
    SAVEDMODEL_RETURN_IF_ERROR(VerifyInPlace());
    SAVEDMODEL_RETURN_IF_ERROR(HandOver());
    SAVEDMODEL_RETURN_IF_ERROR(ReadInPlace());
    return Commit();
  }

 private:
  Status Check() {
    SAVEDMODEL_RETURN_IF_ERROR(CheckMode(mode_));
    SAVEDMODEL_RETURN_IF_ERROR(FindTakers());
    SAVEDMODEL_RETURN_IF_ERROR(CheckDistinct());
    return CheckBytes();
  }

  Status FindTakers() {
    if (objects_.size() != plan_.items.size()) {
      return Error(StatusCode::kInvalidArgument, "a restore needs one object for each item of its plan")
          .Expected(std::to_string(plan_.items.size()))
          .Found(std::to_string(objects_.size()));
    }
    for (size_t i = 0; i < objects_.size(); ++i) {
      if (!objects_[i]) return DoesNotFit(i, "null");
      const bool goes_on = !takers_.empty() && takers_.back().object == objects_[i].get();
      if (!goes_on) takers_.push_back({objects_[i].get(), dynamic_cast<Variable*>(objects_[i].get()), i, i});
      takers_.back().end = i + 1;
    }
    for (const Taker& taker : takers_) SAVEDMODEL_RETURN_IF_ERROR(CheckFit(taker));
    return OkStatus();
  }

  Status CheckFit(const Taker& taker) const {
    const std::vector<CheckpointValue> values = taker.object->CheckpointValues();
    for (size_t i = taker.begin; i < taker.end; ++i) {
      const RestoreItem& item = plan_.items[i];
      if (item.value >= values.size()) return DoesNotFit(i, std::to_string(values.size()) + " values");
      const CheckpointValue& value = values[item.value];
      const bool fits = value.spec.dtype == item.dtype && value.slice == item.slice &&
                        (item.slice || value.spec.shape.IsCompatibleWith(item.shape));
      if (!fits) return DoesNotFit(i, value.spec.ToString());
    }
    return OkStatus();
  }

  Status DoesNotFit(size_t i, std::string found) const {
    const RestoreItem& item = plan_.items[i];
    return Error(StatusCode::kInvalidArgument, "an object does not fit its item of the plan")
        .Key(item.key)
        .Path(item.path)
        .Expected(TensorSpec{item.dtype, item.shape}.ToString())
        .Found(std::move(found));
  }

  Status CheckBytes() const {
    uint64_t left = options_.max_tensor_bytes;
    for (const RestoreItem& item : plan_.items) {
      const uint64_t size = ValueBytes(reader_, item);
      if (size > left) {
        return Error(StatusCode::kResourceExhausted, "values to restore are over the limit of the call")
            .Key(item.key)
            .Path(item.path)
            .Expected("at most " + std::to_string(options_.max_tensor_bytes) + " bytes together");
      }
      left -= size;
    }
    return OkStatus();
  }

  // Values that go to one place would be written by two threads, and the last would win.
  Status CheckDistinct() const {
    std::vector<MemoryRange> places;
    for (const Taker& taker : takers_) places.push_back(PlaceOf(taker));
    const auto shared = internal::FindSharedMemory(places);
    if (!shared) return OkStatus();
    return Error(StatusCode::kInvalidArgument, "two items of the plan would be written to one place")
        .Path(plan_.items[takers_[shared->second].begin].path)
        .Found("also written from " + plan_.items[takers_[shared->first].begin].path);
  }

  // Addresses that a value is written to: the wrapped memory, or for other objects themselves.
  static MemoryRange PlaceOf(const Taker& taker) {
    if (taker.variable && !taker.variable->wrapped_memory().empty())
      return MemoryRange::Of(taker.variable->wrapped_memory());
    return MemoryRange::Of(std::as_bytes(std::span(taker.object, 1)));
  }

  void SortByHowTheyAreRead() {
    values_.resize(plan_.items.size());
    for (const Taker& taker : takers_) {
      const bool wraps = taker.variable && taker.variable->wraps_memory();
      std::vector<size_t>& items = !wraps ? owning_ : mode_ == RestoreMode::kStage ? staged_ : in_place_;
      for (size_t i = taker.begin; i < taker.end; ++i) items.push_back(i);
    }
  }

  ReadRequest Request(size_t i) const {
    ReadRequest request;
    request.key = plan_.items[i].key;
    request.slice = plan_.items[i].slice;
    request.dtype = plan_.items[i].dtype;
    request.shape = plan_.items[i].shape;
    return request;
  }

  Status ReadAside(const std::vector<size_t>& items, const ReadOptions& options) {
    if (items.empty()) return OkStatus();
    std::vector<ReadRequest> requests;
    for (size_t i : items) {
      requests.push_back(Request(i));
      requests.back().tensor = &values_[i];
    }
    ReadReport report;
    Status status = reader_.ReadMany(requests, options, &report);
    report_->bytes_read += report.bytes_read;
    return status;
  }

  std::vector<ReadRequest> RequestsInPlace() const {
    std::vector<ReadRequest> requests;
    for (size_t i : in_place_) {
      requests.push_back(Request(i));
      requests.back().destination = static_cast<Variable&>(*objects_[i]).wrapped_memory();
    }
    return requests;
  }

  Status VerifyInPlace() {
    const bool verifies = mode_ == RestoreMode::kVerifyFirst && options_.verify != Verify::kNever;
    if (in_place_.empty() || !verifies) return OkStatus();
    SAVEDMODEL_RETURN_IF_ERROR(reader_.VerifyMany(RequestsInPlace(), options_));
    for (size_t i : in_place_) report_->bytes_read += plan_.items[i].bytes;
    return OkStatus();
  }

  // Objects that are no variables take theirs before any variable does: they may refuse. States come first, as
  // TensorFlow's do.
  Status HandOver() {
    std::vector<const Taker*> order;
    for (const bool states : {true, false}) {
      for (const Taker& taker : takers_) {
        const bool is_state = dynamic_cast<const PythonState*>(taker.object) != nullptr;
        if (!taker.variable && is_state == states) order.push_back(&taker);
      }
    }
    return HandOver(order);
  }

  Status HandOver(const std::vector<const Taker*>& order) {
    std::vector<std::string> taken;
    for (const Taker* one : order) {
      const Taker& taker = *one;
      taken.reserve(taken.size() + 1);
      std::string path = plan_.items[taker.begin].path;
      if (Status status = HandOverTo(taker); !status.ok()) {
        report_->overwritten = std::move(taken);
        return internal::WithContext(status, {.file = reader_.index_name(), .key = {}, .path = path});
      }
      taken.push_back(std::move(path));
    }
    taken_ = std::move(taken);
    return OkStatus();
  }

  Status HandOverTo(const Taker& taker) {
    std::vector<std::optional<Tensor>> values(taker.object->CheckpointValues().size());
    for (size_t i = taker.begin; i < taker.end; ++i) {
      const size_t index = plan_.items[i].value;
      if (index < values.size()) values[index] = std::move(values_[i]);
    }
    return taker.object->RestoreValues(std::move(values));
  }

  Status ReadInPlace() {
    if (in_place_.empty()) return OkStatus();
    const std::vector<ReadRequest> requests = RequestsInPlace();
    // Taken now: what was overwritten must be told also when no memory is left.
    std::vector<std::string> paths;
    for (size_t i : in_place_) paths.push_back(plan_.items[i].path);
    report_->overwritten.reserve(taken_.size() + paths.size());
    ReadReport report;
    Status status = reader_.ReadMany(requests, options_, &report);
    report_->bytes_read += report.bytes_read;
    if (!status.ok()) std::ranges::move(taken_, std::back_inserter(report_->overwritten));
    NoteOutcomes(report, status, std::move(paths));
    return status;
  }

  void NoteOutcomes(const ReadReport& report, const Status& status, std::vector<std::string> paths) {
    for (size_t r = 0; r < in_place_.size(); ++r) {
      auto& variable = static_cast<Variable&>(*objects_[in_place_[r]]);
      const bool touched =
          r < report.outcomes.size() && report.outcomes[r] != ReadReport::Outcome::kUntouched;
      if (status.ok()) {
        variable.MarkInitialized(true);
      } else if (touched) {
        variable.MarkInitialized(false);
        report_->overwritten.push_back(std::move(paths[r]));
      }
    }
  }

  Status Commit() {
    for (const Taker& taker : takers_) {
      if (!taker.variable || std::ranges::binary_search(in_place_, taker.begin)) continue;
      // It fits: that was checked.
      SAVEDMODEL_RETURN_IF_ERROR(taker.variable->Assign(std::move(values_[taker.begin])));
    }
    return OkStatus();
  }

  const BundleReader& reader_;
  const RestorePlan& plan_;
  std::span<const std::shared_ptr<Trackable>> objects_;
  RestoreMode mode_;
  const ReadOptions& options_;
  RestoreReport* report_;
  std::vector<Taker> takers_;
  // Items by how they are read: into tensors that are handed over, into copies, into the caller's memory.
  std::vector<size_t> owning_, staged_, in_place_;
  std::vector<Tensor> values_;      // by item; empty for those read in place
  std::vector<std::string> taken_;  // paths of objects that have taken theirs
};

}  // namespace

Status Restore(const BundleReader& reader, const RestorePlan& plan,
               std::span<const std::shared_ptr<Trackable>> objects, RestoreMode mode,
               const ReadOptions& options, RestoreReport* report) {
  RestoreReport own;
  if (!report) report = &own;
  *report = {};
  return internal::Guarded([&] { return Restorer(reader, plan, objects, mode, options, report).Run(); });
}

}  // namespace savedmodel
