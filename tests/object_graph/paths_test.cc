#include "savedmodel/object_graph/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::RingGraph;
using ::savedmodel::testing::WideGraph;
using ::testing::ElementsAre;

std::vector<std::string> Texts(const std::vector<NodePath>& paths) {
  std::vector<std::string> texts;
  for (const NodePath& path : paths) texts.push_back(path.ToString());
  return texts;
}

// A path with the indexes of its edges, which order paths of equal length.
struct IndexedPath {
  std::vector<size_t> edges;
  NodePath path;
  NodeId end = kRootId;
};

// Every path without repetition from the root, by brute force, in the order that paths have.
std::vector<IndexedPath> AllSimplePaths(const ObjectGraph& graph) {
  std::vector<IndexedPath> out;
  struct Open {
    IndexedPath path;
    std::set<NodeId> seen;
  };
  std::vector<Open> open = {{{}, {kRootId}}};
  while (!open.empty()) {
    Open now = open.back();
    open.pop_back();
    out.push_back(now.path);
    const std::vector<Edge>& edges = graph.node(now.path.end).children;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (graph.Child(now.path.end, edges[e].name) != edges[e].child) continue;
      const bool repeats = std::any_of(edges.begin(), edges.begin() + static_cast<ptrdiff_t>(e),
                                       [&](const Edge& other) { return other.name == edges[e].name; });
      if (repeats || now.seen.count(edges[e].child)) continue;
      Open next = now;
      next.path.edges.push_back(e);
      next.path.path = next.path.path.Child(edges[e].name);
      next.path.end = edges[e].child;
      next.seen.insert(edges[e].child);
      open.push_back(next);
    }
  }
  std::sort(out.begin(), out.end(), [](const IndexedPath& a, const IndexedPath& b) {
    return std::tuple(a.edges.size(), a.edges) < std::tuple(b.edges.size(), b.edges);
  });
  return out;
}

std::map<NodeId, std::vector<NodePath>> ByNode(const std::vector<IndexedPath>& paths) {
  std::map<NodeId, std::vector<NodePath>> out;
  for (const IndexedPath& path : paths) out[path.end].push_back(path.path);
  return out;
}

TEST(Paths, AgreeWithBruteForceOnSmallGraphs) {
  Random random(6);
  for (int i = 0; i < 1500; ++i) {
    const ObjectGraph graph =
        RandomGraph(random, {.nodes = 1 + random.Below(6), .edges = random.Below(14), .names = 4}).Build();
    auto expected = ByNode(AllSimplePaths(graph));
    const ShortestPaths shortest(graph);
    AllPaths all(graph);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.size()); ++id) {
      const std::vector<NodePath>& paths = expected[id];
      ASSERT_EQ(shortest.Reaches(id), !paths.empty());
      ASSERT_EQ(Texts(all.To(id, 1000)), Texts(paths));
      for (const size_t limit : {size_t{0}, size_t{1}, size_t{3}}) {
        const std::vector<NodePath> first(
            paths.begin(), paths.begin() + static_cast<ptrdiff_t>(std::min(limit, paths.size())));
        ASSERT_EQ(Texts(all.To(id, limit)), Texts(first));
      }
      if (!paths.empty()) {
        ASSERT_EQ(shortest.PathTo(id), paths.front());
      }
    }
  }
}

TEST(ShortestPaths, OrderIsBreadthFirstInEdgeOrder) {
  const ObjectGraph graph = GraphBuilder(5)
                                .Link(0, "z", 3)
                                .Link(0, "a", 1)
                                .Link(3, "x", 4)
                                .Link(1, "x", 4)
                                .Link(4, "back", 0)
                                .Build();
  const ShortestPaths paths(graph);
  EXPECT_THAT(paths.order(), ElementsAre(0, 3, 1, 4));
  EXPECT_EQ(paths.PathTo(4).ToString(), "root.z.x");
  EXPECT_EQ(paths.Rank(4), 3);
  EXPECT_EQ(paths.Parent(4), 3);
  EXPECT_EQ(paths.Parent(0), -1);
  EXPECT_FALSE(paths.Reaches(2));
  EXPECT_EQ(paths.Rank(2), -1);
  EXPECT_TRUE(paths.PathTo(2).is_root());
  EXPECT_EQ(paths.PathBytes(4), std::string(".z.x").size());
}

TEST(ShortestPaths, AnEdgeThatCannotBeAddressedIsNoWay) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 1).Link(0, "a", 2).Build();
  const ShortestPaths paths(graph);
  EXPECT_TRUE(paths.Reaches(1));
  EXPECT_FALSE(paths.Reaches(2)) << "root.a is the first edge of that name";
}

TEST(ShortestPaths, AnEmptyGraphHasNone) {
  const ObjectGraph graph;
  const ShortestPaths paths(graph);
  EXPECT_TRUE(paths.order().empty());
}

TEST(ShortestPaths, WideNodesAndLongChainsAreWalkedInTime) {
  const ObjectGraph wide = WideGraph(50'000).Build();
  EXPECT_EQ(ShortestPaths(wide).PathTo(50'000).ToString(), "root.49999");
  const ObjectGraph ring = RingGraph(1'000'000).Build();
  const ShortestPaths paths(ring);
  EXPECT_EQ(paths.order().size(), 1'000'000u);
  const NodePath last = paths.PathTo(999'999);
  EXPECT_EQ(last.components().size(), 999'999u);
}

TEST(AllPaths, OfADenseGraphAreBoundedAndStartWithTheShortest) {
  constexpr size_t kNodes = 60;  // of which there are more paths than atoms on earth
  GraphBuilder b(kNodes);
  for (NodeId from = 0; from < NodeId{kNodes}; ++from) {
    for (NodeId to = 0; to < NodeId{kNodes}; ++to) b.Link(from, "n" + std::to_string(to), to);
  }
  const ObjectGraph graph = b.Build();
  AllPaths all(graph);
  for (NodeId id = 1; id < NodeId{kNodes}; ++id) {
    const std::vector<NodePath> paths = all.To(id, 16);
    ASSERT_EQ(paths.size(), 16u);
    EXPECT_EQ(paths[0].components().size(), 1u);
    EXPECT_EQ(paths[1].components().size(), 2u);
  }
}

TEST(AllPaths, AreBoundedWhereManyEdgesLeadBackToThePathItself) {
  GraphBuilder b(3);
  b.Link(0, "a", 1);
  for (int i = 0; i < 200'000; ++i) b.Link(2, "x" + std::to_string(i), 1);
  for (int i = 0; i < 200'000; ++i) b.Link(1, "y" + std::to_string(i), 2);
  const ObjectGraph graph = b.Build();
  AllPaths all(graph);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_FALSE(all.To(1, 4).empty());
    EXPECT_FALSE(all.To(2, 4).empty());
  }
}

TEST(AllPaths, WithTheBudgetUsedUpTheShortestIsStillThere) {
  constexpr NodeId kNodes = 5000;
  GraphBuilder b(kNodes);
  for (NodeId id = 1; id < kNodes; ++id) {
    b.Link(0, "n" + std::to_string(id), id);
    for (NodeId k = 1; k <= 8; ++k) b.Link(id, "to" + std::to_string(k), 1 + (id * 7 + k) % (kNodes - 1));
  }
  const ObjectGraph graph = b.Build();
  AllPaths all(graph);
  size_t only_one = 0;
  for (NodeId id = 1; id < kNodes; ++id) {
    const std::vector<NodePath> paths = all.To(id, 16);
    ASSERT_FALSE(paths.empty());
    ASSERT_EQ(paths[0].ToString(), "root.n" + std::to_string(id));
    only_one += paths.size() == 1;
  }
  EXPECT_GT(only_one, 0u) << "the graph was meant to use the budget up";
}

TEST(AllPaths, OfARingOfAMillionNodes) {
  const ObjectGraph graph = RingGraph(1'000'000).Build();
  AllPaths all(graph);
  EXPECT_EQ(all.To(999'999, 16).size(), 1u);
  EXPECT_THAT(Texts(all.To(0, 16)), ElementsAre("root"));
}

class SlotGraph : public ::testing::Test {
 protected:
  // root.opt (1), root.v (2) with the slot 3; 4 is reached by nothing.
  GraphBuilder b = GraphBuilder(5).Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3);
};

TEST_F(SlotGraph, ASlotVariableIsNamedByItsOptimizerAndVariable) {
  const ObjectGraph graph = b.Build();
  const NodeNames names(graph);
  EXPECT_EQ(names.Name(0), "root");
  EXPECT_EQ(names.Name(2), "root.v");
  EXPECT_EQ(names.Name(3), "root.opt.slots.m.v");
  EXPECT_TRUE(names.IsSlot(3));
  EXPECT_TRUE(names.HasPath(3));
  EXPECT_FALSE(names.HasPath(4));
  EXPECT_EQ(names.Name(4), "<node 4>");
}

TEST_F(SlotGraph, ASlotVariableThatAnEdgeReachesIsAnOrdinaryNode) {
  const ObjectGraph graph = b.Link(0, "m", 3).Build();
  const NodeNames names(graph);
  EXPECT_FALSE(names.IsSlot(3));
  EXPECT_EQ(names.Name(3), "root.m");
}

TEST_F(SlotGraph, TheFirstReferenceWithAPathNamesTheSlot) {
  GraphBuilder other(5);
  other.Slot(4, 2, "hidden", 3).Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Slot(1, 2, "w", 3);
  const ObjectGraph graph = other.Build();
  EXPECT_EQ(NodeNames(graph).Name(3), "root.opt.slots.m.v");
  // Node 4 comes first here, and nothing leads to it.
  GraphBuilder swapped(5);
  swapped.Slot(1, 2, "hidden", 3).Link(0, "v", 2).Link(0, "opt", 4).Slot(4, 2, "m", 3);
  const ObjectGraph swapped_graph = swapped.Build();
  EXPECT_EQ(NodeNames(swapped_graph).Name(3), "root.opt.slots.m.v");
}

TEST_F(SlotGraph, ASlotOfAVariableWithoutAPathHasNone) {
  const ObjectGraph graph = GraphBuilder(4).Link(0, "opt", 1).Slot(1, 2, "m", 3).Build();
  const NodeNames names(graph);
  EXPECT_FALSE(names.HasPath(3));
  EXPECT_TRUE(names.IsSlot(3));
  EXPECT_EQ(names.Name(3), "<node 3>");
}

// Written out, the paths of a chain take the square of its length: 2 TB here.
TEST(NodeNames, OfAGraphMadeToBeDeepStayWithinBounds) {
  const ObjectGraph graph = ChainGraph(1'000'000).Build();
  const NodeNames names(graph);
  uint64_t bytes = 0;
  for (NodeId id = 0; id < 1'000'000; ++id) bytes += names.Name(id).size();
  EXPECT_LT(bytes, NodeNames::kMaxNameBytes);
  EXPECT_EQ(names.Name(2), "root.n.n");
  EXPECT_EQ(names.Name(999'999), "<node 999999>");
  EXPECT_TRUE(names.HasPath(999'999));
}

TEST(NodeNames, OfADeepButSmallGraphAreGivenInFull) {
  const ObjectGraph graph = ChainGraph(3000).Build();
  EXPECT_EQ(NodeNames(graph).Name(2999).size(), std::string("root").size() + 2 * 2999);
}

}  // namespace
}  // namespace savedmodel
