#include "savedmodel/object_graph/object_graph.h"

#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel {
namespace {

using internal::Error;

Status OutOfRange(std::string_view what, std::string_view file, NodeId node, std::string_view field, NodeId id,
                  size_t size) {
  return Error(StatusCode::kDataLoss, std::string(what) + ": node " + std::to_string(node) + " has a " +
                                          std::string(field) + " outside the graph")
      .File(file)
      .Expected("an id from 0 to " + std::to_string(static_cast<int64_t>(size) - 1))
      .Found(std::to_string(id));
}

// Calls `check(field, id)` for every id that `node` holds.
template <class F>
Status ForEachId(const Node& node, const F& check) {
  Status status;
  auto visit = [&](std::string_view field, NodeId id) {
    if (status.ok()) status = check(field, id);
  };
  for (const Edge& edge : node.children) visit("child", edge.child);
  for (const SlotReference& slot : node.slots) {
    visit("slot's variable", slot.original);
    visit("slot variable", slot.slot);
  }
  for (NodeId id : node.dependencies) visit("dependency", id);
  for (const SaveableFunctions& saveable : node.saveables) {
    visit("save function", saveable.save);
    visit("restore function", saveable.restore);
  }
  return status;
}

}  // namespace

std::string_view NodeKindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNone: return "unknown";
    case NodeKind::kTrackable: return "trackable";
    case NodeKind::kUserObject: return "user_object";
    case NodeKind::kAsset: return "asset";
    case NodeKind::kFunction: return "function";
    case NodeKind::kBareConcreteFunction: return "bare_concrete_function";
    case NodeKind::kVariable: return "variable";
    case NodeKind::kConstant: return "constant";
    case NodeKind::kResource: return "resource";
    case NodeKind::kCapturedTensor: return "captured_tensor";
  }
  return "unknown";
}

std::optional<NodeId> ObjectGraph::Child(NodeId id, std::string_view name) const {
  for (const Edge& edge : node(id).children) {
    if (edge.name == name) return edge.child;
  }
  return std::nullopt;
}

StatusOr<NodeId> ObjectGraph::Find(const NodePath& path) const {
  if (nodes_.empty()) return Error(StatusCode::kNotFound, "the object graph is empty").Path(path.ToString());
  NodeId id = kRootId;
  NodePath reached;
  for (const std::string& name : path.components()) {
    std::optional<NodeId> child = Child(id, name);
    if (!child) {
      std::vector<std::string_view> names;
      for (const Edge& edge : node(id).children) names.push_back(edge.name);
      return Error(StatusCode::kNotFound, "no node at " + reached.Child(name).ToString())
          .Path(path.ToString())
          .Hint(reached.ToString() + " has " + std::to_string(names.size()) + " children" +
                (names.empty() ? "" : "; " + internal::DidYouMean(name, names)));
    }
    id = *child;
    reached = reached.Child(name);
  }
  return id;
}

Status ObjectGraph::Validate(std::string_view what, std::string_view file) const {
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const auto id = static_cast<NodeId>(n);
    Status status = ForEachId(nodes_[n], [&](std::string_view field, NodeId other) {
      return Contains(other) ? OkStatus() : OutOfRange(what, file, id, field, other, nodes_.size());
    });
    if (!status.ok()) return status;
  }
  return OkStatus();
}

NodePath SlotPath(const NodePath& optimizer, std::string_view slot_name, const NodePath& variable) {
  std::vector<std::string> names(optimizer.components().begin(), optimizer.components().end());
  names.emplace_back("slots");
  names.emplace_back(slot_name);
  names.insert(names.end(), variable.components().begin(), variable.components().end());
  return NodePath(std::move(names));
}

}  // namespace savedmodel
