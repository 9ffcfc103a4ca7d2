#include "savedmodel/checkpoint/restore.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/memory_overlap.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"

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

class Restorer {
 public:
  Restorer(const BundleReader& reader, const RestorePlan& plan,
           std::span<const std::shared_ptr<Variable>> variables, RestoreMode mode, const ReadOptions& options,
           RestoreReport* report)
      : reader_(reader),
        plan_(plan),
        variables_(variables),
        mode_(mode),
        options_(options),
        report_(report) {}

  Status Run() {
    SAVEDMODEL_RETURN_IF_ERROR(Check());
    values_.resize(plan_.items.size());
    for (size_t i = 0; i < plan_.items.size(); ++i) {
      const bool wraps = variables_[i]->wraps_memory();
      (!wraps ? owning_ : mode_ == RestoreMode::kStage ? staged_ : in_place_).push_back(i);
    }
    SAVEDMODEL_RETURN_IF_ERROR(ReadAside(owning_, options_));
    // A mapping would be read when it is copied, too late for an error.
    ReadOptions copied = options_;
    copied.mode = ReadMode::kCopied;
    SAVEDMODEL_RETURN_IF_ERROR(ReadAside(staged_, copied));
    SAVEDMODEL_RETURN_IF_ERROR(ReadInPlace());
    return Commit();
  }

 private:
  Status Check() const {
    SAVEDMODEL_RETURN_IF_ERROR(CheckMode(mode_));
    SAVEDMODEL_RETURN_IF_ERROR(CheckFit());
    SAVEDMODEL_RETURN_IF_ERROR(CheckDistinct());
    return CheckBytes();
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

  Status CheckFit() const {
    if (variables_.size() != plan_.items.size()) {
      return Error(StatusCode::kInvalidArgument, "a restore needs one variable for each item of its plan")
          .Expected(std::to_string(plan_.items.size()))
          .Found(std::to_string(variables_.size()));
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      const RestoreItem& item = plan_.items[i];
      const bool fits = variables_[i] && variables_[i]->dtype() == item.dtype &&
                        variables_[i]->shape().IsCompatibleWith(item.shape);
      if (fits) continue;
      return Error(StatusCode::kInvalidArgument, "a variable does not fit its item of the plan")
          .Key(item.key)
          .Path(item.path)
          .Expected(TensorSpec{item.dtype, item.shape}.ToString())
          .Found(variables_[i] ? variables_[i]->spec().ToString() : "null");
    }
    return OkStatus();
  }

  // Values that go to one place would be written by two threads, and the last would win.
  Status CheckDistinct() const {
    std::vector<MemoryRange> places;
    for (const std::shared_ptr<Variable>& variable : variables_) places.push_back(PlaceOf(*variable));
    const auto shared = internal::FindSharedMemory(places);
    if (!shared) return OkStatus();
    return Error(StatusCode::kInvalidArgument, "two items of the plan would be written to one place")
        .Path(plan_.items[shared->second].path)
        .Found("also written from " + plan_.items[shared->first].path);
  }

  // Addresses that a value is written to: the wrapped memory, or for an owning variable itself.
  static MemoryRange PlaceOf(const Variable& variable) {
    if (!variable.wrapped_memory().empty()) return MemoryRange::Of(variable.wrapped_memory());
    return MemoryRange::Of(std::as_bytes(std::span(&variable, 1)));
  }

  ReadRequest Request(size_t i) const {
    ReadRequest request;
    request.key = plan_.items[i].key;
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

  Status ReadInPlace() {
    if (in_place_.empty()) return OkStatus();
    std::vector<ReadRequest> requests;
    for (size_t i : in_place_) {
      requests.push_back(Request(i));
      requests.back().destination = variables_[i]->wrapped_memory();
    }
    if (mode_ == RestoreMode::kVerifyFirst && options_.verify != Verify::kNever) {
      SAVEDMODEL_RETURN_IF_ERROR(reader_.VerifyMany(requests, options_));
      for (size_t i : in_place_) report_->bytes_read += plan_.items[i].bytes;
    }
    // Taken now: what was overwritten must be told also when no memory is left.
    std::vector<std::string> paths;
    for (size_t i : in_place_) paths.push_back(plan_.items[i].path);
    report_->overwritten.reserve(paths.size());
    ReadReport report;
    Status status = reader_.ReadMany(requests, options_, &report);
    report_->bytes_read += report.bytes_read;
    NoteOutcomes(report, status, std::move(paths));
    return status;
  }

  void NoteOutcomes(const ReadReport& report, const Status& status, std::vector<std::string> paths) {
    for (size_t r = 0; r < in_place_.size(); ++r) {
      Variable& variable = *variables_[in_place_[r]];
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
    for (const std::vector<size_t>* items : {&owning_, &staged_}) {
      for (size_t i : *items)
        SAVEDMODEL_RETURN_IF_ERROR(variables_[i]->Assign(std::move(values_[i])));  // fits: checked above
    }
    return OkStatus();
  }

  const BundleReader& reader_;
  const RestorePlan& plan_;
  std::span<const std::shared_ptr<Variable>> variables_;
  RestoreMode mode_;
  const ReadOptions& options_;
  RestoreReport* report_;
  // Items by how they are read: into tensors that are swapped in, into copies, into the caller's memory.
  std::vector<size_t> owning_, staged_, in_place_;
  std::vector<Tensor> values_;  // by item; empty for those read in place
};

}  // namespace

Status Restore(const BundleReader& reader, const RestorePlan& plan,
               std::span<const std::shared_ptr<Variable>> variables, RestoreMode mode,
               const ReadOptions& options, RestoreReport* report) {
  RestoreReport own;
  if (!report) report = &own;
  *report = {};
  return internal::Guarded([&] { return Restorer(reader, plan, variables, mode, options, report).Run(); });
}

}  // namespace savedmodel
