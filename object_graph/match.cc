#include "savedmodel/object_graph/match.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "savedmodel/object_graph/internal/first_edges.h"

namespace savedmodel {
namespace {

class Matcher {
 public:
  Matcher(const ObjectGraph& stored, const ObjectGraph& target) : stored_(stored), target_(target) {
    out_.target_of.assign(stored.size(), -1);
    out_.stored_of.assign(target.size(), -1);
  }

  MatchResult Run() {
    if (stored_.size() == 0 || target_.size() == 0) return std::move(out_);
    Pair(kRootId, kRootId);
    // Slots are paired once all that edges reach is: an optimizer may come before its variables.
    size_t next = 0;
    do {
      for (; next < queue_.size(); ++next) PairChildren(queue_[next]);
    } while (PairSlots() || next < queue_.size());
    return std::move(out_);
  }

 private:
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
    const NodeId target = out_.target_of[static_cast<size_t>(stored)];
    std::unordered_map<std::string_view, NodeId> children;
    for (const Edge& edge : target_.node(target).children) children.emplace(edge.name, edge.child);
    internal::ForEachFirstEdge(stored_.node(stored).children, [&](size_t, const Edge& edge) {
      if (auto it = children.find(edge.name); it != children.end()) Pair(edge.child, it->second);
    });
  }

  // One pass over the optimizers paired so far; true when a new pair was made.
  bool PairSlots() {
    const size_t before = queue_.size();
    for (; slots_done_ < before; ++slots_done_) PairSlotsOf(queue_[slots_done_]);
    return queue_.size() > before;
  }

  void PairSlotsOf(NodeId stored) {
    const std::vector<SlotReference>& slots = stored_.node(stored).slots;
    if (slots.empty()) return;
    const NodeId target = out_.target_of[static_cast<size_t>(stored)];
    for (const SlotReference& theirs : target_.node(target).slots) {
      by_variable_[theirs.original].emplace_back(theirs.slot_name, theirs.slot);
    }
    for (const SlotReference& slot : slots) {
      const NodeId original = out_.target_of[static_cast<size_t>(slot.original)];
      auto it = by_variable_.find(original);
      if (original < 0 || it == by_variable_.end()) continue;
      for (const auto& [name, id] : it->second) {
        if (name == slot.slot_name) Pair(slot.slot, id);
      }
    }
    by_variable_.clear();
  }

  const ObjectGraph& stored_;
  const ObjectGraph& target_;
  MatchResult out_;
  std::vector<NodeId> queue_;  // stored nodes in the order they were paired
  size_t slots_done_ = 0;
  std::unordered_map<NodeId, std::vector<std::pair<std::string_view, NodeId>>> by_variable_;
};

}  // namespace

MatchResult Match(const ObjectGraph& stored, const ObjectGraph& target) { return Matcher(stored, target).Run(); }

}  // namespace savedmodel
