// What a restore would do, before it does anything: which stored tensor goes to which object, what stays
// without a value.
//
// A plan is made from values alone (pairs of nodes, keys, the index of a bundle) and is printed, costed and tested
// without reading a tensor byte. The loader and the restore of live objects share it.
// Thread-safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/base/tensor_slice.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/value_keys.h"
#include "savedmodel/object_graph/checkpoint_value.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// One stored tensor, or a slice of it, and the value of an object that takes it.
struct RestoreItem {
  NodeId stored = -1;     // in the checkpoint's graph; -1 where there is none
  NodeId target = 0;      // who takes it
  std::string path = {};  // of the target
  size_t value = 0;       // which of the target's CheckpointValues
  std::string key = {};   // in the bundle, as recorded by the writer
  std::optional<TensorSlice> slice = {};
  DType dtype = DType::kInvalid;
  Shape shape = {};    // of what is delivered
  uint64_t bytes = 0;  // stored, of the whole tensor
};

// A stored attribute of a paired node that no value of the object takes.
struct UnusedAttribute {
  NodeId stored = 0;
  std::string name = {};
  std::string key = {};
  bool optional = false;
};

struct RestorePlan {
  std::vector<RestoreItem> items = {};  // in the order of the wanted objects; those of one object together
  std::vector<NodeId> unmatched = {};   // wanted objects with values for which the checkpoint has no node
  // Wanted objects with values whose node records none of them: saved without a value.
  std::vector<NodeId> without_value = {};
  // Wanted objects a recorded key of which the index lacks (allow_missing only).
  std::vector<NodeId> missing_keys = {};
  // Of wanted nodes: tables of loaded models, state that the object no longer has.
  std::vector<UnusedAttribute> unused_attributes = {};
  // Tensors of the bundle that no item takes, the object graph's own not counted. Nothing where no bundle was looked at.
  std::optional<size_t> unused_keys = {};
  uint64_t bytes = 0;  // sum over the items

  // The targets that get values, each once, in the order of the items.
  std::vector<NodeId> targets() const;
  std::string ToString() const;  // a line per item, for people
};

// An object that wants values and the stored node it was paired with; -1: with none.
struct WantedNode {
  NodeId target = 0;
  NodeId stored = -1;
};

struct RestorePlanInput {
  std::span<const WantedNode> wanted = {};
  // The checkpoint's own graph, which says the keys. Null: `keys` does.
  const ObjectGraph* stored = nullptr;
  // The keys of a target's values where no graph says them; a value that is kUnknown stays without.
  std::function<NodeKeys(NodeId target, std::span<const CheckpointValue>)> keys = {};
  const BundleReader* reader = nullptr;  // null: the index is not there; then a wanted value is NotFound
  std::string index_name = {};           // for that message
  std::function<std::string(NodeId)> name = {};  // a target's path, for messages
  // The values that a target takes: those of a live object, or those that one would have.
  std::function<std::vector<CheckpointValue>(NodeId)> values = {};
  // True: a value that does not fit is the caller's fault, InvalidArgument. None: it always is.
  std::function<bool(NodeId)> is_bound = {};
  bool allow_missing = false;  // unmatched and missing keys are listed, not errors
  bool count_unused = true;    // unused_keys costs a look at every key of the bundle
};

// Errors: NotFound (a recorded key is not in the index; no index); FailedPrecondition (declared and stored
// dtype, shape or names of values differ; an object that the checkpoint knows nothing of);
// InvalidArgument (a bound object's do; what must be given is not); OutOfRange (a slice that
// leaves its tensor); DataLoss, Unimplemented (an entry that cannot be used); ResourceExhausted (memory). The message
// says how many offenders there are and names the first few.
StatusOr<RestorePlan> PlanRestore(const RestorePlanInput& input);

// The key under which a bundle holds its object graph.
inline constexpr std::string_view kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

}  // namespace savedmodel
