// From a node back to its paths: the shortest one of every node, and all of them.
//
//   ShortestPaths paths(graph);
//   std::string text = paths.PathTo(id).ToString();       // "root.dense.kernel"
//
// Order among paths of equal length is that of the edges in the graph, the earlier edge first.
// Thread-safety: const methods of ShortestPaths may run concurrently; AllPaths counts its work and needs
// outside locking.
// Lifetime: both borrow the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/node_path.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// A breadth-first tree of the graph. Cost: nodes + edges, once.
class ShortestPaths {
 public:
  explicit ShortestPaths(const ObjectGraph& graph);
  explicit ShortestPaths(ObjectGraph&&) = delete;  // would outlive the graph

  // False for nodes that no edge reaches: slot variables, captured constants.
  bool Reaches(NodeId id) const { return rank_[static_cast<size_t>(id)] >= 0; }
  // The node before `id` on its path; -1 for the root and for nodes that are not reached.
  NodeId Parent(NodeId id) const { return parent_[static_cast<size_t>(id)]; }
  // Position of `id` in breadth-first order; -1 when it is not reached.
  int64_t Rank(NodeId id) const { return rank_[static_cast<size_t>(id)]; }
  std::span<const NodeId> order() const& { return order_; }
  std::span<const NodeId> order() const&& = delete;
  // The path of a node that is reached; root for others. Cost: the path's names; a file may hold a path of
  // millions.
  NodePath PathTo(NodeId id) const;
  // The length of that path in bytes, one for each dot, without root and before anything is escaped.
  uint64_t PathBytes(NodeId id) const { return bytes_[static_cast<size_t>(id)]; }

 private:
  const ObjectGraph* graph_;
  std::vector<NodeId> parent_;
  std::vector<uint32_t> edge_;  // index of the edge in the parent's children
  std::vector<int64_t> rank_;
  std::vector<uint64_t> bytes_;
  std::vector<NodeId> order_;
};

// The place of every node for people: its shortest path, a slot variable's SlotPath, else "<node 17>".
//
// Where several slot references lead to one slot variable, the first counts whose optimizer and variable have
// paths. Names of a file made to be deep would take memory out of proportion: in graphs whose paths together
// are longer than kMaxNameBytes, those of more than kShortNameBytes are "<node 17>" too.
class NodeNames {
 public:
  static constexpr uint64_t kMaxNameBytes = uint64_t{256} << 20;
  static constexpr uint64_t kShortNameBytes = 256;

  explicit NodeNames(const ObjectGraph& graph);
  explicit NodeNames(ObjectGraph&&) = delete;
  std::string Name(NodeId id) const;
  // The path, where there is one: shortest path or SlotPath.
  bool HasPath(NodeId id) const;
  NodePath PathTo(NodeId id) const;
  bool IsSlot(NodeId id) const { return slot_owner_[static_cast<size_t>(id)] >= 0; }
  const ShortestPaths& paths() const { return paths_; }

 private:
  const SlotReference& SlotOf(NodeId id) const;
  void AddSlot(NodeId owner, size_t index);
  uint64_t PathBytes(NodeId id) const;

  const ObjectGraph* graph_;
  ShortestPaths paths_;
  std::vector<NodeId> slot_owner_;    // the optimizer of a slot variable that no edge reaches; else -1
  std::vector<uint32_t> slot_index_;  // its position in the optimizer's slots
  uint64_t longest_ = UINT64_MAX;     // path that is spelled
};

// Every path to a node that does not repeat a node, shortest first. A graph can have exponentially many: the
// search takes a bounded number of steps, per node and in all, and gives fewer paths once they are used up,
// but always the shortest.
class AllPaths {
 public:
  explicit AllPaths(const ObjectGraph& graph);
  explicit AllPaths(ObjectGraph&&) = delete;
  // At most `limit` paths; none for a node that is not reached.
  std::vector<NodePath> To(NodeId id, size_t limit);

 private:
  using Step = std::pair<NodeId, uint32_t>;  // a parent and the index of its edge
  const ObjectGraph* graph_;
  ShortestPaths shortest_;
  std::vector<std::vector<Step>> parents_;
  uint64_t budget_;
};

}  // namespace savedmodel
