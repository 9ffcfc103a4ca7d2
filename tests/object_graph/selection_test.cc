#include "savedmodel/object_graph/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::savedmodel::testing::WideGraph;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

using Reason = SelectionReason;

std::vector<NodeId> Selected(const SelectedNodes& nodes) {
  std::vector<NodeId> ids;
  for (size_t i = 0; i < nodes.reasons.size(); ++i) {
    if (nodes.Contains(static_cast<NodeId>(i))) ids.push_back(static_cast<NodeId>(i));
  }
  return ids;
}

std::vector<std::string> Keys(const SelectedNodes& nodes) {
  std::vector<std::string> keys;
  for (const RequestedNode& node : nodes.requested) keys.push_back(node.key);
  return keys;
}

std::shared_ptr<Trackable> Object() { return std::make_shared<Module>(); }

// root.enc (1) with .v (2) and .w (3); root.dec (4) with .v (5); root.dec.shared is enc.w.
GraphBuilder TwoParts() {
  return GraphBuilder(6)
      .Link(0, "enc", 1)
      .Link(1, "v", 2)
      .Link(1, "w", 3)
      .Link(0, "dec", 4)
      .Link(4, "v", 5)
      .Link(4, "shared", 3)
      .Kind(2, NodeKind::kVariable)
      .Kind(3, NodeKind::kVariable)
      .Kind(5, NodeKind::kVariable);
}

TEST(Select, APathIsItsNodeAndAllBelow) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.enc"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 2, 3));
  EXPECT_EQ(nodes.count, 3u);
  EXPECT_EQ(nodes.reasons[1], Reason::kRequested);
  EXPECT_EQ(nodes.because[1], -1);
  EXPECT_EQ(nodes.reasons[2], Reason::kDescendant);
  EXPECT_EQ(nodes.because[2], 1);
  EXPECT_EQ(nodes.reasons[5], Reason::kNotSelected);
}

TEST(Select, AllIsTheRootAndKnowsThatItIs) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, Selection::All()));
  EXPECT_EQ(nodes.count, 6u);
  EXPECT_TRUE(Selection::All().is_all());
  EXPECT_FALSE(Selection::All().Add("root.enc").is_all());
  EXPECT_FALSE(Selection({"root"}).is_all());
  EXPECT_FALSE(Selection::All().OfKind(NodeKind::kVariable).is_all());
}

TEST(Select, Case27_NothingIsNothing) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, Selection()));
  EXPECT_EQ(nodes.count, 0u);
  EXPECT_TRUE(nodes.requested.empty());
  EXPECT_TRUE(Selection().empty());
}

TEST(Select, Case28_TheRootWithAnotherPathKeepsBothKeys) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.enc", "root"}));
  EXPECT_THAT(Keys(nodes), ElementsAre("root", "root.enc"));
  EXPECT_EQ(nodes.reasons[1], Reason::kRequested);
  EXPECT_EQ(nodes.count, 6u);
}

TEST(Select, ASharedNodeIsOneNodeByEveryPath) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.enc.w", "root.dec.shared"}));
  EXPECT_THAT(Keys(nodes), ElementsAre("root.dec.shared", "root.enc.w"));
  EXPECT_EQ(nodes.requested[0].id, nodes.requested[1].id);
  EXPECT_EQ(nodes.count, 1u);
}

TEST(Select, DuplicatesAreOneEntry) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.enc", "root.enc", "root.e*"}));
  EXPECT_THAT(Keys(nodes), ElementsAre("root.enc"));
}

TEST(Select, KeysAreSpelledAsTheyWereGiven) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {R"(root."enc")", R"(root.\x65nc)"}));
  EXPECT_THAT(Keys(nodes), ElementsAre(R"(root."enc")", R"(root.\x65nc)"));
}

TEST(Select, Case21_BadPathsAreErrorsThatNameThem) {
  const ObjectGraph graph = TwoParts().Build();
  EXPECT_THAT(Select(graph, {"root.nope"}), StatusIs(StatusCode::kNotFound, HasSubstr("root.nope")));
  EXPECT_THAT(Select(graph, {"root.enc.nope"}), StatusIs(StatusCode::kNotFound, HasSubstr("root.enc.nope")));
  EXPECT_THAT(Select(graph, {"foo.a"}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Select(graph, {""}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Select(graph, {"root."}), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Select, AnEmptyGraphHasNothingToSelect) {
  EXPECT_THAT(Select(ObjectGraph(), Selection::All()), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Select(ObjectGraph(), {"root.**"}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Select(ObjectGraph(), Selection()), IsOk());
  EXPECT_THAT(Select(ObjectGraph(), Selection().OfKind(NodeKind::kVariable)), IsOk());
}

// ---- Patterns and predicates ----

TEST(Select, APatternIsOneEntryForEveryNodeByItsPath) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.*.v"}));
  EXPECT_THAT(Keys(nodes), ElementsAre("root.enc.v", "root.dec.v"));
  EXPECT_THAT(Selected(nodes), ElementsAre(2, 5));
}

TEST(Select, APatternThatMatchesNothingIsNotFound) {
  const ObjectGraph graph = TwoParts().Build();
  const auto nodes = Select(graph, {"root.enc", "root.*.nope"});
  EXPECT_THAT(nodes, StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(nodes, StatusHasContext(Field(&ErrorContext::path, "root.*.nope")));
}

TEST(Select, AQuotedStarIsAName) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a*", 1).Link(0, "ab", 2).Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes literal, Select(graph, {R"(root."a*")"}));
  EXPECT_THAT(Selected(literal), ElementsAre(1));
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes pattern, Select(graph, {"root.a*"}));
  EXPECT_THAT(Selected(pattern), ElementsAre(1, 2));
}

TEST(Select, PredicatesSeeEveryReachedNodeWithItsPath) {
  const ObjectGraph graph = TwoParts().Build();
  std::vector<std::string> seen;
  Selection selection;
  selection.Where([&](NodeId, const Node&, const NodePath& path) {
    seen.push_back(path.ToString());
    return false;
  });
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes none, Select(graph, selection));
  EXPECT_EQ(none.count, 0u);
  EXPECT_THAT(seen, ElementsAre("root", "root.enc", "root.dec", "root.enc.v", "root.enc.w", "root.dec.v"));
}

TEST(Select, APredicateThatIsNullIsInvalidArgument) {
  EXPECT_THAT(Select(GraphBuilder(1).Build(), Selection().Where(nullptr)),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST(Select, OfKindTakesAllNodesOfThatKind) {
  const ObjectGraph graph = TwoParts().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, Selection().OfKind(NodeKind::kVariable)));
  EXPECT_THAT(Keys(nodes), ElementsAre("root.enc.v", "root.enc.w", "root.dec.v"));
  EXPECT_EQ(nodes.count, 3u);
}

// ---- Objects ----

TEST(Select, ObjectsComeWithTheirPaths) {
  const ObjectGraph graph = TwoParts().Build();
  const auto object = Object();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes,
                          Select(graph, Selection({{"root.enc", object}, {"root.dec", nullptr}})));
  ASSERT_EQ(nodes.requested.size(), 2u);
  EXPECT_EQ(nodes.requested[0].object, object);
  EXPECT_EQ(nodes.requested[1].object, nullptr);
}

TEST(Select, AnEntryWithAnObjectWinsOverItsDuplicateWithout) {
  const ObjectGraph graph = TwoParts().Build();
  const auto object = Object();
  for (const bool object_first : {true, false}) {
    Selection selection;
    if (object_first) selection.Bind("root.enc", object, BindMode::kNode);
    selection.Add("root.enc").Add("root.*");
    if (!object_first) selection.Bind("root.enc", object, BindMode::kNode);
    SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, selection));
    EXPECT_THAT(Keys(nodes), ElementsAre("root.enc", "root.dec"));
    EXPECT_EQ(nodes.requested[0].object, object);
    EXPECT_EQ(nodes.requested[0].mode, BindMode::kNode);
  }
}

TEST(Select, ANodeBoundToTwoObjectsIsFailedPrecondition) {
  const ObjectGraph graph = TwoParts().Build();
  EXPECT_THAT(Select(graph, Selection({{"root.enc", Object()}, {"root.enc", Object()}})),
              StatusIs(StatusCode::kFailedPrecondition));
  const auto aliases = Select(graph, Selection({{"root.enc.w", Object()}, {"root.dec.shared", Object()}}));
  EXPECT_THAT(aliases, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("also bound at root.enc.w")));
  EXPECT_THAT(aliases, StatusHasContext(Field(&ErrorContext::path, "root.dec.shared")));
}

TEST(Select, ANodeBoundTwiceToOneObjectIsFine) {
  const ObjectGraph graph = TwoParts().Build();
  const auto object = Object();
  EXPECT_THAT(Select(graph, Selection({{"root.enc.w", object}, {"root.dec.shared", object}})), IsOk());
}

TEST(Select, ANodeBoundInTwoModesIsFailedPrecondition) {
  const ObjectGraph graph = TwoParts().Build();
  const auto object = Object();
  Selection selection;
  selection.Bind("root.enc", object, BindMode::kNode).Bind("root.enc", object, BindMode::kTree);
  EXPECT_THAT(Select(graph, selection), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("two modes")));
  Selection aliases;
  aliases.Bind("root.enc.w", object, BindMode::kNode).Bind("root.dec.shared", object);
  EXPECT_THAT(Select(graph, aliases), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("two modes")));
  Selection same;
  same.Bind("root.enc", object).Bind("root.enc", object, BindMode::kTree);
  EXPECT_THAT(Select(graph, same), IsOk()) << "the default is kTree";
}

TEST(Select, OneObjectForTwoNodesIsInvalidArgument) {
  const ObjectGraph graph = TwoParts().Build();
  const auto object = Object();
  EXPECT_THAT(Select(graph, Selection({{"root.enc.v", object}, {"root.dec.v", object}})),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("two different nodes")));
}

TEST(Select, APatternWithAnObjectIsInvalidArgument) {
  const ObjectGraph graph = TwoParts().Build();
  EXPECT_THAT(Select(graph, Selection({{"root.*", Object()}})),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("pattern")));
}

// ---- What a selection brings with it ----

// root.f (1) captures root.holder.v (3) and the constant 4, which no edge reaches; 5 is unrelated.
GraphBuilder Adder() {
  GraphBuilder b(6);
  b.Link(0, "f", 1).Link(0, "holder", 2).Link(2, "v", 3).Link(0, "other", 5);
  b.Kind(1, NodeKind::kFunction).Kind(3, NodeKind::kVariable).Kind(4, NodeKind::kConstant);
  b[1].dependencies = {3, 4};
  return b;
}

TEST(Select, Case16_DependenciesInsideAreFineAndPathlessOnesJoin) {
  const ObjectGraph graph = Adder().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.holder.v", "root.f"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 3, 4));
  EXPECT_EQ(nodes.reasons[4], Reason::kDependency);
  EXPECT_EQ(nodes.because[4], 1);
}

TEST(Select, Case17_AMissingDependencyIsNamedWithItsPath) {
  const ObjectGraph graph = Adder().Build();
  const auto nodes = Select(graph, {"root.f"});
  EXPECT_THAT(nodes, StatusIs(StatusCode::kFailedPrecondition,
                              AllOf(HasSubstr("root.holder.v (for root.f)"), Not(HasSubstr("<node")))));
  EXPECT_THAT(nodes, StatusHasContext(Field(&ErrorContext::path, "root.holder.v")));
}

TEST(Select, Case18_FunctionsOutsideDoNotMatter) {
  const ObjectGraph graph = Adder().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.holder"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(2, 3));
}

TEST(Select, DependenciesAreIncludedWhenAsked) {
  const ObjectGraph graph = Adder().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes,
                          Select(graph, {"root.f"}, {.include_dependencies = true}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 3, 4));
  EXPECT_EQ(nodes.reasons[3], Reason::kDependency);
}

TEST(Select, AllMissingDependenciesAreNamedAtOnce) {
  GraphBuilder b(30);
  b.Link(0, "f", 1).Link(0, "g", 2);
  for (NodeId id = 3; id < 30; ++id) b.Link(0, "v" + std::to_string(id), id);
  b[1].dependencies = {3, 4, 5};
  b[2].dependencies = {4, 6};
  const ObjectGraph few = b.Build();
  EXPECT_THAT(Select(few, {"root.f", "root.g"}),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("needs 4 nodes"), HasSubstr("root.v3 (for root.f)"),
                             HasSubstr("root.v4 (for root.f)"), HasSubstr("root.v6 (for root.g)"))));
  for (NodeId id = 3; id < 30; ++id) b[1].dependencies.push_back(id);
  const ObjectGraph many = b.Build();
  EXPECT_THAT(Select(many, {"root.f"}), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("and 17 more")));
}

TEST(Select, DependenciesOfWhatAPathlessDependencyBringsAreAskedForToo) {
  GraphBuilder b = Adder();
  b[4].dependencies = {5};
  EXPECT_THAT(Select(b.Build(), {"root.f", "root.holder"}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.other (for <node 4>)")));
}

// root.opt (1) keeps the slot 3 for root.v (2), and the slot 5 for the variable 4, which no edge reaches.
GraphBuilder Optimizer() {
  GraphBuilder b(6);
  b.Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Slot(1, 4, "m", 5);
  for (const NodeId id : {2, 3, 4, 5}) b.Kind(id, NodeKind::kVariable);
  return b;
}

TEST(Select, Case48_AnOptimizerBringsItsSlotsAndNeedsTheirVariables) {
  const ObjectGraph graph = Optimizer().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.opt", "root.v"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(nodes.reasons[3], Reason::kSlotVariable);
  EXPECT_EQ(nodes.because[3], 1);
  EXPECT_EQ(nodes.reasons[4], Reason::kDependency) << "no path could ask for it";
  EXPECT_THAT(Select(graph, {"root.opt"}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.v (for root.opt)")));
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes included,
                          Select(graph, {"root.opt"}, {.include_dependencies = true}));
  EXPECT_EQ(included.count, 5u);
}

TEST(Select, TheVariableAloneDoesNotBringTheOptimizer) {
  const ObjectGraph graph = Optimizer().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.v"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(2));
}

TEST(Select, ASlotVariableIsFoundByTheNameItIsShownUnder) {
  const ObjectGraph graph = Optimizer().Build();
  const auto object = Object();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes,
                          Select(graph, Selection({{"root.opt.slots.m.v", object}})));
  EXPECT_THAT(Selected(nodes), ElementsAre(3));
  EXPECT_EQ(nodes.requested[0].object, object);
  EXPECT_THAT(Select(graph, {"root.opt.slots.m.w"}),
              StatusIs(StatusCode::kNotFound, HasSubstr("root.opt.slots")));
}

TEST(Select, AMissingSlotVariableIsNamedByAPathThatCanBeAdded) {
  GraphBuilder b = Optimizer();
  b.Link(0, "step", 5);
  b[5].dependencies = {3};
  const ObjectGraph graph = b.Build();
  EXPECT_THAT(Select(graph, {"root.step"}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.opt.slots.m.v (for root.step)")));
  EXPECT_THAT(Select(graph, {"root.step", "root.opt.slots.m.v"}), IsOk());
}

// root.table (1) is saved by 2 and restored by 3, which has a child 4; 3 and 4 capture root.other (5).
GraphBuilder Table() {
  GraphBuilder b(6);
  b.Link(0, "table", 1).Link(3, "trace_0", 4).Link(0, "other", 5);
  b[1].saveables = {{"table", 2, 3}};
  for (const NodeId id : {2, 3, 4}) b.Kind(id, NodeKind::kFunction);
  b[2].dependencies = {1};
  b[3].dependencies = {1, 5};
  b[4].dependencies = {5};
  return b;
}

TEST(Select, SaveFunctionsComeAlongAndAskForNothing) {
  const ObjectGraph graph = Table().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(graph, {"root.table"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 2, 3, 4));
  for (const NodeId id : {2, 3, 4}) EXPECT_EQ(nodes.reasons[static_cast<size_t>(id)], Reason::kSaveFunction);
}

TEST(Select, WhatSaveFunctionsNeedComesAlongWhenAsked) {
  const ObjectGraph graph = Table().Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes,
                          Select(graph, {"root.table"}, {.include_dependencies = true}));
  EXPECT_EQ(nodes.count, 5u);
}

TEST(Select, AFunctionThatIsAlsoAskedForMustHaveWhatItNeeds) {
  GraphBuilder b = Table();
  b.Link(0, "f", 3);
  const ObjectGraph graph = b.Build();
  for (const auto& selection : {Selection{"root.table", "root.f"}, Selection{"root.f", "root.table"}}) {
    EXPECT_THAT(Select(graph, selection),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.other (for root.f)")));
  }
}

TEST(Select, AnAbsentSaveFunctionIsNotTheRoot) {
  GraphBuilder b = Table();
  b[1].saveables = {{"table", 2, kRootId}};
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes nodes, Select(b.Build(), {"root.table"}));
  EXPECT_THAT(Selected(nodes), ElementsAre(1, 2));
}

TEST(SelectionReason, EveryReasonHasAName) {
  for (const Reason reason : {Reason::kNotSelected, Reason::kRequested, Reason::kDescendant,
                              Reason::kSlotVariable, Reason::kDependency, Reason::kSaveFunction}) {
    EXPECT_FALSE(SelectionReasonName(reason).empty());
  }
}

// ---- Order, size, time ----

// A random graph with everything that a selection can bring along.
GraphBuilder AnyGraph(Random& random) {
  GraphBuilder b = RandomGraph(random, {.nodes = 9, .edges = 9, .names = 3, .slots = random.Below(4)});
  for (size_t i = random.Below(5); i > 0; --i) b[random.Id(9)].dependencies.push_back(random.Id(9));
  for (size_t i = random.Below(4); i > 0; --i)
    b[random.Id(9)].saveables.push_back({"s", random.Id(9), random.Id(9)});
  return b;
}

TEST(Select, OrderOfEntriesNeverMatters) {
  Random random(7);
  int selected = 0;
  for (int i = 0; i < 1000; ++i) {
    const ObjectGraph graph = AnyGraph(random).Build();
    const NodeNames names(graph);
    std::vector<std::string> entries = {"root.**.a"};
    for (size_t n = 0; n < 3; ++n) {
      const NodeId id = random.Id(9);
      entries.push_back(names.HasPath(id) ? names.Name(id) : "root");
    }
    const SelectionOptions options{.include_dependencies = random.OneIn(2)};
    const StatusOr<SelectedNodes> first = Select(graph, Selection(entries), options);
    for (int k = 0; k < 5; ++k) {
      random.Shuffle(entries);
      const StatusOr<SelectedNodes> again = Select(graph, Selection(entries), options);
      ASSERT_EQ(again.status(), first.status());
      if (!first.ok()) continue;
      ++selected;
      ASSERT_EQ(Keys(*again), Keys(*first));
      ASSERT_EQ(again->reasons, first->reasons);
      ASSERT_EQ(again->because, first->because);
      ASSERT_EQ(again->count, first->count);
    }
  }
  EXPECT_GT(selected, 1000);
}

// What is selected is closed: nothing that a selected node brings or needs is missing.
TEST(Select, IsClosedUnderWhatItBrings) {
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const ObjectGraph graph = AnyGraph(random).Build();
    const bool include = random.OneIn(2);
    const StatusOr<SelectedNodes> nodes = Select(graph, {"root.*"}, {.include_dependencies = include});
    if (!nodes.ok()) continue;
    for (const NodeId id : Selected(*nodes)) {
      const Node& node = graph.node(id);
      for (const Edge& edge : node.children) ASSERT_TRUE(nodes->Contains(edge.child));
      for (const SlotReference& slot : node.slots) ASSERT_TRUE(nodes->Contains(slot.slot));
      for (const SaveableFunctions& functions : node.saveables) {
        ASSERT_TRUE(functions.save == kRootId || nodes->Contains(functions.save));
        ASSERT_TRUE(functions.restore == kRootId || nodes->Contains(functions.restore));
      }
      const bool needs = include || nodes->reasons[static_cast<size_t>(id)] != Reason::kSaveFunction;
      for (const NodeId needed : node.dependencies) ASSERT_TRUE(!needs || nodes->Contains(needed));
    }
  }
}

TEST(Select, AWideNodeByPatternByPathsAndByPredicate) {
  const ObjectGraph graph = WideGraph(50'000).Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes by_pattern, Select(graph, {"root.*"}));
  EXPECT_EQ(by_pattern.requested.size(), 50'000u);
  std::vector<std::string> paths;
  for (int i = 0; i < 50'000; ++i) paths.push_back("root." + std::to_string(i));
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes by_path, Select(graph, Selection(paths)));
  EXPECT_EQ(by_path.count, 50'000u);
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes by_kind,
                          Select(graph, Selection().OfKind(NodeKind::kUserObject)));
  EXPECT_EQ(by_kind.count, 50'001u);
}

TEST(Select, AChainOfAMillionNodes) {
  const ObjectGraph graph = ChainGraph(1'000'000).Build();
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes all, Select(graph, {"root"}));
  EXPECT_EQ(all.count, 1'000'000u);
  SM_ASSERT_OK_AND_ASSIGN(const SelectedNodes near, Select(graph, {"root.*.n"}));
  EXPECT_EQ(near.count, 999'998u);
  EXPECT_THAT(Select(graph, {"root.**"}), StatusIs(StatusCode::kResourceExhausted))
      << "a path for each would take terabytes";
  EXPECT_THAT(Select(graph, Selection().OfKind(NodeKind::kUserObject)),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace savedmodel
