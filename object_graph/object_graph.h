// The object graph as a value: nodes, named edges, what each node is, and under which keys a checkpoint holds
// its values.
//
// The same value is read from a SavedModel's graph, from the graph inside a checkpoint, or taken from live
// objects; Match and the restore plan know only this. See DESIGN.md for the two graphs and the invariants.
//
//   StatusOr<NodeId> id = graph.Find(*NodePath::Parse("root.encoder.v"));
//   const Node& node = graph.node(*id);
//
// Invariants (Validate): node 0 is the root; every id in an edge, a slot reference or a dependency is a node
// of the graph.
// Thread-safety: a value; const methods may run concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/node_path.h"

namespace savedmodel {

// Position of a node in its graph; 0 is the root. Ids of different graphs have nothing to do with each other.
using NodeId = int32_t;
inline constexpr NodeId kRootId = 0;

// What a node is. A checkpoint's own graph does not say: its nodes are kTrackable.
enum class NodeKind {
  kNone,  // the file does not say or says something newer than we know
  kTrackable,
  kUserObject,
  kAsset,
  kFunction,
  kBareConcreteFunction,
  kVariable,
  kConstant,
  kResource,
  kCapturedTensor,
};

// "variable", "user_object", ...: TensorFlow's names of the kinds.
std::string_view NodeKindName(NodeKind kind);

struct Edge {
  std::string name = {};
  NodeId child = 0;
  bool operator==(const Edge&) const = default;
};

// A value of a node in a checkpoint.
struct Attribute {
  std::string name = {};       // "VARIABLE_VALUE" for variables
  std::string full_name = {};  // the name of a name-based saver; may be empty, need not be unique
  std::string checkpoint_key = {};
  bool optional = false;  // a retired mark of old files: nobody misses the value
  bool operator==(const Attribute&) const = default;
};

// The attribute of a variable that holds its value.
inline constexpr std::string_view kVariableValue = "VARIABLE_VALUE";

// On an optimizer's node: `slot` holds the state `slot_name` for the variable `original`.
struct SlotReference {
  NodeId original = 0;
  std::string slot_name = {};
  NodeId slot = 0;
  bool operator==(const SlotReference&) const = default;
};

struct UserObjectInfo {
  std::string identifier = {};  // a label such as "_generic_user_object" or "trackable_list_wrapper"
  int32_t producer = 0;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers = {};
  std::string metadata = {};  // deprecated; Keras' JSON in old files
};
struct AssetInfo {
  int32_t file_index = 0;  // into the MetaGraph's asset_file_def
};
struct VariableInfo {
  TensorSpec spec = {};
  std::string name = {};  // a label: may be empty, need not be unique
  bool trainable = false;
  int32_t synchronization = 0;
  int32_t aggregation = 0;
  std::string device = {};
  std::vector<VariableInfo> components = {};  // of a distributed variable
};
struct FunctionInfo {
  std::vector<std::string> concrete_functions = {};  // names in the function library, in order
};
struct ConstantInfo {
  std::string operation = {};  // name of a Const node of the MetaGraph's graph
};
struct ResourceInfo {
  std::string device = {};
};
struct CapturedTensorInfo {
  std::string name = {};
  std::string concrete_function = {};
};
using NodeDetail = std::variant<std::monostate, UserObjectInfo, AssetInfo, VariableInfo, FunctionInfo,
                                ConstantInfo, ResourceInfo, CapturedTensorInfo>;

struct SaveableFunctions {
  std::string name = {};
  NodeId save = 0;
  NodeId restore = 0;
};

struct Node {
  NodeKind kind = NodeKind::kNone;
  std::vector<Edge> children = {};  // in the file's order; names may repeat in odd files
  std::vector<Attribute> attributes = {};
  std::vector<SlotReference> slots = {};
  // Nodes that must exist before this one, captures included; sorted, unique.
  std::vector<NodeId> dependencies = {};
  std::vector<SaveableFunctions> saveables = {};
  std::optional<bool> has_checkpoint_values = {};
  std::string registered_name = {};
  std::string registered_saver = {};         // name of the saver that wrote this node's values
  std::string registered_saver_object = {};  // and the object's name there
  NodeDetail detail = {};

  const VariableInfo* variable() const { return std::get_if<VariableInfo>(&detail); }
  const UserObjectInfo* user_object() const { return std::get_if<UserObjectInfo>(&detail); }
};

class ObjectGraph {
 public:
  // An empty graph is a graph without a root: Find gives NotFound.
  ObjectGraph() = default;
  explicit ObjectGraph(std::vector<Node> nodes);

  size_t size() const { return nodes_.size(); }
  bool Contains(NodeId id) const { return id >= 0 && static_cast<size_t>(id) < nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  std::span<const Node> nodes() const& { return nodes_; }
  std::span<const Node> nodes() const&& = delete;

  // The child of `id` under `name`: the first in order, as TensorFlow looks it up; a later edge of the same
  // name cannot be addressed. Cost: the logarithm of the node's children.
  std::optional<NodeId> Child(NodeId id, std::string_view name) const;
  // Walks the path from the root. Errors: NotFound, naming the longest prefix that exists and names close to
  // the next.
  StatusOr<NodeId> Find(const NodePath& path) const;

  // Checks the invariants above. `what` and `file` name the source in messages. Errors: DataLoss.
  Status Validate(std::string_view what, std::string_view file) const;

 private:
  std::vector<Node> nodes_ = {};
  // For nodes with many children: the positions of their edges in order of their names, the first edge of
  // each name.
  std::unordered_map<NodeId, std::vector<uint32_t>> by_name_ = {};
};

// By node id: whether some optimizer keeps it as a slot variable. Cost: the graph's slots.
std::vector<bool> SlotNodes(const ObjectGraph& graph);

// How a slot variable's place is spelled: <optimizer path>.slots.<slot name>.<variable path without root>.
NodePath SlotPath(const NodePath& optimizer, std::string_view slot_name, const NodePath& variable);

}  // namespace savedmodel
