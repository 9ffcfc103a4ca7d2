#include "savedmodel/checkpoint/bundle/internal/bundle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/memory_overlap.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"
#include "savedmodel/checkpoint/bundle/internal/delivery.h"
#include "savedmodel/checkpoint/bundle/internal/problems.h"
#include "savedmodel/checkpoint/bundle/internal/read_options.h"
#include "savedmodel/checkpoint/bundle/internal/read_pass.h"

namespace savedmodel::internal {
namespace {

using Outcome = ReadReport::Outcome;

// True when every line feed of the file has a carriage return before it: hardly chance, likely a copy in text
// mode.
bool HasConvertedLineEnds(std::string_view bytes) {
  size_t feeds = 0;
  for (size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return false;
    ++feeds;
  }
  return feeds > 0;
}

Status NoRequests() { return Error(StatusCode::kInvalidArgument, "no tensors are asked for").ToStatus(); }

// Memory that VerifyMany would not touch need not be there.
bool WantsDelivery(const ReadRequest& request) {
  return request.tensor != nullptr || request.destination.data() != nullptr;
}

// What a delivery writes to: the destination, or the tensor object itself.
MemoryRange Target(const ReadRequest& request) {
  if (request.tensor == nullptr) return MemoryRange::Of(request.destination);
  return MemoryRange::Of(std::as_bytes(std::span(request.tensor, 1)));
}

// Two values in one place would be written by two threads: neither would be there.
Status CheckApart(std::span<const ReadRequest> requests) {
  std::vector<MemoryRange> targets;
  targets.reserve(requests.size());
  for (const ReadRequest& request : requests) targets.push_back(Target(request));
  const auto shared = FindSharedMemory(targets);
  if (!shared) return OkStatus();
  const auto [first, second] = *shared;
  return Error(StatusCode::kInvalidArgument, "two requests would be written to the same memory")
      .Key(requests[first].key)
      .Found("request " + std::to_string(first) + " shares memory with request " + std::to_string(second))
      .ToStatus();
}

// Understands one request after another; several for one key in a row look it up once.
class Planner {
 public:
  explicit Planner(const BundleIndex& index) : index_(index) {}

  StatusOr<PlannedValue> Plan(const ReadRequest& request) {
    if (!info_ || info_->key != request.key) {
      SAVEDMODEL_ASSIGN_OR_RETURN(info_, index_.Find(request.key));
    }
    return PlanValue(index_, *info_, request);
  }

 private:
  const BundleIndex& index_;
  std::optional<TensorInfo> info_;  // of the last key that was found
};

StatusOr<std::vector<PlannedValue>> PlanValues(const BundleIndex& index,
                                               std::span<const ReadRequest> requests, bool deliver) {
  if (requests.empty()) return NoRequests();
  Problems problems;
  Planner planner(index);
  std::vector<PlannedValue> values;
  values.reserve(requests.size());
  for (const ReadRequest& request : requests) {
    StatusOr<PlannedValue> value = planner.Plan(request);
    problems.Add(value.status());
    if (!value.ok()) continue;
    if (deliver || WantsDelivery(request)) problems.Add(CheckDestination(request, *value));
    values.push_back(*std::move(value));
  }
  SAVEDMODEL_RETURN_IF_ERROR(problems.ToStatus());
  SAVEDMODEL_RETURN_IF_ERROR(CheckApart(requests));
  return values;
}

// Bytes of elements that a call's tensors will hold, in memory or mapped.
Status CheckTensorBytes(std::span<const ReadRequest> requests, std::span<const PlannedValue> values,
                        uint64_t limit) {
  uint64_t left = limit;
  for (size_t i = 0; i < values.size(); ++i) {
    if (requests[i].tensor == nullptr) continue;
    const uint64_t size = values[i].max_bytes();
    if (size > left) {
      return Error(StatusCode::kResourceExhausted, "tensors asked for are over the limit of the call")
          .Key(values[i].key)
          .Expected("at most " + std::to_string(limit) + " bytes together")
          .ToStatus();
    }
    left -= size;
  }
  return OkStatus();
}

Status OpenShards(const ShardFiles& shards, std::span<EntryRead> entries) {
  Problems problems;
  int32_t failed_shard = -1;
  for (EntryRead& entry : entries) {
    if (entry.bytes.shard == failed_shard) continue;
    Status status = OpenShard(shards, &entry, failed_shard < 0);
    if (!status.ok() && entry.file == nullptr) failed_shard = entry.bytes.shard;
    problems.Add(std::move(status));
  }
  return problems.ToStatus();
}

// The first thing that went wrong, in the order of the files.
Status FirstFailure(const ReadPass& pass, size_t entries) {
  for (size_t i = 0; i < entries; ++i) {
    if (!pass.status(i).ok()) return pass.status(i);
  }
  return OkStatus();
}

// A request is complete when all its entries are sound, and untouched as long as none was copied. Takes no
// memory: what was overwritten is told also when there is none left.
void FillOutcomes(const ReadPass& pass, std::span<const EntryRead> entries, std::span<Outcome> outcomes) {
  std::ranges::fill(outcomes, Outcome::kComplete);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (pass.finished(i) && pass.status(i).ok()) continue;
    for (const EntrySink& sink : entries[i].sinks) outcomes[sink.value] = Outcome::kUntouched;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!pass.touched(i)) continue;
    for (const EntrySink& sink : entries[i].sinks) {
      if (outcomes[sink.value] == Outcome::kUntouched) outcomes[sink.value] = Outcome::kPartial;
    }
  }
}

void FillReport(const ReadPass& pass, std::span<const EntryRead> entries,
                std::span<const ReadRequest> requests, bool delivered, ReadReport* report) {
  if (report == nullptr) return;
  report->bytes_read = pass.bytes_read();
  FillOutcomes(pass, entries, report->outcomes);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].tensor != nullptr)
      report->outcomes[i] = delivered ? Outcome::kComplete : Outcome::kUntouched;
  }
}

void ClearReport(size_t requests, ReadReport* report) {
  if (report != nullptr) *report = {std::vector<Outcome>(requests, Outcome::kUntouched), 0};
}

}  // namespace

Bundle::Bundle(BundleIndex index, std::shared_ptr<const Directory> directory, std::string prefix)
    : index_(std::move(index)),
      shards_(std::move(directory), std::move(prefix), index_.header().num_shards) {}

StatusOr<std::shared_ptr<const Bundle>> Bundle::Open(std::shared_ptr<const Directory> directory,
                                                     std::string_view prefix, const BundleLimits& limits) {
  if (directory == nullptr)
    return Error(StatusCode::kInvalidArgument, "no directory to open a checkpoint in").ToStatus();
  SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer file, ReadIndexFile(*directory, prefix, limits.max_index_bytes));
  StatusOr<BundleIndex> index =
      BundleIndex::Load(file, JoinPath(directory->name(), IndexFileName(prefix)), limits);
  if (absl::IsDataLoss(index.status()) && HasConvertedLineEnds(file.view())) {
    return WithHint(index.status(), "its line ends look converted: was it copied as text?");
  }
  if (!index.ok()) return index.status();
  return std::make_shared<const Bundle>(*std::move(index), std::move(directory), std::string(prefix));
}

Status Bundle::ReadMany(std::span<const ReadRequest> requests, const ReadOptions& options,
                        ReadReport* report) const {
  ClearReport(requests.size(), report);
  SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<PlannedValue> values, PlanValues(index_, requests, true));
  SAVEDMODEL_RETURN_IF_ERROR(CheckTensorBytes(requests, values, options.max_tensor_bytes));
  std::vector<EntryRead> entries = GroupEntries(values, options.verify);
  SAVEDMODEL_RETURN_IF_ERROR(OpenShards(shards_, entries));
  Delivery delivery(requests, values, entries);
  SAVEDMODEL_RETURN_IF_ERROR(delivery.Prepare(options.mode, index_.header().foreign_order()));
  ReadPass pass(entries, {.header = index_.header(), .map = options.mode == ReadMode::kMapped},
                options.control);
  Status status = Guarded([&] { return pass.Run(); });
  if (status.ok()) status = FirstFailure(pass, entries.size());
  if (status.ok()) status = Guarded([&] { return delivery.Finish(); });
  FillReport(pass, entries, requests, status.ok(), report);
  return status;
}

Status Bundle::VerifyMany(std::span<const ReadRequest> requests, const ReadOptions& options) const {
  SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<PlannedValue> values, PlanValues(index_, requests, false));
  std::vector<EntryRead> entries = GroupEntries(values, Verify::kAlways);
  SAVEDMODEL_RETURN_IF_ERROR(OpenShards(shards_, entries));
  ReadPass pass(entries, {.header = index_.header(), .map = options.mode == ReadMode::kMapped},
                options.control);
  SAVEDMODEL_RETURN_IF_ERROR(pass.Run());
  return FirstFailure(pass, entries.size());
}

}  // namespace savedmodel::internal
