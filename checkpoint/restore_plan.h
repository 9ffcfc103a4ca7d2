// What a restore would do, before it does anything: which stored tensor goes to which object, what stays
// without a value.
//
// A plan is made from values alone (two graphs, their match, the index of a bundle) and is printed, costed
// and tested without reading a tensor byte. The loader and the restore of live objects share it.
// Thread-safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// One stored tensor and the variable that takes it.
struct RestoreItem {
  NodeId stored = 0;      // in the checkpoint's graph
  NodeId target = 0;      // in the target graph
  std::string path = {};  // of the target
  std::string key = {};   // in the bundle, as recorded by the writer
  DType dtype = DType::kInvalid;
  Shape shape = {};
  uint64_t bytes = 0;  // stored
};

struct RestorePlan {
  std::vector<RestoreItem> items = {};  // in the order of target ids
  std::vector<NodeId> unmatched = {};   // wanted variables for which the checkpoint has no node
  // Wanted variables whose node holds no attribute: exported without a value.
  std::vector<NodeId> without_value = {};
  // Wanted variables whose recorded key the index lacks (allow_missing only).
  std::vector<NodeId> missing_keys = {};
  // Recorded keys of wanted nodes that are not a variable's value (tables, state).
  std::vector<std::string> other_attributes = {};
  // Tensors of the bundle that no item takes, the object graph's own not counted. Nothing where no bundle was looked at.
  std::optional<size_t> unused_keys = {};
  uint64_t bytes = 0;  // sum over the items

  std::string ToString() const;  // a line per item, for people
};

// Everything but `reader` and `index_name` must be given.
struct RestorePlanInput {
  const ObjectGraph* stored = nullptr;  // the checkpoint's own graph
  const ObjectGraph* target = nullptr;
  const MatchResult* match = nullptr;
  const BundleReader* reader = nullptr;     // null: the index is not there; then a wanted value is NotFound
  std::string index_name = {};              // for that message
  std::function<bool(NodeId)> wanted = {};  // by target id
  std::function<std::string(NodeId)> name = {};  // a target's path, for messages
  // What takes the value of a target: the declared dtype and shape, or those of an object bound to it.
  std::function<TensorSpec(NodeId)> spec = {};
  // True: a spec that does not fit is the caller's fault, InvalidArgument.
  std::function<bool(NodeId)> is_bound = {};
  bool allow_missing = false;  // unmatched and missing keys are listed, not errors
};

// Errors: NotFound (a recorded key is not in the index; no index); FailedPrecondition (declared and stored
// dtype or shape differ; a variable that the checkpoint knows nothing of); InvalidArgument (a bound object's
// dtype or shape does not fit; null, an empty function or a match of other graphs in `input`); DataLoss,
// Unimplemented (an entry that cannot be used); ResourceExhausted (memory). The message says how many offenders there
// are and names the first few.
StatusOr<RestorePlan> PlanRestore(const RestorePlanInput& input);

// The key under which a bundle holds its object graph.
inline constexpr std::string_view kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

}  // namespace savedmodel
