#include "savedmodel/object_graph/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::RandomIds;
using ::savedmodel::testing::Renumbered;
using ::savedmodel::testing::RingGraph;
using ::savedmodel::testing::WideGraph;
using ::testing::ElementsAre;

TEST(Match, PairsEqualNames) {
  const ObjectGraph stored = GraphBuilder(4).Link(0, "a", 1).Link(1, "v", 2).Link(0, "old", 3).Build();
  const ObjectGraph target = GraphBuilder(4).Link(0, "new", 1).Link(0, "a", 2).Link(2, "v", 3).Build();
  const MatchResult match = Match(stored, target);
  EXPECT_THAT(match.target_of, ElementsAre(0, 2, 3, -1));
  EXPECT_THAT(match.stored_of, ElementsAre(0, -1, 1, 2));
  EXPECT_TRUE(match.conflicts.empty());
}

TEST(Match, KindsDoNotMatter) {
  const ObjectGraph stored = GraphBuilder(2, NodeKind::kTrackable).Link(0, "a", 1).Build();
  const ObjectGraph target = GraphBuilder(2, NodeKind::kVariable).Link(0, "a", 1).Build();
  EXPECT_THAT(Match(stored, target).target_of, ElementsAre(0, 1));
}

TEST(Match, EmptyGraphsMatchNothing) {
  const ObjectGraph empty, one = GraphBuilder(1).Build();
  EXPECT_TRUE(Match(empty, empty).target_of.empty());
  EXPECT_THAT(Match(one, empty).target_of, ElementsAre(-1));
  EXPECT_THAT(Match(empty, one).stored_of, ElementsAre(-1));
}

TEST(Match, Case23_EdgesOfOneNameArePairedInOrder) {
  const ObjectGraph stored = GraphBuilder(4).Link(0, "a", 2).Link(0, "a", 1).Link(0, "a", 3).Build();
  const ObjectGraph target = GraphBuilder(3).Link(0, "a", 1).Link(0, "a", 2).Build();
  EXPECT_THAT(Match(stored, target).target_of, ElementsAre(0, 2, 1, -1));
}

TEST(Match, Case24_CyclesEnd) {
  const ObjectGraph stored = GraphBuilder(3).Link(0, "foo", 1).Link(1, "bar", 2).Link(2, "parent", 1).Build();
  EXPECT_THAT(Match(stored, stored).target_of, ElementsAre(0, 1, 2));
}

TEST(Match, ASharedNodeOnBothSidesIsOnePair) {
  const ObjectGraph graph = GraphBuilder(2).Link(0, "a", 1).Link(0, "b", 1).Build();
  const MatchResult match = Match(graph, graph);
  EXPECT_THAT(match.target_of, ElementsAre(0, 1));
  EXPECT_TRUE(match.conflicts.empty());
}

TEST(Match, OneStoredNodeForTwoTargetsIsAConflictAndTheFirstStands) {
  const ObjectGraph stored = GraphBuilder(2).Link(0, "a", 1).Link(0, "b", 1).Build();
  const ObjectGraph target = GraphBuilder(3).Link(0, "a", 1).Link(0, "b", 2).Build();
  const MatchResult match = Match(stored, target);
  EXPECT_THAT(match.stored_of, ElementsAre(0, 1, -1));
  ASSERT_EQ(match.conflicts.size(), 1u);
  const MatchConflict& conflict = match.conflicts[0];
  EXPECT_TRUE(conflict.one_stored_two_targets);
  EXPECT_EQ(conflict.stored, 1);
  EXPECT_EQ(conflict.target, 2);
  EXPECT_EQ(conflict.other, 1);
}

TEST(Match, TwoStoredNodesForOneTargetAreAConflictAndBothGoOn) {
  const ObjectGraph stored =
      GraphBuilder(5).Link(0, "a", 1).Link(0, "b", 2).Link(1, "x", 3).Link(2, "y", 4).Build();
  const ObjectGraph target =
      GraphBuilder(4).Link(0, "a", 1).Link(0, "b", 1).Link(1, "x", 2).Link(1, "y", 3).Build();
  const MatchResult match = Match(stored, target);
  EXPECT_THAT(match.target_of, ElementsAre(0, 1, 1, 2, 3));
  EXPECT_THAT(match.stored_of, ElementsAre(0, 1, 3, 4));
  ASSERT_EQ(match.conflicts.size(), 1u);
  EXPECT_FALSE(match.conflicts[0].one_stored_two_targets);
  EXPECT_EQ(match.conflicts[0].stored, 2);
  EXPECT_EQ(match.conflicts[0].other, 1);
}

TEST(Match, SlotsArePairedByOptimizerVariableAndName) {
  const ObjectGraph stored = GraphBuilder(6)
                                 .Link(0, "opt", 1)
                                 .Link(0, "v", 2)
                                 .Slot(1, 2, "m", 3)
                                 .Slot(1, 2, "v", 4)
                                 .Slot(1, 2, "gone", 5)
                                 .Build();
  const ObjectGraph target = GraphBuilder(6)
                                 .Link(0, "v", 1)
                                 .Link(0, "w", 2)
                                 .Link(0, "opt", 3)
                                 .Slot(3, 1, "v", 4)
                                 .Slot(3, 1, "m", 5)
                                 .Slot(3, 2, "m", 0)
                                 .Build();
  EXPECT_THAT(Match(stored, target).target_of, ElementsAre(0, 3, 1, 5, 4, -1));
}

TEST(Match, SlotsOfVariablesThatAreSlotsThemselvesAreFound) {
  // The slot 4 is of the slot 3, and its optimizer comes first.
  const ObjectGraph graph = GraphBuilder(5)
                                .Link(0, "outer", 1)
                                .Link(0, "inner", 2)
                                .Slot(1, 3, "of_slot", 4)
                                .Slot(2, 0, "m", 3)
                                .Build();
  EXPECT_THAT(Match(graph, graph).target_of, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Match, WhatIsBelowASlotVariableIsMatchedToo) {
  const ObjectGraph graph = GraphBuilder(4).Link(0, "opt", 1).Slot(1, 0, "m", 2).Link(2, "part", 3).Build();
  EXPECT_THAT(Match(graph, graph).target_of, ElementsAre(0, 1, 2, 3));
}

// The rules of match.h without a thought for time.
class Reference {
 public:
  Reference(const ObjectGraph& stored, const ObjectGraph& target) : stored_(stored), target_(target) {
    target_of.assign(stored.size(), -1);
    stored_of.assign(target.size(), -1);
    Pair(kRootId, kRootId);
    while (Drain() || PairSlots()) continue;
  }
  std::vector<NodeId> target_of, stored_of;

 private:
  NodeId& Target(NodeId stored) { return target_of[static_cast<size_t>(stored)]; }

  void Pair(NodeId stored, NodeId target) {
    if (Target(stored) >= 0) return;
    Target(stored) = target;
    NodeId& back = stored_of[static_cast<size_t>(target)];
    if (back < 0) back = stored;
    queue_.push_back(stored);
  }
  bool Drain() {
    const bool any = !queue_.empty();
    while (!queue_.empty()) {
      const NodeId id = queue_.front();
      queue_.pop_front();
      paired_.push_back(id);
      PairChildren(id, true);
      PairChildren(id, false);
    }
    return any;
  }
  // The first edges of their names, or all others: the n-th edge of a name goes with the n-th.
  void PairChildren(NodeId id, bool first) {
    const std::vector<Edge>& ours = stored_.node(id).children;
    const std::vector<Edge>& theirs = target_.node(Target(id)).children;
    for (size_t i = 0; i < ours.size(); ++i) {
      if ((Nth(ours, i) == 0) != first) continue;
      for (size_t k = 0; k < theirs.size(); ++k) {
        if (theirs[k].name == ours[i].name && Nth(theirs, k) == Nth(ours, i))
          Pair(ours[i].child, theirs[k].child);
      }
    }
  }
  static size_t Nth(const std::vector<Edge>& edges, size_t i) {
    size_t nth = 0;
    for (size_t k = 0; k < i; ++k) nth += edges[k].name == edges[i].name;
    return nth;
  }
  bool PairSlots() {
    for (const NodeId id : paired_) {
      for (const SlotReference& slot : stored_.node(id).slots) {
        for (const SlotReference& theirs : target_.node(Target(id)).slots) {
          if (Target(slot.original) != theirs.original || slot.slot_name != theirs.slot_name) continue;
          Pair(slot.slot, theirs.slot);
          break;
        }
      }
    }
    return !queue_.empty();
  }

  const ObjectGraph& stored_;
  const ObjectGraph& target_;
  std::deque<NodeId> queue_;
  std::vector<NodeId> paired_;
};

TEST(Match, AgreesWithTheReferenceOnRandomGraphs) {
  Random random(10);
  size_t pairs = 0, slots = 0;
  for (int i = 0; i < 20'000; ++i) {
    const GraphBuilder a =
        RandomGraph(random, {.nodes = 7, .edges = 8, .names = 3, .slots = random.Below(6)});
    // As often as not a graph with something in common.
    GraphBuilder b = random.OneIn(2) ? Renumbered(a, RandomIds(random, 7))
                                     : RandomGraph(random, {.nodes = 7, .edges = 8, .names = 3, .slots = 5});
    if (random.OneIn(2)) b.Link(random.Id(7), "b", random.Id(7));
    const ObjectGraph stored = a.Build(), target = b.Build();
    const MatchResult match = Match(stored, target);
    const Reference reference(stored, target);
    ASSERT_EQ(match.target_of, reference.target_of) << "graph " << i;
    ASSERT_EQ(match.stored_of, reference.stored_of) << "graph " << i;
    for (const NodeId id : match.target_of) pairs += id >= 0;
    for (const Node& node : stored.nodes()) {
      for (const SlotReference& slot : node.slots)
        slots += match.target_of[static_cast<size_t>(slot.slot)] >= 0;
    }
  }
  EXPECT_GT(pairs, 20'000u);
  EXPECT_GT(slots, 1000u);
}

TEST(Match, Case58_IdsMeanNothing) {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const GraphBuilder b =
        RandomGraph(random, {.nodes = 8, .edges = 12, .names = 4, .slots = random.Below(4)});
    const std::vector<NodeId> ids = RandomIds(random, 8);
    const ObjectGraph stored = b.Build(), target = Renumbered(b, ids).Build();
    const MatchResult with_itself = Match(stored, stored), renumbered = Match(stored, target);
    for (size_t id = 0; id < 8; ++id) {
      const NodeId itself = with_itself.target_of[id];
      ASSERT_EQ(renumbered.target_of[id], itself < 0 ? -1 : ids[static_cast<size_t>(itself)]);
    }
  }
}

// ---- In steps ----

// Objects that come one after another: children by (target, name), slots by (optimizer, original, name).
class GrowingTarget : public MatchTarget {
 public:
  NodeId Add(NodeId parent, const std::string& name) {
    children_[{parent, name}] = next_;
    return next_++;
  }
  NodeId AddSlot(NodeId optimizer, NodeId original, const std::string& name) {
    slots_[{optimizer, original, name}] = next_;
    return next_++;
  }
  std::optional<NodeId> Child(NodeId target, std::string_view name, size_t nth) override {
    ++asked;
    const auto found = children_.find({target, std::string(name)});
    return nth > 0 || found == children_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<NodeId> Slot(NodeId optimizer, NodeId original, const SlotReference& slot) override {
    const auto found = slots_.find({optimizer, original, slot.slot_name});
    return found == slots_.end() ? std::nullopt : std::optional(found->second);
  }

  int asked = 0;

 private:
  NodeId next_ = 1;
  std::map<std::pair<NodeId, std::string>, NodeId> children_;
  std::map<std::tuple<NodeId, NodeId, std::string>, NodeId> slots_;
};

std::vector<NodeId> Paired(const Matcher& matcher) {
  return {matcher.paired().begin(), matcher.paired().end()};
}

TEST(Matcher, GoesOnWhereAChildIsAttached) {
  const ObjectGraph stored = GraphBuilder(4).Link(0, "a", 1).Link(1, "v", 2).Link(0, "b", 3).Build();
  GrowingTarget target;
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  matcher.Run();
  EXPECT_THAT(Paired(matcher), ElementsAre(0));
  EXPECT_EQ(matcher.TargetOf(1), -1);
  const NodeId a = target.Add(0, "a"), v = target.Add(a, "v");
  matcher.Pair(1, a);
  EXPECT_EQ(matcher.TargetOf(2), -1) << "what follows is found by Run";
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(1), a);
  EXPECT_EQ(matcher.TargetOf(2), v);
  EXPECT_EQ(matcher.StoredOf(v), 2);
  EXPECT_EQ(matcher.StoredOf(v + 100), -1);
  EXPECT_EQ(matcher.TargetOf(3), -1);
  EXPECT_THAT(Paired(matcher), ElementsAre(0, 1, 2));
}

TEST(Matcher, AsksForTheChildrenOfAPairOnce) {
  const ObjectGraph stored = WideGraph(10).Build();
  GrowingTarget target;
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  matcher.Run();
  matcher.Run();
  EXPECT_EQ(target.asked, 10);
}

TEST(Matcher, StepsGiveWhatOneWalkGives) {
  const ObjectGraph stored =
      GraphBuilder(5).Link(0, "a", 1).Link(0, "b", 2).Link(1, "x", 3).Link(2, "x", 4).Build();
  GrowingTarget target;
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  matcher.Run();
  const NodeId b = target.Add(0, "b"), x = target.Add(b, "x");
  matcher.Pair(2, b);
  matcher.Run();
  const NodeId a = target.Add(0, "a");
  matcher.Pair(1, a);
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(4), x);
  EXPECT_EQ(matcher.TargetOf(3), -1);
  EXPECT_THAT(Paired(matcher), ElementsAre(0, 2, 4, 1));
}

TEST(Matcher, AConflictThatComesLaterLeavesTheFirstPair) {
  const ObjectGraph stored = GraphBuilder(2).Link(0, "a", 1).Link(0, "b", 1).Build();
  GrowingTarget target;
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  const NodeId b = target.Add(0, "b");
  matcher.Run();
  const NodeId a = target.Add(0, "a");
  matcher.Pair(1, a);
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(1), b);
  EXPECT_EQ(matcher.StoredOf(a), -1);
  EXPECT_THAT(matcher.conflicts(), ElementsAre(MatchConflict{1, a, b, true}));
  matcher.Pair(1, b);
  EXPECT_EQ(matcher.conflicts().size(), 1u) << "the pair that stands is no conflict";
}

// Node 1 keeps "m" for node 2.
ObjectGraph OptimizerGraph() {
  return GraphBuilder(4).Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Build();
}

TEST(Matcher, ASlotIsPairedOnceOptimizerAndVariableAreInEitherOrder) {
  const ObjectGraph stored = OptimizerGraph();
  for (const bool optimizer_first : {true, false}) {
    GrowingTarget target;
    Matcher matcher(stored, target);
    matcher.Pair(0, 0);
    matcher.Run();
    const NodeId opt = target.Add(0, "opt"), v = target.Add(0, "v"), m = target.AddSlot(opt, v, "m");
    matcher.Pair(optimizer_first ? 1 : 2, optimizer_first ? opt : v);
    matcher.Run();
    EXPECT_EQ(matcher.TargetOf(3), -1);
    matcher.Pair(optimizer_first ? 2 : 1, optimizer_first ? v : opt);
    matcher.Run();
    EXPECT_EQ(matcher.TargetOf(3), m);
  }
}

TEST(Matcher, ASlotThatIsMadeLaterIsFoundByRetrying) {
  const ObjectGraph stored = OptimizerGraph();
  GrowingTarget target;
  const NodeId opt = target.Add(0, "opt"), v = target.Add(0, "v");
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(3), -1);
  const NodeId m = target.AddSlot(opt, v, "m");
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(3), -1);
  matcher.RetrySlots(1);
  matcher.Run();
  EXPECT_EQ(matcher.TargetOf(3), m);
  matcher.RetrySlots(1);
  EXPECT_TRUE(matcher.conflicts().empty());
}

TEST(Matcher, RetryingWaitsForTheVariable) {
  const ObjectGraph stored = OptimizerGraph();
  GrowingTarget target;
  target.Add(0, "opt");
  Matcher matcher(stored, target);
  matcher.Pair(0, 0);
  matcher.Run();
  matcher.RetrySlots(1);
  EXPECT_THAT(Paired(matcher), ElementsAre(0, 1));
}

TEST(Matcher, SlotsThatAreSkippedAreNeverPaired) {
  const ObjectGraph stored = OptimizerGraph();
  GrowingTarget target;
  const NodeId opt = target.Add(0, "opt"), v = target.Add(0, "v");
  target.AddSlot(opt, v, "m");
  Matcher matcher(stored, target);
  matcher.SkipSlots();
  matcher.Pair(0, 0);
  matcher.Run();
  matcher.RetrySlots(1);
  EXPECT_THAT(Paired(matcher), ElementsAre(0, 1, 2));
}

TEST(Match, WideNodesAndLongChainsInTime) {
  const ObjectGraph wide = WideGraph(50'000).Build();
  EXPECT_EQ(Match(wide, wide).target_of[50'000], 50'000);
  const ObjectGraph ring = RingGraph(1'000'000).Build();
  EXPECT_EQ(Match(ring, ring).target_of[999'999], 999'999);
}

TEST(Match, ManyStoredNodesThatMeetInOneWideTargetInTime) {
  constexpr NodeId kNodes = 50'000;
  GraphBuilder stored(kNodes + 1), target(2);
  for (NodeId id = 1; id <= kNodes; ++id) {
    const std::string name = std::to_string(id);
    stored.Link(0, name, id).Link(id, "x", 0).Link(id, "x", 0).Slot(id, 0, "m", id);
    target.Link(0, name, 1).Link(1, name, 0).Slot(1, 0, name, 1);
  }
  EXPECT_EQ(Match(stored.Build(), target.Build()).target_of[kNodes], 1);
}

TEST(Match, ManySlotsOfOneOptimizerInTime) {
  constexpr NodeId kNodes = 50'000;
  GraphBuilder b(2 * kNodes + 2);
  b.Link(0, "opt", 1);
  for (NodeId id = 2; id < kNodes + 2; ++id) b.Link(0, std::to_string(id), id).Slot(1, id, "m", id + kNodes);
  for (NodeId id = 2; id < kNodes + 2; ++id) b.Slot(1, 2, std::to_string(id), id + kNodes);
  const ObjectGraph graph = b.Build();
  EXPECT_EQ(Match(graph, graph).target_of[2 * kNodes + 1], 2 * kNodes + 1);
}

TEST(Match, AChainOfSlotsOfSlotsInTime) {
  constexpr NodeId kNodes = 50'000;
  GraphBuilder b(kNodes);
  for (NodeId id = kNodes - 2; id >= 0; --id) b.Slot(0, id, "m", id + 1);
  const ObjectGraph graph = b.Build();
  EXPECT_EQ(Match(graph, graph).target_of[kNodes - 1], kNodes - 1);
}

}  // namespace
}  // namespace savedmodel
