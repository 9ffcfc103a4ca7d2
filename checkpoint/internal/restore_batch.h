// Gives values to live objects: one plan, checked whole, then read. All sessions restore by this, each in as many
// batches as objects appear.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/internal/live_objects.h"
#include "savedmodel/checkpoint/restore.h"
#include "savedmodel/checkpoint/restore_plan.h"

namespace savedmodel::internal {

struct BatchInput {
  std::vector<WantedNode> wanted = {};
  const ObjectGraph* stored = nullptr;
  std::function<NodeKeys(NodeId target, std::span<const CheckpointValue>)> keys = {};
  std::function<std::string(NodeId)> name = {};
  bool allow_missing = false;
  RestoreMode mode = RestoreMode::kVerifyFirst;
  ReadOptions read = {};
};

struct BatchResult {
  RestorePlan plan = {};
  uint64_t bytes_read = 0;
};

// An error leaves the objects as RestoreMode says; its message lists what was overwritten.
StatusOr<BatchResult> RestoreBatch(const BundleReader& reader, const LiveObjects& objects,
                                   const BatchInput& input);

}  // namespace savedmodel::internal
