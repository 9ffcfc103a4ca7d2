#include "savedmodel/checkpoint/verify_checkpoint.h"

#include <map>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/checkpoint/tensor_paths.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::WithContext;
using internal::WithHint;

// Shards that cannot be opened, by number, and how many tensors have bytes in each.
struct ClosedShard {
  Status status;
  size_t tensors = 0;
};
using ClosedShards = std::map<int32_t, ClosedShard>;

ClosedShards FindClosedShards(const BundleReader& reader) {
  ClosedShards closed;
  for (int i = 0; i < reader.num_shards(); ++i) {
    const Status status = reader.ShardSize(i).status();
    if (!status.ok()) closed.emplace(i, ClosedShard{status, 0});
  }
  return closed;
}

// True, with the tensor counted, when it cannot be read because of one of these shards.
bool IsIn(const BundleReader& reader, const VerifiedTensor& result, ClosedShards* closed) {
  if (closed->empty()) return false;
  const StatusOr<TensorInfo> info = reader.Find(result.key);
  if (!info.ok()) return false;
  bool found = false;
  const auto count = [&](const StoredBytes& bytes) {
    const auto shard = closed->find(bytes.shard);
    if (shard == closed->end() || found || shard->second.status.code() != result.status.code()) return;
    ++shard->second.tensors;
    found = true;
  };
  if (!info->partitioned()) count(info->bytes);
  for (const StoredSlice& part : info->slices) count(part.bytes);
  return found;
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

}  // namespace

Status VerifyTensors(const BundleReader& reader, const ObjectGraph* graph, const Status& graph_status,
                     const Control& control, VerifyReport* report) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<VerifyResult> results, reader.Verify(control));
  std::optional<TensorPaths> paths;
  if (graph != nullptr) paths.emplace(*graph, reader.keys());
  ClosedShards closed = FindClosedShards(reader);
  std::vector<Status> bad_tensors;
  bool told = graph_status.code() == StatusCode::kFailedPrecondition;
  for (VerifyResult& result : results) {
    VerifiedTensor tensor = Named(std::move(result), paths);
    if (!tensor.status.ok()) {
      told = told || tensor.key == kObjectGraphKey;
      if (!IsIn(reader, tensor, &closed)) bad_tensors.push_back(tensor.status);
    }
    report->bytes += tensor.bytes;
    report->tensors.push_back(std::move(tensor));
  }
  for (const auto& [number, shard] : closed) {
    report->problems.push_back(
        WithHint(shard.status, std::to_string(shard.tensors) + " tensors are stored in it"));
  }
  report->problems.insert(report->problems.end(), bad_tensors.begin(), bad_tensors.end());
  if (!graph_status.ok() && !told) report->problems.push_back(graph_status);
  if (paths) ReportAbsentKeys(*paths, reader.index_name(), report);
  return OkStatus();
}

StatusOr<VerifyReport> VerifyCheckpoint(std::string_view prefix, const BundleOptions& options,
                                        const Control& control) {
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
}

}  // namespace savedmodel
