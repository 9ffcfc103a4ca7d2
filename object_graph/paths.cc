#include "savedmodel/object_graph/paths.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "savedmodel/object_graph/first_edges.h"

namespace savedmodel {

ShortestPaths::ShortestPaths(const ObjectGraph& graph)
    : graph_(&graph),
      parent_(graph.size(), -1),
      edge_(graph.size(), 0),
      rank_(graph.size(), -1),
      bytes_(graph.size(), 0) {
  if (graph.size() == 0) return;
  order_.push_back(kRootId);
  rank_[0] = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    const NodeId id = order_[i];
    ForEachFirstEdge(graph.node(id).children, [&](size_t e, const Edge& edge) {
      if (Reaches(edge.child)) return;
      const auto child = static_cast<size_t>(edge.child);
      parent_[child] = id;
      edge_[child] = static_cast<uint32_t>(e);
      rank_[child] = static_cast<int64_t>(order_.size());
      bytes_[child] = bytes_[static_cast<size_t>(id)] + 1 + edge.name.size();
      order_.push_back(edge.child);
    });
  }
}

NodePath ShortestPaths::PathTo(NodeId id) const {
  std::vector<std::string> names;
  for (; Parent(id) >= 0; id = Parent(id)) {
    names.push_back(graph_->node(Parent(id)).children[edge_[static_cast<size_t>(id)]].name);
  }
  std::reverse(names.begin(), names.end());
  return NodePath(std::move(names));
}

NodeNames::NodeNames(const ObjectGraph& graph)
    : graph_(&graph), paths_(graph), slot_owner_(graph.size(), -1), slot_index_(graph.size(), 0) {
  for (size_t n = 0; n < graph.size(); ++n) {
    for (size_t s = 0; s < graph.nodes()[n].slots.size(); ++s) AddSlot(static_cast<NodeId>(n), s);
  }
  uint64_t all = 0;  // cannot overflow: it is looked at after every path, and a path is shorter than memory
  for (size_t n = 0; n < graph.size() && all <= kMaxNameBytes; ++n) all += PathBytes(static_cast<NodeId>(n));
  if (all > kMaxNameBytes) longest_ = kShortNameBytes;
}

void NodeNames::AddSlot(NodeId owner, size_t index) {
  const SlotReference& reference = graph_->node(owner).slots[index];
  if (HasPath(reference.slot)) return;
  const auto slot = static_cast<size_t>(reference.slot);
  const bool has_path = paths_.Reaches(owner) && paths_.Reaches(reference.original);
  if (slot_owner_[slot] >= 0 && !has_path) return;
  slot_owner_[slot] = owner;
  slot_index_[slot] = static_cast<uint32_t>(index);
}

const SlotReference& NodeNames::SlotOf(NodeId id) const {
  const auto slot = static_cast<size_t>(id);
  return graph_->node(slot_owner_[slot]).slots[slot_index_[slot]];
}

bool NodeNames::HasPath(NodeId id) const {
  if (!IsSlot(id)) return paths_.Reaches(id);
  return paths_.Reaches(slot_owner_[static_cast<size_t>(id)]) && paths_.Reaches(SlotOf(id).original);
}

NodePath NodeNames::PathTo(NodeId id) const {
  if (!IsSlot(id)) return paths_.PathTo(id);
  const SlotReference& slot = SlotOf(id);
  return SlotPath(paths_.PathTo(slot_owner_[static_cast<size_t>(id)]), slot.slot_name,
                  paths_.PathTo(slot.original));
}

uint64_t NodeNames::PathBytes(NodeId id) const {
  if (!IsSlot(id)) return paths_.PathBytes(id);
  const SlotReference& slot = SlotOf(id);
  return paths_.PathBytes(slot_owner_[static_cast<size_t>(id)]) + slot.slot_name.size() +
         paths_.PathBytes(slot.original);
}

std::string NodeNames::Name(NodeId id) const {
  if (HasPath(id) && PathBytes(id) <= longest_) return PathTo(id).ToString();
  return "<node " + std::to_string(id) + ">";
}

namespace {

constexpr uint64_t kStepsPerNode = 1024;     // edges looked at for one node
constexpr uint64_t kStepsInAll = 4'000'000;  // and for all nodes of one AllPaths

// Backwards search from a node to the root; a partial path is a chain of links that ends at the node.
class BackwardSearch {
 public:
  struct Link {
    NodeId node;
    uint32_t edge;  // in node's children, towards `next`
    size_t next;
    size_t depth;
  };
  static constexpr size_t kNone = SIZE_MAX;

  BackwardSearch(const std::vector<std::vector<std::pair<NodeId, uint32_t>>>& parents, NodeId target)
      : parents_(parents) {
    links_.push_back({target, 0, kNone, 0});
  }

  // Indexes of complete paths, by length, until `limit` of them and all others of the last length are found.
  std::vector<size_t> Run(size_t limit, uint64_t* budget) {
    std::vector<size_t> found;
    const uint64_t most = std::min(kStepsPerNode, *budget);
    uint64_t steps = 0;
    for (size_t i = 0; i < links_.size(); ++i) {
      if (found.size() >= limit && links_[i].depth > links_[found.back()].depth) break;
      if (links_[i].node == kRootId) {
        found.push_back(i);
      } else {
        Extend(i, most, &steps);
      }
    }
    *budget -= steps;
    return found;
  }

  const Link& link(size_t i) const { return links_[i]; }
  std::vector<uint32_t> EdgesOf(size_t i) const {
    std::vector<uint32_t> edges;
    for (; links_[i].next != kNone; i = links_[i].next) edges.push_back(links_[i].edge);
    return edges;
  }

 private:
  bool Visits(size_t i, NodeId node) const {
    for (; i != kNone; i = links_[i].next) {
      if (links_[i].node == node) return true;
    }
    return false;
  }
  void Extend(size_t i, uint64_t most, uint64_t* steps) {
    for (const auto& [parent, edge] : parents_[static_cast<size_t>(links_[i].node)]) {
      if (*steps == most) return;
      ++*steps;
      if (!Visits(i, parent)) links_.push_back({parent, edge, i, links_[i].depth + 1});
    }
  }

  const std::vector<std::vector<std::pair<NodeId, uint32_t>>>& parents_;
  std::vector<Link> links_;
};

}  // namespace

AllPaths::AllPaths(const ObjectGraph& graph)
    : graph_(&graph), shortest_(graph), parents_(graph.size()), budget_(kStepsInAll) {
  for (size_t n = 0; n < graph.size(); ++n) {
    ForEachFirstEdge(graph.nodes()[n].children, [&](size_t e, const Edge& edge) {
      parents_[static_cast<size_t>(edge.child)].emplace_back(static_cast<NodeId>(n),
                                                             static_cast<uint32_t>(e));
    });
  }
}

std::vector<NodePath> AllPaths::To(NodeId id, size_t limit) {
  std::vector<NodePath> paths;
  if (!shortest_.Reaches(id) || limit == 0) return paths;
  BackwardSearch search(parents_, id);
  std::vector<size_t> found = search.Run(limit, &budget_);
  std::sort(found.begin(), found.end(), [&](size_t a, size_t b) {
    return std::tuple(search.link(a).depth, search.EdgesOf(a)) <
           std::tuple(search.link(b).depth, search.EdgesOf(b));
  });
  for (size_t i : found) {
    if (paths.size() == limit) break;
    std::vector<std::string> names;
    for (size_t l = i; search.link(l).next != BackwardSearch::kNone; l = search.link(l).next) {
      names.push_back(graph_->node(search.link(l).node).children[search.link(l).edge].name);
    }
    paths.emplace_back(std::move(names));
  }
  // A search cut short may have missed the first of the shortest.
  if (NodePath first = shortest_.PathTo(id); paths.empty() || paths.front() != first) {
    paths.insert(paths.begin(), std::move(first));
    if (paths.size() > limit) paths.pop_back();
  }
  return paths;
}

}  // namespace savedmodel
