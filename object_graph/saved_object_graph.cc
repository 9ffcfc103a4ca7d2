#include "savedmodel/object_graph/saved_object_graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/internal/captures.h"
#include "savedmodel/proto/internal/convert.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/saved_object_graph.pb.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::internal {
namespace {

constexpr std::string_view kWhat = "object graph";
constexpr std::string_view kCreateResource = "_create_resource";
// Of all nodes together. Many nodes may name one function, and it may capture many: a small file could ask
// for any number.
constexpr size_t kMaxDependencies = 1u << 25;

void SortUnique(std::vector<NodeId>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

StatusOr<VariableInfo> OneVariable(const proto::SavedVariable& in) {
  VariableInfo out;
  out.spec.dtype = static_cast<DType>(in.dtype());
  SAVEDMODEL_ASSIGN_OR_RETURN(out.spec.shape, PartialShapeFromProto(in.shape()));
  out.name = in.name();
  out.trainable = in.trainable();
  out.synchronization = in.synchronization();
  out.aggregation = in.aggregation();
  out.device = in.device();
  return out;
}

// Components are one level deep in every known file; deeper ones are not kept.
StatusOr<VariableInfo> ReadVariable(const proto::SavedVariable& in) {
  SAVEDMODEL_ASSIGN_OR_RETURN(VariableInfo out, OneVariable(in));
  for (const proto::SavedVariable& component : in.experimental_distributed_variable_components()) {
    SAVEDMODEL_ASSIGN_OR_RETURN(VariableInfo one, OneVariable(component));
    out.components.push_back(std::move(one));
  }
  return out;
}

UserObjectInfo ReadUserObject(const proto::SavedUserObject& in) {
  return {.identifier = in.identifier(),
          .producer = in.version().producer(),
          .min_consumer = in.version().min_consumer(),
          .bad_consumers = {in.version().bad_consumers().begin(), in.version().bad_consumers().end()},
          .metadata = in.metadata()};
}

class Reader {
 public:
  Reader(const MetaGraphIndex& meta_graph, std::string_view file) : meta_graph_(meta_graph), file_(file) {}

  StatusOr<ObjectGraph> Run() {
    std::vector<Node> nodes;
    nodes.reserve(meta_graph_.object_nodes.size());
    for (ByteRange range : meta_graph_.object_nodes) {
      id_ = static_cast<NodeId>(nodes.size());
      range_ = range;
      SAVEDMODEL_ASSIGN_OR_RETURN(Node node, ReadNode());
      nodes.push_back(std::move(node));
    }
    ObjectGraph graph(std::move(nodes));
    SAVEDMODEL_RETURN_IF_ERROR(graph.Validate(kWhat, file_));
    return graph;
  }

 private:
  Error Fault(std::string what) const {
    Error error(StatusCode::kDataLoss,
                std::string(kWhat) + ": node " + std::to_string(id_) + " " + std::move(what));
    error.File(file_);
    if (std::optional<uint64_t> offset = meta_graph_.FileOffset(range_)) error.Offset(*offset);
    return error;
  }

  StatusOr<Node> ReadNode() {
    in_.Clear();
    ParseSource source{
        .file = file_, .base_offset = meta_graph_.FileOffset(range_), .what = "object graph node"};
    SAVEDMODEL_RETURN_IF_ERROR(ParseBounded(meta_graph_.Bytes(range_), &in_, source));
    Node node;
    for (const auto& child : in_.children()) node.children.push_back({child.local_name(), child.node_id()});
    for (const auto& slot : in_.slot_variables()) {
      node.slots.push_back(
          {slot.original_variable_node_id(), slot.slot_name(), slot.slot_variable_node_id()});
    }
    for (const auto& dependency : in_.dependencies()) node.dependencies.push_back(dependency.node_id());
    for (const auto& [name, functions] : in_.saveable_objects()) {
      node.saveables.push_back({name, functions.save_function(), functions.restore_function()});
    }
    std::sort(node.saveables.begin(), node.saveables.end(),
              [](const SaveableFunctions& a, const SaveableFunctions& b) { return a.name < b.name; });
    node.registered_name = in_.registered_name();
    node.registered_saver = in_.registered_saver();
    SAVEDMODEL_RETURN_IF_ERROR(ReadKind(&node));
    SortUnique(&node.dependencies);
    return node;
  }

  Status ReadKind(Node* node) {
    switch (in_.kind_case()) {
      case proto::SavedObject::kUserObject:
        node->kind = NodeKind::kUserObject;
        node->detail = ReadUserObject(in_.user_object());
        return OkStatus();
      case proto::SavedObject::kAsset:
        return ReadAsset(node);
      case proto::SavedObject::kFunction:
        node->kind = NodeKind::kFunction;
        return ReadFunctions(
            {in_.function().concrete_functions().begin(), in_.function().concrete_functions().end()}, node);
      case proto::SavedObject::kBareConcreteFunction:
        node->kind = NodeKind::kBareConcreteFunction;
        return ReadFunctions({in_.bare_concrete_function().concrete_function_name()}, node);
      case proto::SavedObject::kVariable: {
        node->kind = NodeKind::kVariable;
        StatusOr<VariableInfo> variable = ReadVariable(in_.variable());
        if (!variable.ok()) {
          return Fault("is a variable with a shape that cannot be: " +
                       std::string(Message(variable.status())));
        }
        node->detail = *std::move(variable);
        return OkStatus();
      }
      case proto::SavedObject::kConstant:
        node->kind = NodeKind::kConstant;
        node->detail = ConstantInfo{in_.constant().operation()};
        return OkStatus();
      case proto::SavedObject::kResource:
        node->kind = NodeKind::kResource;
        node->detail = ResourceInfo{in_.resource().device()};
        for (const Edge& edge : node->children) {
          if (edge.name == kCreateResource) node->dependencies.push_back(edge.child);
        }
        return OkStatus();
      case proto::SavedObject::kCapturedTensor:
        node->kind = NodeKind::kCapturedTensor;
        node->detail =
            CapturedTensorInfo{in_.captured_tensor().name(), in_.captured_tensor().concrete_function()};
        return OkStatus();
      case proto::SavedObject::KIND_NOT_SET:
        return OkStatus();
    }
    return OkStatus();
  }

  Status ReadAsset(Node* node) {
    node->kind = NodeKind::kAsset;
    const int32_t index = in_.asset().asset_file_def_index();
    const auto count = static_cast<int64_t>(meta_graph_.asset_file_defs.size());
    if (index < 0 || index >= count) {
      return Fault("refers to an asset that is not there")
          .Expected("an index below " + std::to_string(count))
          .Found(std::to_string(index));
    }
    node->detail = AssetInfo{index};
    return OkStatus();
  }

  Status ReadFunctions(std::vector<std::string> names, Node* node) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names) {
      if (!seen.insert(name).second) continue;
      SAVEDMODEL_RETURN_IF_ERROR(AddCaptures(name, &node->dependencies));
    }
    node->detail = FunctionInfo{std::move(names)};
    return OkStatus();
  }

  Status AddCaptures(const std::string& function, std::vector<NodeId>* dependencies) {
    const NamedRange* found = Find(meta_graph_.concrete_functions, function);
    if (!found) return Fault("refers to a function that is not there").Found(function);
    auto [captures, is_new] = captures_.try_emplace(found);
    if (is_new) {
      std::optional<std::vector<NodeId>> ids = ReadBoundInputs(meta_graph_.Bytes(found->range));
      if (!ids) return Fault("refers to a function that cannot be parsed").Found(function);
      captures->second = *std::move(ids);
      SortUnique(&captures->second);
    }
    num_dependencies_ += captures->second.size();
    if (num_dependencies_ > kMaxDependencies) {
      return Error(StatusCode::kResourceExhausted,
                   std::string(kWhat) + ": functions capture too many nodes together")
          .File(file_)
          .Expected("at most " + std::to_string(kMaxDependencies));
    }
    dependencies->insert(dependencies->end(), captures->second.begin(), captures->second.end());
    return OkStatus();
  }

  const MetaGraphIndex& meta_graph_;
  std::string_view file_;
  NodeId id_ = 0;
  ByteRange range_;
  proto::SavedObject in_;  // reused: its memory serves every node
  std::unordered_map<const NamedRange*, std::vector<NodeId>>
      captures_;  // by concrete function: sorted, unique
  size_t num_dependencies_ = 0;
};

}  // namespace
}  // namespace savedmodel::internal

namespace savedmodel {

StatusOr<ObjectGraph> ReadSavedObjectGraph(const MetaGraphIndex& meta_graph, std::string_view file) {
  return internal::Reader(meta_graph, file).Run();
}

}  // namespace savedmodel
