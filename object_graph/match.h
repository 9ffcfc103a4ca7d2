// Pairs the nodes of a stored graph with what a program wants values for, by walking equal edge names from both roots.
//
//   MatchResult match = Match(checkpoint_graph, model_graph);
//   NodeId stored = match.stored_of[target];      // -1: nothing stored for this node
//
// Ids of the two sides have nothing to do with each other: names count, and where a node has several edges of
// one name their order. The walk is breadth-first in the stored graph's edge order, as TensorFlow's; slot
// variables, which no edge reaches, are paired by (optimizer, slot name, original variable). Two stored nodes
// may meet in one target: what is below both is matched. Of two targets that meet in one stored node the
// second stays without a match.
//
// The loader matches two graphs; a restore of live objects matches a graph with objects that come one after another,
// and goes on where it stopped (Matcher). Both are this one walk.
// Cost: nodes + edges + slots of both sides, times the logarithm of a node's children.
// Thread-safety: Match is a pure function; a Matcher needs outside locking.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
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
  bool operator==(const MatchConflict&) const = default;
};

struct MatchResult {
  std::vector<NodeId> target_of = {};  // by stored id; -1 when nothing was found
  std::vector<NodeId> stored_of = {};  // by target id; -1 when nothing was found
  std::vector<MatchConflict> conflicts = {};
};

MatchResult Match(const ObjectGraph& stored, const ObjectGraph& target);
// The same from these pairs (stored, target) in place of the roots.
MatchResult MatchFrom(std::span<const std::pair<NodeId, NodeId>> pairs, const ObjectGraph& stored,
                      const ObjectGraph& target);

// The side that wants values. Ids are its own, from 0; it may give out new ones at any time.
class MatchTarget {
 public:
  virtual ~MatchTarget() = default;
  // The child of `target` under `name`; of several of that name the `nth`, 0 being the one that a path takes.
  virtual std::optional<NodeId> Child(NodeId target, std::string_view name, size_t nth) = 0;
  // What takes the slot `slot.slot_name` that the optimizer keeps for `original`; both are targets.
  virtual std::optional<NodeId> Slot(NodeId optimizer, NodeId original, const SlotReference& slot) = 0;
};

// The walk, in as many steps as the target grows by.
class Matcher {
 public:
  // Both are borrowed.
  Matcher(const ObjectGraph& stored, MatchTarget& target) : stored_(stored), target_(target) {
    target_of_.assign(stored.size(), -1);
  }
  Matcher(ObjectGraph&&, MatchTarget&) = delete;
  // Slots are not looked at.
  void SkipSlots() { skip_slots_ = true; }

  // Says that the two belong together; what follows from it is found by Run. The first pair of a stored node stands.
  void Pair(NodeId stored, NodeId target);
  void Run();
  // Looks for slots of this optimizer's node again that had no target yet; then Run.
  void RetrySlots(NodeId stored_optimizer);

  // -1 when nothing was found.
  NodeId TargetOf(NodeId stored) const { return target_of_[static_cast<size_t>(stored)]; }
  // The first stored node that met this target; -1 when none did.
  NodeId StoredOf(NodeId target) const;
  // Stored nodes in the order they were paired.
  std::span<const NodeId> paired() const& { return queue_; }
  std::span<const NodeId> paired() const&& = delete;
  const std::vector<MatchConflict>& conflicts() const { return conflicts_; }

 private:
  void PairChildren(NodeId stored);
  void PairRepeatedNames(NodeId stored, NodeId target);
  void PairSlots(NodeId stored);
  void PairSlot(NodeId optimizer, const SlotReference& slot);

  const ObjectGraph& stored_;
  MatchTarget& target_;
  bool skip_slots_ = false;
  std::vector<NodeId> target_of_;
  std::vector<NodeId> stored_of_;
  std::vector<MatchConflict> conflicts_;
  std::vector<NodeId> queue_;
  size_t next_child_ = 0;  // the first in the queue whose children are to be paired
  size_t next_slot_ = 0;   // and whose slots are
  // Slots whose original variable is not paired, by that variable.
  std::unordered_map<NodeId, std::vector<std::pair<NodeId, const SlotReference*>>> waiting_;
};

}  // namespace savedmodel
