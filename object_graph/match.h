// Pairs the nodes of a stored graph with those of a target graph by walking equal edge names from both roots.
//
//   MatchResult match = Match(checkpoint_graph, model_graph);
//   NodeId stored = match.stored_of[target];      // -1: nothing stored for this node
//
// Ids of the two graphs have nothing to do with each other: names count, and where a node has several edges of
// one name their order. The walk is breadth-first in the stored graph's edge order, as TensorFlow's; slot
// variables, which no edge reaches, are paired by (optimizer, slot name, original variable). Two stored nodes
// may meet in one target: what is below both is matched. Of two targets that meet in one stored node the
// second stays without a match. The loader and the restore of live objects both use this.
// Cost: nodes + edges + slots of both graphs, times the logarithm of a node's children.
// Thread-safety: a pure function.
#pragma once

#include <vector>

#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

// Two walks that meet: one stored node found for two targets, or two stored nodes for one target. The first
// pair stands.
struct MatchConflict {
  NodeId stored = 0;
  NodeId target = 0;
  NodeId other = 0;  // the target (first kind) or stored node (second kind) of the pair that stands
  bool one_stored_two_targets = false;
};

struct MatchResult {
  std::vector<NodeId> target_of = {};  // by stored id; -1 when nothing was found
  std::vector<NodeId> stored_of = {};  // by target id; -1 when nothing was found
  std::vector<MatchConflict> conflicts = {};
};

MatchResult Match(const ObjectGraph& stored, const ObjectGraph& target);

}  // namespace savedmodel
