#include "savedmodel/checkpoint/restore.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;

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
    SAVEDMODEL_RETURN_IF_ERROR(CheckFit());
    return CheckDistinct();
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
    std::vector<size_t> order(variables_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return PlaceOf(a).begin < PlaceOf(b).begin; });
    for (size_t k = 1; k < order.size(); ++k) {
      if (PlaceOf(order[k]).begin >= PlaceOf(order[k - 1]).end) continue;
      return Error(StatusCode::kInvalidArgument, "two items of the plan would be written to one place")
          .Path(plan_.items[order[k]].path)
          .Found("also written from " + plan_.items[order[k - 1]].path);
    }
    return OkStatus();
  }

  // Addresses that the value of item i is written to: the wrapped memory, or for an owning variable itself.
  struct Place {
    uintptr_t begin, end;
  };
  Place PlaceOf(size_t i) const {
    const Variable& variable = *variables_[i];
    const bool wraps = variable.wraps_memory() && !variable.wrapped_memory().empty();
    const auto begin = wraps ? reinterpret_cast<uintptr_t>(variable.wrapped_memory().data())
                             : reinterpret_cast<uintptr_t>(&variable);
    return {begin, begin + (wraps ? variable.wrapped_memory().size() : 1)};
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
    ReadReport report;
    Status status = reader_.ReadMany(requests, options_, &report);
    report_->bytes_read += report.bytes_read;
    NoteOutcomes(report, status);
    return status;
  }

  void NoteOutcomes(const ReadReport& report, const Status& status) {
    for (size_t r = 0; r < in_place_.size(); ++r) {
      const size_t i = in_place_[r];
      const bool touched =
          r < report.outcomes.size() && report.outcomes[r] != ReadReport::Outcome::kUntouched;
      if (status.ok()) {
        variables_[i]->MarkInitialized(true);
      } else if (touched) {
        variables_[i]->MarkInitialized(false);
        report_->overwritten.push_back(plan_.items[i].path);
      }
    }
  }

  Status Commit() {
    for (const std::vector<size_t>* items : {&owning_, &staged_}) {
      for (size_t i : *items)
        SAVEDMODEL_RETURN_IF_ERROR(variables_[i]->Assign(values_[i]));  // fits: checked above
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
  return Restorer(reader, plan, variables, mode, options, report).Run();
}

}  // namespace savedmodel
