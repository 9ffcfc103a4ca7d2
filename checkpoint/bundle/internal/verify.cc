// Bundle::Verify: every tensor of a bundle, whatever becomes of the others.
#include <map>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/internal/bundle.h"
#include "savedmodel/checkpoint/bundle/internal/read_pass.h"

namespace savedmodel::internal {
namespace {

constexpr size_t kMaxExplained = 8;  // missing shards that are told with what there is instead

// Values that could be planned, and which result each belongs to.
struct Planned {
  std::vector<PlannedValue> values;
  std::vector<size_t> results;
};

Planned PlanAll(const BundleIndex& index, std::vector<VerifyResult>* results) {
  Planned planned;
  for (std::string_view key : index.keys()) {
    VerifyResult& result = results->emplace_back();
    result.key = key;
    const StatusOr<TensorInfo> info = index.Find(key);
    StatusOr<PlannedValue> value =
        info.ok() ? PlanValue(index, *info, {.key = key}) : StatusOr<PlannedValue>(info.status());
    result.status = value.status();
    if (!value.ok()) continue;
    for (const ValuePart& part : value->parts) result.bytes += part.bytes.size;
    planned.results.push_back(results->size() - 1);
    planned.values.push_back(*std::move(value));
  }
  return planned;
}

class Verifier {
 public:
  Verifier(const Planned& planned, std::vector<VerifyResult>* results)
      : planned_(planned), results_(results) {}

  // The first thing found wrong with a tensor counts.
  void Blame(const EntryRead& entry, const Status& status) {
    for (const EntrySink& sink : entry.sinks) {
      Status& result = (*results_)[planned_.results[sink.value]].status;
      if (result.ok()) result = WithContext(status, {.key = planned_.values[sink.value].key});
    }
  }

  // Those of `entries` whose bytes are there.
  std::vector<EntryRead> OpenShards(const ShardFiles& shards, std::vector<EntryRead> entries) {
    std::map<int32_t, Status> missing;  // asked for once: explaining it lists a directory
    std::vector<EntryRead> open;
    for (EntryRead& entry : entries) {
      const auto known = missing.find(entry.bytes.shard);
      const Status status =
          known != missing.end() ? known->second : OpenShard(shards, &entry, missing.size() < kMaxExplained);
      if (status.ok()) {
        open.push_back(std::move(entry));
        continue;
      }
      if (known == missing.end() && entry.file == nullptr) missing.emplace(entry.bytes.shard, status);
      Blame(entry, status);
    }
    return open;
  }

 private:
  const Planned& planned_;
  std::vector<VerifyResult>* results_;
};

}  // namespace

StatusOr<std::vector<VerifyResult>> Bundle::Verify(const Control& control) const {
  SAVEDMODEL_RETURN_IF_ERROR(control.CheckOptions());
  std::vector<VerifyResult> results;
  const Planned planned = PlanAll(index_, &results);
  Verifier verifier(planned, &results);
  std::vector<EntryRead> entries =
      verifier.OpenShards(shards_, GroupEntries(planned.values, savedmodel::Verify::kAlways));
  ReadPass pass(entries, {.header = index_.header(), .map = false, .stop_at_error = false}, control);
  SAVEDMODEL_RETURN_IF_ERROR(pass.Run());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!pass.status(i).ok()) verifier.Blame(entries[i], pass.status(i));
  }
  return results;
}

}  // namespace savedmodel::internal
