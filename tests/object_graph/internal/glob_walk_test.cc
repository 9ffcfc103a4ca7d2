#include "savedmodel/object_graph/internal/glob_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::RingGraph;
using ::savedmodel::testing::StatusIs;
using ::savedmodel::testing::WideGraph;
using ::testing::ElementsAre;

std::vector<std::string> Walk(const ObjectGraph& graph, std::string_view pattern) {
  StatusOr<Glob> glob = Glob::Parse(pattern);
  EXPECT_TRUE(glob.ok());
  StatusOr<std::vector<GlobMatch>> matches = WalkGlob(graph, *glob);
  EXPECT_TRUE(matches.ok()) << matches.status();
  std::vector<std::string> paths;
  if (!matches.ok()) return paths;
  for (const GlobMatch& match : *matches) {
    EXPECT_EQ(*graph.Find(match.path), match.id);
    paths.push_back(match.path.ToString());
  }
  return paths;
}

TEST(WalkGlob, TwoStarsMatchNoneToo) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 1).Link(1, "v", 2).Build();
  EXPECT_THAT(Walk(graph, "root.**"), ElementsAre("root", "root.a", "root.a.v"));
  EXPECT_THAT(Walk(graph, "root.a.**.v"), ElementsAre("root.a.v"));
}

TEST(WalkGlob, GoesRoundCyclesAndEnds) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 1).Link(1, "up", 0).Link(1, "v", 2).Build();
  EXPECT_THAT(Walk(graph, "root.**"), ElementsAre("root", "root.a", "root.a.v"));
  EXPECT_THAT(Walk(graph, "root.a.up.a"), ElementsAre("root.a.up.a"));
  EXPECT_THAT(Walk(graph, "root.**.up.**.v"), ElementsAre("root.a.up.a.v"));
  EXPECT_THAT(Walk(RingGraph(1000).Build(), "root.n.**.n").size(), 1000u);
}

TEST(WalkGlob, ANodeByTwoPathsMatchesOnceByTheFirst) {
  const ObjectGraph graph =
      GraphBuilder(4).Link(0, "b", 1).Link(0, "a", 2).Link(1, "v", 3).Link(2, "v", 3).Build();
  EXPECT_THAT(Walk(graph, "root.*.v"), ElementsAre("root.b.v"));
}

TEST(WalkGlob, OnlyEdgesThatAPathCanTake) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 1).Link(0, "a", 2).Build();
  EXPECT_THAT(Walk(graph, "root.*"), ElementsAre("root.a"));
}

TEST(WalkGlob, OfAnEmptyGraphFindsNothing) { EXPECT_THAT(Walk(ObjectGraph(), "root.**"), ElementsAre()); }

// The first matching path to every node, among all paths up to a length that such small graphs need.
std::map<NodeId, NodePath> BruteForce(const ObjectGraph& graph, const Glob& glob, size_t longest) {
  std::map<NodeId, NodePath> found;
  std::vector<std::pair<NodeId, NodePath>> level = {{kRootId, NodePath()}};
  for (size_t length = 0; length <= longest; ++length) {
    std::vector<std::pair<NodeId, NodePath>> next;
    for (const auto& [id, path] : level) {
      if (glob.Matches(path)) found.emplace(id, path);
      std::set<std::string> names;
      for (const Edge& edge : graph.node(id).children) {
        if (names.insert(edge.name).second) next.emplace_back(edge.child, path.Child(edge.name));
      }
    }
    level = std::move(next);
  }
  return found;
}

TEST(WalkGlob, AgreesWithBruteForce) {
  Random random(9);
  const std::vector<std::string> parts = {"*", "**", "a", "b", "a*"};
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const ObjectGraph graph = RandomGraph(random, {.nodes = 4, .edges = 5, .names = 2}).Build();
    std::string text = "root";
    for (size_t n = 1 + random.Below(3); n > 0; --n) text += "." + parts[random.Below(parts.size())];
    SM_ASSERT_OK_AND_ASSIGN(const Glob glob, Glob::Parse(text));
    SM_ASSERT_OK_AND_ASSIGN(const std::vector<GlobMatch> matches, WalkGlob(graph, glob));
    std::map<NodeId, NodePath> walked;
    for (const GlobMatch& match : matches) {
      ASSERT_TRUE(walked.emplace(match.id, match.path).second) << "node twice";
    }
    found += static_cast<int>(walked.size());
    // A shortest match enters no node twice at one place of the pattern: two '**' of three steps each, and
    // three more.
    ASSERT_EQ(walked, BruteForce(graph, glob, 9)) << text;
  }
  EXPECT_GT(found, 1000);
}

// For a matcher of sets of positions these graphs have a million states in two nodes.
TEST(WalkGlob, CannotBeMadeToVisitExponentiallyMuch) {
  const ObjectGraph graph =
      GraphBuilder(2).Link(0, "a", 0).Link(0, "b", 1).Link(1, "a", 0).Link(1, "b", 1).Build();
  std::string pattern = "root.**.a";
  for (int i = 0; i < 500; ++i) pattern += ".*";
  EXPECT_EQ(Walk(graph, pattern).size(), 2u);
  std::string stars = "root";
  for (int i = 0; i < 32; ++i) stars += ".**.a.*";
  EXPECT_EQ(Walk(graph, stars).size(), 2u);
}

TEST(WalkGlob, AWideNodeInTime) { EXPECT_EQ(Walk(WideGraph(50'000).Build(), "root.**.*").size(), 50'000u); }

TEST(WalkGlob, RefusesWorkWithoutMeasure) {
  std::string pattern = "root.**";
  for (int i = 0; i < 900; ++i) pattern += ".*";
  GraphBuilder b(600);
  for (NodeId id = 0; id < 600; ++id) {
    for (int e = 0; e < 400; ++e) b.Link(id, std::to_string(e), (id + 1) % 600);
  }
  const ObjectGraph graph = b.Build();
  SM_ASSERT_OK_AND_ASSIGN(const Glob glob, Glob::Parse(pattern));
  EXPECT_THAT(WalkGlob(graph, glob), StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace savedmodel::internal
