// What a load would do: which nodes it takes and why, which tensors it reads and how many bytes they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/selection.h"

namespace savedmodel {

struct PlannedNode {
  NodeId id = 0;
  std::string path = {};  // "<node 17>" for one without a path
  NodeKind kind = NodeKind::kNone;
  SelectionReason reason = SelectionReason::kNotSelected;
  bool bound = false;
};

// A value; holds nothing of the loader.
struct LoadPlan {
  std::vector<PlannedNode> nodes = {};  // selected ones, by id
  RestorePlan restore = {};             // empty when the checkpoint is skipped
  uint64_t bytes() const { return restore.bytes; }
  std::string ToString() const;  // a line per node and per tensor, for people
};

}  // namespace savedmodel
