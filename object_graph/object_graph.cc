#include "savedmodel/object_graph/object_graph.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel {
namespace {

using internal::Error;

Status OutOfRange(std::string_view what, std::string_view file, NodeId node, std::string_view field,
                  NodeId id, size_t size) {
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

constexpr size_t kFewChildren = 16;  // up to which a scan is as fast as a search

// The positions of `edges` sorted by name; of equal names the first only.
std::vector<uint32_t> SortByName(const std::vector<Edge>& edges) {
  std::vector<uint32_t> order(edges.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const int by_name = edges[a].name.compare(edges[b].name);
    return by_name != 0 ? by_name < 0 : a < b;
  });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](uint32_t a, uint32_t b) { return edges[a].name == edges[b].name; }),
              order.end());
  return order;
}

// `path` leads from the root to `id` by its first `known` components; the next is not there.
Status NoSuchNode(const ObjectGraph& graph, const NodePath& path, size_t known, NodeId id) {
  const auto names = path.components();
  const NodePath reached(
      std::vector<std::string>(names.begin(), names.begin() + static_cast<ptrdiff_t>(known)));
  std::vector<std::string_view> candidates;
  for (const Edge& edge : graph.node(id).children) candidates.push_back(edge.name);
  std::string hint = reached.ToString() + " has " + std::to_string(candidates.size()) +
                     (candidates.size() == 1 ? " child" : " children");
  if (const std::string near = internal::DidYouMean(names[known], candidates); !near.empty())
    hint += "; " + near;
  return Error(StatusCode::kNotFound, "no node at " + reached.Child(names[known]).ToString())
      .Path(path.ToString())
      .Hint(std::move(hint));
}

}  // namespace

ObjectGraph::ObjectGraph(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].children.size() <= kFewChildren) continue;
    by_name_.emplace(static_cast<NodeId>(n), SortByName(nodes_[n].children));
  }
}

std::string_view NodeKindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNone:
      return "unknown";
    case NodeKind::kTrackable:
      return "trackable";
    case NodeKind::kUserObject:
      return "user_object";
    case NodeKind::kAsset:
      return "asset";
    case NodeKind::kFunction:
      return "function";
    case NodeKind::kBareConcreteFunction:
      return "bare_concrete_function";
    case NodeKind::kVariable:
      return "variable";
    case NodeKind::kConstant:
      return "constant";
    case NodeKind::kResource:
      return "resource";
    case NodeKind::kCapturedTensor:
      return "captured_tensor";
  }
  return "unknown";
}

std::optional<NodeId> ObjectGraph::Child(NodeId id, std::string_view name) const {
  const std::vector<Edge>& children = node(id).children;
  if (children.size() <= kFewChildren) {
    auto it =
        std::find_if(children.begin(), children.end(), [&](const Edge& edge) { return edge.name == name; });
    return it == children.end() ? std::nullopt : std::optional(it->child);
  }
  const std::vector<uint32_t>& order = by_name_.at(id);
  auto it = std::lower_bound(order.begin(), order.end(), name,
                             [&](uint32_t e, std::string_view wanted) { return children[e].name < wanted; });
  if (it == order.end() || children[*it].name != name) return std::nullopt;
  return children[*it].child;
}

StatusOr<NodeId> ObjectGraph::Find(const NodePath& path) const {
  if (nodes_.empty()) return Error(StatusCode::kNotFound, "the object graph is empty").Path(path.ToString());
  NodeId id = kRootId;
  const auto names = path.components();
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<NodeId> child = Child(id, names[i]);
    if (!child) return NoSuchNode(*this, path, i, id);
    id = *child;
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

std::vector<bool> SlotNodes(const ObjectGraph& graph) {
  std::vector<bool> is_slot(graph.size(), false);
  for (const Node& node : graph.nodes()) {
    for (const SlotReference& slot : node.slots) is_slot[static_cast<size_t>(slot.slot)] = true;
  }
  return is_slot;
}

NodePath SlotPath(const NodePath& optimizer, std::string_view slot_name, const NodePath& variable) {
  std::vector<std::string> names(optimizer.components().begin(), optimizer.components().end());
  names.emplace_back("slots");
  names.emplace_back(slot_name);
  names.insert(names.end(), variable.components().begin(), variable.components().end());
  return NodePath(std::move(names));
}

}  // namespace savedmodel
