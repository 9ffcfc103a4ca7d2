#include "savedmodel/saved_model/internal/constants.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/trackable_object_graph.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/tensor_value.h"
#include "savedmodel/proto/node_def.pb.h"

namespace savedmodel::internal {
namespace {

constexpr std::string_view kValueAttr = "value";

// True for a graph that could be a checkpoint's: some node has a value under a key.
bool NamesKeys(const ObjectGraph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(),
                       [](const Attribute& attribute) { return !attribute.checkpoint_key.empty(); });
  });
}

// The encoded value of a Const node.
StatusOr<proto::TensorProto> ReadValue(std::string_view node_def, std::string_view file,
                                       std::string_view name) {
  proto::NodeDef node;
  SAVEDMODEL_RETURN_IF_ERROR(
      ParseBounded(node_def, &node, {.file = file, .base_offset = std::nullopt, .what = "constant"}));
  auto value = node.mutable_attr()->find(std::string(kValueAttr));
  if (value == node.mutable_attr()->end() || !value->second.has_tensor()) {
    return Error(StatusCode::kDataLoss, "the constant has no value").File(file).Found(std::string(name));
  }
  return std::move(*value->second.mutable_tensor());
}

bool IsOneString(const proto::TensorProto& value) {
  return value.dtype() == proto::DT_STRING && value.tensor_shape().dim().empty();
}

}  // namespace

StatusOr<Tensor> ReadConstNode(std::string_view node_def, std::string_view file, std::string_view name) {
  SAVEDMODEL_ASSIGN_OR_RETURN(proto::TensorProto value, ReadValue(node_def, file, name));
  StatusOr<Tensor> tensor = DecodeTensor(std::move(value));
  if (!tensor.ok())
    return WithContext(tensor.status(), {.file = std::string(file), .found = std::string(name)});
  return tensor;
}

StatusOr<ObjectGraph> ObjectGraphFromConstants(const MetaGraphIndex& meta_graph, std::string_view file) {
  std::vector<NamedRange> candidates(meta_graph.constants.begin(), meta_graph.constants.end());
  std::sort(candidates.begin(), candidates.end(), [](const NamedRange& a, const NamedRange& b) {
    return std::tie(b.range.size, a.range.offset) < std::tie(a.range.size, b.range.offset);
  });
  for (const NamedRange& candidate : candidates) {
    StatusOr<proto::TensorProto> value = ReadValue(meta_graph.Bytes(candidate.range), file, candidate.name);
    if (!value.ok() || !IsOneString(*value)) continue;  // other constants are not decoded: they may be large
    const StatusOr<Tensor> tensor = DecodeTensor(*std::move(value));
    if (!tensor.ok()) continue;
    StatusOr<ObjectGraph> graph = ReadTrackableObjectGraph(*tensor->StringAt(0), file, candidate.name);
    if (graph.ok() && NamesKeys(*graph)) return graph;
  }
  return Error(StatusCode::kNotFound, "no constant of the graph is a checkpoint's object graph").File(file);
}

}  // namespace savedmodel::internal
