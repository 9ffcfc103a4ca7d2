#include "savedmodel/saved_model/internal/cycles.h"

#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

namespace savedmodel::internal {
namespace {

// The wanted part of an object graph as LLVM's algorithms see it, with one more node that leads to all
// others.
struct Vertex {
  NodeId id = -1;
  std::vector<Vertex*> next;
};

}  // namespace
}  // namespace savedmodel::internal

template <>
struct llvm::GraphTraits<savedmodel::internal::Vertex*> {
  using NodeRef = savedmodel::internal::Vertex*;
  using ChildIteratorType = std::vector<NodeRef>::iterator;
  static NodeRef getEntryNode(NodeRef vertex) { return vertex; }
  static ChildIteratorType child_begin(NodeRef vertex) { return vertex->next.begin(); }
  static ChildIteratorType child_end(NodeRef vertex) { return vertex->next.end(); }
};

namespace savedmodel::internal {

std::vector<int32_t> StronglyConnectedComponents(const ObjectGraph& graph,
                                                 const std::function<bool(NodeId)>& wanted) {
  std::vector<Vertex> vertices(graph.size());
  Vertex entry;
  for (size_t i = 0; i < vertices.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!wanted(id)) continue;
    vertices[i].id = id;
    entry.next.push_back(&vertices[i]);
    for (const Edge& edge : graph.node(id).children) {
      if (wanted(edge.child)) vertices[i].next.push_back(&vertices[static_cast<size_t>(edge.child)]);
    }
  }
  std::vector<int32_t> component(graph.size(), -1);
  int32_t number = 0;
  Vertex* start = &entry;
  for (auto it = llvm::scc_begin(start); !it.isAtEnd(); ++it, ++number) {
    for (const Vertex* vertex : *it) {
      if (vertex->id >= 0) component[static_cast<size_t>(vertex->id)] = number;
    }
  }
  return component;
}

}  // namespace savedmodel::internal
