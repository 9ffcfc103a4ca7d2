#include "savedmodel/checkpoint/internal/restore_batch.h"

#include <memory>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::internal {
namespace {

Status WithOverwritten(const Status& status, const std::vector<std::string>& overwritten) {
  if (overwritten.empty()) return status;
  std::string paths;
  for (size_t i = 0; i < overwritten.size() && i < 10; ++i) paths += (i > 0 ? ", " : "") + overwritten[i];
  if (overwritten.size() > 10) paths += ", ...";
  return WithHint(status, std::to_string(overwritten.size()) + " overwritten before the error: " + paths);
}

}  // namespace

StatusOr<BatchResult> RestoreBatch(const BundleReader& reader, const LiveObjects& objects,
                                   const BatchInput& input) {
  BatchResult result;
  if (input.wanted.empty()) return result;
  SAVEDMODEL_ASSIGN_OR_RETURN(result.plan,
                              PlanRestore({
                                  .wanted = input.wanted,
                                  .stored = input.stored,
                                  .keys = input.keys,
                                  .reader = &reader,
                                  .index_name = reader.index_name(),
                                  .name = input.name,
                                  .values = [&](NodeId id) { return objects.Get(id)->CheckpointValues(); },
                                  .allow_missing = input.allow_missing,
                                  .count_unused = false,
                              }));
  if (result.plan.items.empty()) return result;
  std::vector<std::shared_ptr<Trackable>> takers;
  takers.reserve(result.plan.items.size());
  for (const RestoreItem& item : result.plan.items) takers.push_back(objects.Get(item.target));
  RestoreReport report;
  Status status = Restore(reader, result.plan, takers, input.mode, input.read, &report);
  if (!status.ok()) return WithOverwritten(status, report.overwritten);
  result.bytes_read = report.bytes_read;
  return result;
}

}  // namespace savedmodel::internal
