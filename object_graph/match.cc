#include "savedmodel/object_graph/match.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/first_edges.h"

namespace savedmodel {
namespace {

// The slot variables of a graph by (optimizer, original variable, slot name); of equal triples the first.
class SlotTable {
 public:
  explicit SlotTable(const ObjectGraph& graph) {
    for (size_t n = 0; n < graph.size(); ++n) {
      for (const SlotReference& slot : graph.nodes()[n].slots) {
        slots_[Pack(static_cast<NodeId>(n), slot.original)].emplace(slot.slot_name, slot.slot);
      }
    }
  }

  std::optional<NodeId> Find(NodeId optimizer, NodeId original, std::string_view slot_name) const {
    auto names = slots_.find(Pack(optimizer, original));
    if (names == slots_.end()) return std::nullopt;
    auto slot = names->second.find(slot_name);
    return slot == names->second.end() ? std::nullopt : std::optional(slot->second);
  }

 private:
  static uint64_t Pack(NodeId optimizer, NodeId original) {
    return uint64_t{static_cast<uint32_t>(optimizer)} << 32 | static_cast<uint32_t>(original);
  }

  std::unordered_map<uint64_t, std::unordered_map<std::string_view, NodeId>> slots_;
};

class Matcher {
 public:
  Matcher(const ObjectGraph& stored, const ObjectGraph& target)
      : stored_(stored), target_(target), slots_(target) {
    out_.target_of.assign(stored.size(), -1);
    out_.stored_of.assign(target.size(), -1);
  }

  MatchResult Run() {
    if (stored_.size() == 0 || target_.size() == 0) return std::move(out_);
    Pair(kRootId, kRootId);
    // Slots are paired once all that edges reach is: an optimizer may come before its variables.
    while (next_child_ < queue_.size()) {
      while (next_child_ < queue_.size()) PairChildren(queue_[next_child_++]);
      for (const size_t paired = queue_.size(); next_slot_ < paired; ++next_slot_)
        PairSlots(queue_[next_slot_]);
    }
    return std::move(out_);
  }

 private:
  using ChildrenByName = std::unordered_map<std::string_view, std::vector<NodeId>>;

  NodeId TargetOf(NodeId stored) const { return out_.target_of[static_cast<size_t>(stored)]; }

  void Pair(NodeId stored, NodeId target) {
    NodeId& known_target = out_.target_of[static_cast<size_t>(stored)];
    NodeId& known_stored = out_.stored_of[static_cast<size_t>(target)];
    if (known_target >= 0) {
      if (known_target != target) out_.conflicts.push_back({stored, target, known_target, true});
      return;
    }
    known_target = target;
    if (known_stored < 0) {
      known_stored = stored;
    } else {
      out_.conflicts.push_back({stored, target, known_stored, false});
    }
    queue_.push_back(stored);
  }

  void PairChildren(NodeId stored) {
    const NodeId target = TargetOf(stored);
    size_t names = 0;
    ForEachFirstEdge(stored_.node(stored).children, [&](size_t, const Edge& edge) {
      ++names;
      if (const std::optional<NodeId> child = target_.Child(target, edge.name)) Pair(edge.child, *child);
    });
    if (names < stored_.node(stored).children.size()) PairRepeatedNames(stored, target);
  }

  // Edges of one name, which odd files have, are paired in order: the second with the second. No path leads to
  // their nodes, but the program that wrote both graphs meant the same object.
  void PairRepeatedNames(NodeId stored, NodeId target) {
    const ChildrenByName& children = AllChildren(target);
    std::unordered_map<std::string_view, size_t> seen;
    for (const Edge& edge : stored_.node(stored).children) {
      const size_t nth = seen[edge.name]++;
      auto found = children.find(edge.name);
      if (nth > 0 && found != children.end() && nth < found->second.size())
        Pair(edge.child, found->second[nth]);
    }
  }

  // Made once for a target, however many stored nodes meet in it.
  const ChildrenByName& AllChildren(NodeId target) {
    auto [it, is_new] = all_children_.try_emplace(target);
    if (is_new) {
      for (const Edge& edge : target_.node(target).children) it->second[edge.name].push_back(edge.child);
    }
    return it->second;
  }

  // The slots of `stored` as an optimizer, and those that waited for it as their original variable.
  void PairSlots(NodeId stored) {
    for (const SlotReference& slot : stored_.node(stored).slots) {
      if (TargetOf(slot.original) >= 0) {
        PairSlot(stored, slot);
      } else {
        waiting_[slot.original].emplace_back(stored, &slot);
      }
    }
    auto waiting = waiting_.extract(stored);
    if (waiting.empty()) return;
    for (const auto& [optimizer, slot] : waiting.mapped()) PairSlot(optimizer, *slot);
  }

  void PairSlot(NodeId optimizer, const SlotReference& slot) {
    const std::optional<NodeId> target =
        slots_.Find(TargetOf(optimizer), TargetOf(slot.original), slot.slot_name);
    if (target) Pair(slot.slot, *target);
  }

  const ObjectGraph& stored_;
  const ObjectGraph& target_;
  const SlotTable slots_;
  MatchResult out_;
  std::vector<NodeId> queue_;  // stored nodes in the order they were paired
  size_t next_child_ = 0;      // the first in the queue whose children are to be paired
  size_t next_slot_ = 0;       // and whose slots are
  std::unordered_map<NodeId, ChildrenByName> all_children_;  // of targets
  // Slots whose original variable is not paired, by that variable.
  std::unordered_map<NodeId, std::vector<std::pair<NodeId, const SlotReference*>>> waiting_;
};

}  // namespace

MatchResult Match(const ObjectGraph& stored, const ObjectGraph& target) {
  return Matcher(stored, target).Run();
}

}  // namespace savedmodel
