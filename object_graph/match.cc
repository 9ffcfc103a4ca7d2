#include "savedmodel/object_graph/match.h"

#include "savedmodel/object_graph/first_edges.h"

namespace savedmodel {

void Matcher::Pair(NodeId stored, NodeId target) {
  if (static_cast<size_t>(target) >= stored_of_.size())
    stored_of_.resize(static_cast<size_t>(target) + 1, -1);
  NodeId& known_target = target_of_[static_cast<size_t>(stored)];
  NodeId& known_stored = stored_of_[static_cast<size_t>(target)];
  if (known_target >= 0) {
    if (known_target != target) conflicts_.push_back({stored, target, known_target, true});
    return;
  }
  if (known_stored >= 0) conflicts_.push_back({stored, target, known_stored, false});
  queue_.push_back(stored);  // last of what may fail: a pair is either everywhere or nowhere
  known_target = target;
  if (known_stored < 0) known_stored = stored;
}

void Matcher::Run() {
  // Slots are paired once all that edges reach is: an optimizer may come before its variables.
  while (next_child_ < queue_.size()) {
    while (next_child_ < queue_.size()) PairChildren(queue_[next_child_++]);
    for (const size_t paired = queue_.size(); next_slot_ < paired; ++next_slot_)
      PairSlots(queue_[next_slot_]);
  }
}

NodeId Matcher::StoredOf(NodeId target) const {
  return static_cast<size_t>(target) < stored_of_.size() ? stored_of_[static_cast<size_t>(target)] : -1;
}

void Matcher::PairChildren(NodeId stored) {
  const NodeId target = TargetOf(stored);
  size_t names = 0;
  ForEachFirstEdge(stored_.node(stored).children, [&](size_t, const Edge& edge) {
    ++names;
    if (const std::optional<NodeId> child = target_.Child(target, edge.name, 0)) Pair(edge.child, *child);
  });
  if (names < stored_.node(stored).children.size()) PairRepeatedNames(stored, target);
}

// Edges of one name, which odd files have, are paired in order: the second with the second. No path leads to
// their nodes, but the program that wrote both graphs meant the same object.
void Matcher::PairRepeatedNames(NodeId stored, NodeId target) {
  std::unordered_map<std::string_view, size_t> seen;
  for (const Edge& edge : stored_.node(stored).children) {
    const size_t nth = seen[edge.name]++;
    if (nth == 0) continue;
    if (const std::optional<NodeId> child = target_.Child(target, edge.name, nth)) Pair(edge.child, *child);
  }
}

// The slots of `stored` as an optimizer, and those that waited for it as their original variable.
void Matcher::PairSlots(NodeId stored) {
  if (skip_slots_) return;
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

void Matcher::PairSlot(NodeId optimizer, const SlotReference& slot) {
  const std::optional<NodeId> target = target_.Slot(TargetOf(optimizer), TargetOf(slot.original), slot);
  if (target) Pair(slot.slot, *target);
}

void Matcher::RetrySlots(NodeId stored_optimizer) {
  if (skip_slots_) return;
  for (const SlotReference& slot : stored_.node(stored_optimizer).slots) {
    if (TargetOf(slot.original) >= 0 && TargetOf(slot.slot) < 0) PairSlot(stored_optimizer, slot);
  }
}

namespace {

// A graph as the side that wants values.
class GraphTarget : public MatchTarget {
 public:
  explicit GraphTarget(const ObjectGraph& graph) : graph_(graph) {
    for (size_t n = 0; n < graph.size(); ++n) {
      for (const SlotReference& slot : graph.nodes()[n].slots) {
        slots_[Pack(static_cast<NodeId>(n), slot.original)].emplace(slot.slot_name, slot.slot);
      }
    }
  }

  std::optional<NodeId> Child(NodeId target, std::string_view name, size_t nth) override {
    if (nth == 0) return graph_.Child(target, name);
    const ChildrenByName& children = AllChildren(target);
    const auto found = children.find(name);
    return found == children.end() || nth >= found->second.size() ? std::nullopt
                                                                  : std::optional(found->second[nth]);
  }

  std::optional<NodeId> Slot(NodeId optimizer, NodeId original, const SlotReference& slot) override {
    const auto names = slots_.find(Pack(optimizer, original));
    if (names == slots_.end()) return std::nullopt;
    const auto found = names->second.find(slot.slot_name);
    return found == names->second.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  using ChildrenByName = std::unordered_map<std::string_view, std::vector<NodeId>>;

  static uint64_t Pack(NodeId optimizer, NodeId original) {
    return uint64_t{static_cast<uint32_t>(optimizer)} << 32 | static_cast<uint32_t>(original);
  }

  // Made once for a target, however many stored nodes meet in it.
  const ChildrenByName& AllChildren(NodeId target) {
    auto [it, is_new] = all_children_.try_emplace(target);
    if (is_new) {
      for (const Edge& edge : graph_.node(target).children) it->second[edge.name].push_back(edge.child);
    }
    return it->second;
  }

  const ObjectGraph& graph_;
  // Slot variables by (optimizer, original variable) and slot name; of equal triples the first.
  std::unordered_map<uint64_t, std::unordered_map<std::string_view, NodeId>> slots_;
  std::unordered_map<NodeId, ChildrenByName> all_children_;
};

}  // namespace

MatchResult MatchFrom(std::span<const std::pair<NodeId, NodeId>> pairs, const ObjectGraph& stored,
                      const ObjectGraph& target) {
  MatchResult result;
  result.target_of.assign(stored.size(), -1);
  result.stored_of.assign(target.size(), -1);
  GraphTarget side(target);
  Matcher matcher(stored, side);
  for (const auto& [from, to] : pairs) matcher.Pair(from, to);
  matcher.Run();
  for (size_t i = 0; i < stored.size(); ++i) result.target_of[i] = matcher.TargetOf(static_cast<NodeId>(i));
  for (size_t i = 0; i < target.size(); ++i) result.stored_of[i] = matcher.StoredOf(static_cast<NodeId>(i));
  result.conflicts = matcher.conflicts();
  return result;
}

MatchResult Match(const ObjectGraph& stored, const ObjectGraph& target) {
  const std::pair<NodeId, NodeId> roots(kRootId, kRootId);
  const bool have_roots = stored.size() > 0 && target.size() > 0;
  return MatchFrom(std::span(&roots, have_roots ? 1 : 0), stored, target);
}

}  // namespace savedmodel
