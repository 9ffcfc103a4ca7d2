// What a restore leaves over: stored values that nobody took, live objects that got none. As data, and as the error
// that an assertion gives: counted, grouped, and short.
//
// Thread-safety: values and pure functions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// A stored value that no object took.
struct UnusedValue {
  std::string path = {};       // of its object, in the checkpoint's graph; empty where there is none
  std::string attribute = {};  // "VARIABLE_VALUE", ...
  std::string key = {};
  bool slot = false;      // an optimizer's state for a variable
  bool optional = false;  // the assertions do not ask for it
};

// An object reachable from the root that keeps values, and that this restore has none for.
struct UnrestoredObject {
  std::string path = {};  // from the root, in the program
  std::vector<std::string> values =
      {};  // names, as CheckpointValue::name; by name: the names that were not found
  std::shared_ptr<Trackable> object = {};
};

// Every attribute of the nodes that are not taken, and those of `unused` whose node is; in the order of the graph.
std::vector<UnusedValue> FindUnused(const ObjectGraph& stored, const std::function<bool(NodeId)>& is_taken,
                                    std::span<const UnusedAttribute> unused);

// `object`, which must not be null, with the names of its values that are not optional.
UnrestoredObject DescribeUnrestored(const std::shared_ptr<Trackable>& object, std::string path);

// "3 stored values are not used: root.a, root.b (attribute state), ..."
std::string DescribeUnused(std::span<const UnusedValue> unused);

// FailedPrecondition that names them; OK when there are none. Optional values are passed over. `file`: for the message.
Status ErrorOfUnused(std::span<const UnusedValue> unused, const std::string& file);
Status ErrorOfUnrestored(std::span<const UnrestoredObject> objects, const std::string& file);

}  // namespace savedmodel
