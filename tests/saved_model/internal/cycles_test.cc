#include "savedmodel/saved_model/internal/cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::RingGraph;
using ::testing::IsEmpty;

std::vector<int32_t> All(const ObjectGraph& graph) {
  return StronglyConnectedComponents(graph, [](NodeId) { return true; });
}

TEST(StronglyConnectedComponents, AreOneForACycleAndOneForEveryOtherNode) {
  const ObjectGraph graph = GraphBuilder(5)
                                .Link(0, "a", 1)
                                .Link(1, "b", 2)
                                .Link(2, "up", 1)
                                .Link(2, "c", 3)
                                .Link(4, "x", 4)
                                .Build();
  const std::vector<int32_t> component = All(graph);
  EXPECT_EQ(component[1], component[2]);
  const std::set<int32_t> different = {component[0], component[1], component[3], component[4]};
  EXPECT_EQ(different.size(), 4u) << "node 4, which nothing leads to, is one of its own";
}

TEST(StronglyConnectedComponents, NodesThatAreNotWantedAreNoWay) {
  const ObjectGraph graph = RingGraph(3).Build();
  const std::vector<int32_t> component =
      StronglyConnectedComponents(graph, [](NodeId id) { return id != 1; });
  EXPECT_EQ(component[1], -1);
  EXPECT_NE(component[0], component[2]) << "2 leads to 0, but the way back is gone";
}

TEST(StronglyConnectedComponents, OfAnEmptyGraphAreNone) { EXPECT_THAT(All(ObjectGraph()), IsEmpty()); }

std::vector<std::set<NodeId>> ReachableSets(const ObjectGraph& graph, const std::vector<bool>& wanted) {
  std::vector<std::set<NodeId>> reach(graph.size());
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!wanted[i]) continue;
    std::vector<NodeId> open = {static_cast<NodeId>(i)};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!wanted[static_cast<size_t>(id)] || !reach[i].insert(id).second) continue;
      for (const Edge& edge : graph.node(id).children) open.push_back(edge.child);
    }
  }
  return reach;
}

TEST(StronglyConnectedComponents, AgreeWithReachabilityOnRandomGraphs) {
  Random random(20);
  for (int i = 0; i < 3000; ++i) {
    const size_t size = 1 + random.Below(9);
    const ObjectGraph graph = RandomGraph(random, {.nodes = size, .edges = random.Below(16)}).Build();
    std::vector<bool> wanted(size);
    for (size_t n = 0; n < size; ++n) wanted[n] = !random.OneIn(5);
    const auto reach = ReachableSets(graph, wanted);
    const auto component =
        StronglyConnectedComponents(graph, [&](NodeId id) { return wanted[static_cast<size_t>(id)]; });
    for (size_t a = 0; a < size; ++a) {
      ASSERT_EQ(component[a] >= 0, wanted[a]);
      for (size_t b = 0; b < size; ++b) {
        if (!wanted[a] || !wanted[b]) continue;
        const bool both = reach[a].count(static_cast<NodeId>(b)) && reach[b].count(static_cast<NodeId>(a));
        ASSERT_EQ(component[a] == component[b], both);
      }
    }
  }
}

TEST(StronglyConnectedComponents, OfAMillionNodesInTimeAndWithoutRecursion) {
  const std::vector<int32_t> chain = All(ChainGraph(1'000'000).Build());
  EXPECT_EQ(std::set<int32_t>(chain.begin(), chain.end()).size(), 1'000'000u);
  const std::vector<int32_t> ring = All(RingGraph(1'000'000).Build());
  EXPECT_EQ(std::set<int32_t>(ring.begin(), ring.end()).size(), 1u);
}

}  // namespace
}  // namespace savedmodel::internal
