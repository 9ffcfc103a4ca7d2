#include "savedmodel/object_graph/trackable_object_graph.h"

#include <utility>
#include <vector>

#include <google/protobuf/unknown_field_set.h>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::ParseBounded;
using internal::WithContext;

constexpr std::string_view kWhat = "checkpoint object graph";

// Field 4, a bool that newer schemas retired: set in real files.
bool IsOptional(const proto::TrackableObjectGraph::TrackableObject::SerializedTensor& attribute) {
  constexpr int kOptionalRestore = 4;
  const google::protobuf::UnknownFieldSet& unknown = attribute.GetReflection()->GetUnknownFields(attribute);
  bool optional = false;
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    const bool is_it =
        field.number() == kOptionalRestore && field.type() == google::protobuf::UnknownField::TYPE_VARINT;
    if (is_it) optional = field.varint() != 0;
  }
  return optional;
}

Node ReadNode(const proto::TrackableObjectGraph::TrackableObject& in) {
  Node node;
  node.kind = NodeKind::kTrackable;
  for (const auto& child : in.children()) node.children.push_back({child.local_name(), child.node_id()});
  for (const auto& attribute : in.attributes()) {
    node.attributes.push_back(
        {attribute.name(), attribute.full_name(), attribute.checkpoint_key(), IsOptional(attribute)});
  }
  for (const auto& slot : in.slot_variables()) {
    node.slots.push_back({slot.original_variable_node_id(), slot.slot_name(), slot.slot_variable_node_id()});
  }
  if (in.has_has_checkpoint_values()) node.has_checkpoint_values = in.has_checkpoint_values().value();
  node.registered_saver = in.registered_saver().name();
  node.registered_saver_object = in.registered_saver().object_name();
  return node;
}

}  // namespace

StatusOr<ObjectGraph> ReadTrackableObjectGraph(std::string_view bytes, std::string_view file,
                                               std::string_view key) {
  proto::TrackableObjectGraph in;
  Status parsed = ParseBounded(bytes, &in, {.file = file, .base_offset = std::nullopt, .what = kWhat});
  if (!parsed.ok()) return WithContext(parsed, {.key = std::string(key)});
  if (in.nodes().empty()) {
    return Error(StatusCode::kDataLoss, std::string(kWhat) + " has no nodes").File(file).Key(key);
  }
  std::vector<Node> nodes;
  nodes.reserve(static_cast<size_t>(in.nodes_size()));
  for (const auto& node : in.nodes()) nodes.push_back(ReadNode(node));
  ObjectGraph graph(std::move(nodes));
  if (Status valid = graph.Validate(kWhat, file); !valid.ok()) {
    return WithContext(valid, {.key = std::string(key)});
  }
  return graph;
}

}  // namespace savedmodel
