#include "savedmodel/tools/object_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::ChainGraph;
using savedmodel::testing::GraphBuilder;
using savedmodel::testing::RingGraph;
using ::testing::ElementsAre;

// "  name #node", with what is special about the line.
std::vector<std::string> Lines(const ObjectGraph& graph, std::vector<TreeTop> tops = {{kRootId, "root"}},
                               std::optional<size_t> depth = {}) {
  std::vector<std::string> out;
  for (const TreeLine& line : LayOut(graph, tops, depth)) {
    std::string text = std::string(2 * line.depth, ' ') + line.name + " #" + std::to_string(line.node);
    if (line.reference) text += " ref";
    if (line.cycle) text += " cycle";
    if (line.slot) text += " slot";
    if (line.hidden > 0) text += " hidden " + std::to_string(line.hidden);
    out.push_back(text + (line.last ? "" : ","));
  }
  return out;
}

TEST(ObjectTree, EveryNodeStandsAtItsShortestPath) {
  GraphBuilder b(4);
  b.Link(0, "a", 1).Link(1, "deep", 3).Link(0, "b", 2).Link(2, "x", 3).Link(0, "v", 3);
  EXPECT_THAT(Lines(b.Build()),
              ElementsAre("root #0", "  a #1,", "    deep #3 ref", "  b #2,", "    x #3 ref", "  v #3"));
}

TEST(ObjectTree, CyclesAreToldFromSharedNodes) {
  GraphBuilder b(3);
  b.Link(0, "a", 1).Link(1, "up", 0).Link(1, "me", 1).Link(0, "b", 2).Link(2, "a", 1);
  EXPECT_THAT(Lines(b.Build()), ElementsAre("root #0", "  a #1,", "    up #0 ref cycle,",
                                            "    me #1 ref cycle", "  b #2", "    a #1 ref"));
}

TEST(ObjectTree, SlotVariablesStandBelowTheirOptimizer) {
  GraphBuilder b(4);
  b.Link(0, "opt", 1).Link(0, "v", 2).Link(1, "iter", 2).Slot(1, 2, "m.x", 3);
  EXPECT_THAT(Lines(b.Build()), ElementsAre("root #0", "  opt #1,", "    iter #2 ref,",
                                            "    slots.\"m.x\".v #3 slot", "  v #2"));
}

TEST(ObjectTree, DepthHidesAndCounts) {
  GraphBuilder b(4);
  b.Link(0, "a", 1).Link(1, "b", 2).Link(2, "c", 3);
  EXPECT_THAT(Lines(b.Build(), {{kRootId, "root"}}, 1), ElementsAre("root #0", "  a #1 hidden 1"));
  EXPECT_THAT(Lines(b.Build(), {{kRootId, "root"}}, 0), ElementsAre("root #0 hidden 1"));
}

TEST(ObjectTree, SeveralTops) {
  GraphBuilder b(4);
  b.Link(0, "a", 1).Link(0, "b", 2).Link(1, "v", 3).Link(2, "v", 3).Link(2, "a", 1);
  EXPECT_THAT(Lines(b.Build(), {{1, "root.a"}, {2, "root.b"}, {1, "root.a"}}),
              ElementsAre("root.a #1", "  v #3", "root.b #2", "  v #3 ref,", "  a #1 ref", "root.a #1 ref"));
}

TEST(ObjectTree, AVeryDeepChainDoesNotRecurse) {
  constexpr size_t kNodes = 200'000;
  const std::vector<TreeTop> tops = {{kRootId, "root"}};
  EXPECT_EQ(LayOut(ChainGraph(kNodes).Build(), tops, {}).size(), kNodes);
  EXPECT_EQ(LayOut(RingGraph(kNodes).Build(), tops, {}).size(), kNodes + 1);
}

}  // namespace
}  // namespace savedmodel::tools
