#include "savedmodel/checkpoint/verify_checkpoint.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/checkpoint/tensor_paths.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::WithContext;
using internal::WithHint;

constexpr size_t kMaxShardProblems = 100;  // missing shards with a problem of their own
constexpr size_t kMaxUnusedShards = 64;    // that are looked for: a header can claim a million
constexpr size_t kMaxNamedShards = 5;      // in one message

// Shards that cannot be opened, and how many tensors have bytes in each.
struct ClosedShard {
  Status status;
  size_t tensors = 0;
};

template <class Visit>
void ForEachShard(const TensorInfo& info, Visit visit) {
  if (!info.partitioned()) return visit(info.bytes.shard);
  for (const StoredSlice& part : info.slices) {
    if (part.status.ok()) visit(part.bytes.shard);
  }
}

// Opens the shards of tensors that cannot be read, each once.
class ClosedShards {
 public:
  explicit ClosedShards(const BundleReader& reader) : reader_(reader) {}

  // True, with the tensor counted, when it cannot be read because one of its shards cannot be opened.
  bool Explain(const VerifiedTensor& tensor) {
    const StatusOr<TensorInfo> info = reader_.Find(tensor.key);
    if (!info.ok()) return false;
    bool found = false;
    ForEachShard(*info, [&](int32_t number) {
      if (found) return;
      ClosedShard& shard = Look(number, *info, tensor.status);
      if (shard.status.ok() || shard.status.code() != tensor.status.code()) return;
      ++shard.tensors;
      found = true;
    });
    return found;
  }

  // One problem each; one for all that are over the limit.
  void Report(std::vector<Status>* problems) const {
    size_t closed = 0;
    for (const auto& [number, shard] : shards_) {
      if (shard.tensors == 0 || ++closed > kMaxShardProblems) continue;
      problems->push_back(
          WithHint(shard.status, std::to_string(shard.tensors) + " tensors are stored in it"));
    }
    if (closed <= kMaxShardProblems) return;
    problems->push_back(WithHint(
        problems->back(), std::to_string(closed - kMaxShardProblems) + " more data shards cannot be opened"));
  }

 private:
  // Of very many missing shards most are not asked for again: reading `tensor_status` has shown that they are.
  ClosedShard& Look(int32_t number, const TensorInfo& info, const Status& tensor_status) {
    const auto [shard, is_new] = shards_.try_emplace(number);
    if (!is_new) return shard->second;
    const bool known =
        shards_.size() > kMaxShardProblems && !info.partitioned() && absl::IsNotFound(tensor_status);
    shard->second.status = known ? tensor_status : reader_.ShardSize(number).status();
    return shard->second;
  }

  const BundleReader& reader_;
  std::map<int32_t, ClosedShard> shards_;  // by number; also those that can be opened
};

// Numbers of the shards that the index refers to.
std::set<int32_t> UsedShards(const BundleReader& reader) {
  std::set<int32_t> used;
  for (std::string_view key : reader.keys()) {
    const StatusOr<TensorInfo> info = reader.Find(key);
    if (info.ok()) ForEachShard(*info, [&](int32_t shard) { used.insert(shard); });
  }
  return used;
}

// Missing shards that no tensor needs are one problem together. No more than a few are looked for, so that the cost
// is that of what the index refers to and not of the number in its header.
void ReportUnusedShards(const BundleReader& reader, std::vector<Status>* problems) {
  const std::set<int32_t> used = UsedShards(reader);
  Status first;
  std::string names;
  size_t looked_at = 0, closed = 0;
  int i = 0;
  for (; i < reader.num_shards() && looked_at < kMaxUnusedShards; ++i) {
    if (used.contains(i)) continue;
    ++looked_at;
    const Status status = reader.ShardSize(i).status();
    if (status.ok()) continue;
    if (closed == 0) first = status;
    if (closed++ < kMaxNamedShards) names += (names.empty() ? "" : ", ") + std::to_string(i);
  }
  if (closed == 0) return;
  const bool all = i == reader.num_shards();
  problems->push_back(WithHint(first, "no tensor is stored in it; of data shards without tensors, " +
                                          std::string(all ? "" : "at least ") + std::to_string(closed) +
                                          " cannot be opened: " + names +
                                          (closed > kMaxNamedShards ? ", ..." : "")));
}

VerifiedTensor Named(VerifyResult result, const std::optional<TensorPaths>& paths) {
  VerifiedTensor tensor{.key = std::move(result.key), .bytes = result.bytes};
  const TensorOwner* owner = paths ? paths->Find(tensor.key) : nullptr;
  const std::optional<NodePath> path = owner ? paths->PathTo(owner->node) : std::nullopt;
  if (path) tensor.path = path->ToString();
  tensor.status = WithContext(result.status, {.key = tensor.key, .path = tensor.path});
  return tensor;
}

void ReportAbsentKeys(const TensorPaths& paths, const std::string& index_name, VerifyReport* report) {
  for (const AbsentKey& absent : paths.absent()) {
    const std::optional<NodePath> path = paths.PathTo(absent.node);
    report->notes.push_back(
        Error(StatusCode::kNotFound, "the object graph records a value that is not stored")
            .File(index_name)
            .Key(absent.key)
            .Path(path ? path->ToString() : "<node " + std::to_string(absent.node) + ">"));
  }
}

// What the index of a prefix that is there looks like to somebody who wants to read it.
bool IsFaultOfTheFile(const Status& status) {
  switch (status.code()) {
    case StatusCode::kDataLoss:
    case StatusCode::kUnimplemented:
    case StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

Status AddTensors(const BundleReader& reader, const ObjectGraph* graph, const Status& graph_status,
                  const Control& control, VerifyReport* report) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<VerifyResult> results, reader.Verify(control));
  std::optional<TensorPaths> paths;
  if (graph != nullptr) paths.emplace(*graph, reader.keys());
  ClosedShards closed(reader);
  std::vector<Status> bad_tensors;
  bool told = graph_status.code() == StatusCode::kFailedPrecondition;
  for (VerifyResult& result : results) {
    VerifiedTensor tensor = Named(std::move(result), paths);
    if (!tensor.status.ok()) {
      told = told || tensor.key == kObjectGraphKey;
      if (!closed.Explain(tensor)) bad_tensors.push_back(tensor.status);
    }
    report->bytes += tensor.bytes;
    report->tensors.push_back(std::move(tensor));
  }
  closed.Report(&report->problems);
  ReportUnusedShards(reader, &report->problems);
  report->problems.insert(report->problems.end(), bad_tensors.begin(), bad_tensors.end());
  if (!graph_status.ok() && !told) report->problems.push_back(graph_status);
  if (paths) ReportAbsentKeys(*paths, reader.index_name(), report);
  return OkStatus();
}

}  // namespace

Status VerifyTensors(const BundleReader& reader, const ObjectGraph* graph, const Status& graph_status,
                     const Control& control, VerifyReport* report) {
  if (report == nullptr) {
    return Error(StatusCode::kInvalidArgument, "no report is given for what is found");
  }
  return internal::Guarded([&] { return AddTensors(reader, graph, graph_status, control, report); });
}

StatusOr<VerifyReport> VerifyCheckpoint(std::string_view prefix, const BundleOptions& options,
                                        const Control& control) {
  return internal::Guarded([&]() -> StatusOr<VerifyReport> {
    SAVEDMODEL_RETURN_IF_ERROR(control.CheckOptions());
    VerifyReport report;
    const StatusOr<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open(prefix, options);
    if (!checkpoint.ok()) {
      if (!IsFaultOfTheFile(checkpoint.status())) return checkpoint.status();
      report.problems.push_back(checkpoint.status());
      return report;
    }
    SAVEDMODEL_RETURN_IF_ERROR(VerifyTensors(checkpoint->reader(), checkpoint->graph().get(),
                                             checkpoint->graph_status(), control, &report));
    return report;
  });
}

}  // namespace savedmodel
