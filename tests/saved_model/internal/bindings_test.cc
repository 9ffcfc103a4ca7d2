#include "savedmodel/saved_model/internal/bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::savedmodel::testing::WideGraph;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

std::shared_ptr<Variable> NewVariable() { return *Variable::Make({DType::kFloat32, Shape{}}); }

StatusOr<Bindings> BindAll(const ObjectGraph& graph, const Selection& selection) {
  StatusOr<SelectedNodes> selected = Select(graph, selection);
  EXPECT_THAT(selected, IsOk());
  if (!selected.ok()) return selected.status();
  return Bind(graph, *selected, NodeNames(graph));
}

std::set<NodeId> Bound(const StatusOr<Bindings>& bindings) {
  EXPECT_THAT(bindings, IsOk());
  std::set<NodeId> ids;
  if (!bindings.ok()) return ids;
  for (const auto& [id, binding] : *bindings) {
    EXPECT_NE(binding.object, nullptr);
    EXPECT_NE(binding.mode, BindMode::kDefault);
    ids.insert(id);
  }
  return ids;
}

// root.a (1) with the variable v (2), the module m (3) that has w (4), and the list l (5) with 0 (6) and 1 (7).
ObjectGraph Model() {
  return GraphBuilder(8)
      .Link(0, "a", 1)
      .Link(1, "v", 2)
      .Link(1, "m", 3)
      .Link(3, "w", 4)
      .Link(1, "l", 5)
      .Link(5, "0", 6)
      .Link(5, "1", 7)
      .Kind(2, NodeKind::kVariable)
      .Kind(4, NodeKind::kVariable)
      .Kind(6, NodeKind::kVariable)
      .Kind(7, NodeKind::kVariable)
      .Build();
}

// An object of the caller's like root.a, but for the second element of the list.
std::shared_ptr<Trackable> Mine() {
  const auto mine = std::make_shared<Module>(), m = std::make_shared<Module>();
  const auto list = std::make_shared<List>();
  (void)mine->Track("v", NewVariable());
  (void)mine->Track("m", m);
  (void)m->Track("w", NewVariable());
  (void)mine->Track("l", list);
  (void)list->Append(NewVariable());
  (void)mine->Track("extra", NewVariable());
  return mine;
}

TEST(Bind, ATreeFillsEveryChildThatIsThere) {
  const auto bindings = BindAll(Model(), Selection({{"root.a", Mine()}}));
  EXPECT_THAT(Bound(bindings), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Bind, TensorFlowsRuleFillsContainersOnly) {
  const auto mine = Mine();
  const auto bindings = BindAll(Model(), Selection().Bind("root.a", mine, BindMode::kNode));
  EXPECT_THAT(Bound(bindings), ElementsAre(1, 5)) << "root.a and its list, but no variable: case 15";
  EXPECT_EQ(bindings->at(5).object, mine->Child("l"));
  EXPECT_EQ(bindings->at(5).mode, BindMode::kNode);
}

TEST(Bind, NothingIsBoundWithoutObjects) {
  EXPECT_TRUE(Bound(BindAll(Model(), {"root"})).empty());
  EXPECT_TRUE(Bound(BindAll(ObjectGraph(), Selection())).empty());
}

TEST(Bind, WhatTheSelectionBindsWinsOverTheTree) {
  const auto mine = Mine();
  const auto other = NewVariable();
  const auto bindings = BindAll(Model(), Selection({{"root.a", mine}, {"root.a.v", other}}));
  EXPECT_EQ(bindings->at(2).object, other);
}

TEST(Bind, ModesAreThoseOfTheEntryThatBinds) {
  Selection selection;
  selection.Bind("root.a", Mine(), BindMode::kNode).Bind("root.a.m", Mine()->Child("m"));
  EXPECT_THAT(Bound(BindAll(Model(), selection)), ElementsAre(1, 3, 4, 5));
}

TEST(Bind, Case14_AnObjectOfAnotherKindIsInvalidArgument) {
  const auto module_for_variable = BindAll(Model(), Selection({{"root.a.v", std::make_shared<Module>()}}));
  EXPECT_THAT(module_for_variable, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(module_for_variable, StatusHasContext(AllOf(Field(&ErrorContext::path, "root.a.v"),
                                                          Field(&ErrorContext::expected, "variable"),
                                                          Field(&ErrorContext::found, "user_object"))));
  EXPECT_THAT(BindAll(Model(), Selection({{"root.a", NewVariable()}})),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(BindAll(Model(), Selection({{"root.a", std::make_shared<Resource>("")}})),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST(Bind, AChildOfAnotherKindIsInvalidArgumentInATree) {
  const auto mine = std::make_shared<Module>();
  (void)mine->Track("m", NewVariable());
  EXPECT_THAT(BindAll(Model(), Selection({{"root.a", mine}})),
              AllOf(StatusIs(StatusCode::kInvalidArgument),
                    StatusHasContext(Field(&ErrorContext::path, "root.a.m"))));
  EXPECT_THAT(BindAll(Model(), Selection().Bind("root.a", mine, BindMode::kNode)), IsOk())
      << "by TensorFlow's rule it is replaced";
}

// A class of the program's own that says it is a variable, and is none.
class Pretender : public Trackable {
 public:
  NodeKind kind() const override { return NodeKind::kVariable; }
};

TEST(Bind, OnlyAVariableIsAVariable) {
  const auto bound = BindAll(Model(), Selection({{"root.a.v", std::make_shared<Pretender>()}}));
  EXPECT_THAT(bound, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(bound, StatusHasContext(Field(&ErrorContext::found, HasSubstr("no savedmodel::Variable"))));
}

// root.a.x and root.b.x are one node.
ObjectGraph Shared() {
  return GraphBuilder(4)
      .Link(0, "a", 1)
      .Link(0, "b", 2)
      .Link(1, "x", 3)
      .Link(2, "x", 3)
      .Kind(3, NodeKind::kVariable)
      .Build();
}

TEST(Bind, ANodeReachedWithTwoObjectsIsFailedPrecondition) {
  const auto a = std::make_shared<Module>(), b = std::make_shared<Module>();
  (void)a->Track("x", NewVariable());
  (void)b->Track("x", NewVariable());
  EXPECT_THAT(BindAll(Shared(), Selection({{"root.a", a}, {"root.b", b}})),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("different objects")));
  (void)b->Track("x", a->Child("x"));
  EXPECT_THAT(BindAll(Shared(), Selection({{"root.a", a}, {"root.b", b}})), IsOk());
}

TEST(Bind, AnEntryForTheSharedNodeSettlesIt) {
  const auto a = std::make_shared<Module>(), b = std::make_shared<Module>();
  const auto x = NewVariable();
  (void)a->Track("x", NewVariable());
  (void)b->Track("x", NewVariable());
  const auto bindings = BindAll(Shared(), Selection({{"root.a", a}, {"root.b", b}, {"root.a.x", x}}));
  ASSERT_THAT(bindings, IsOk());
  EXPECT_EQ(bindings->at(3).object, x);
}

TEST(Bind, AnObjectReachedForTwoNodesIsFailedPrecondition) {
  const ObjectGraph graph = GraphBuilder(3)
                                .Link(0, "a", 1)
                                .Link(0, "b", 2)
                                .Kind(1, NodeKind::kVariable)
                                .Kind(2, NodeKind::kVariable)
                                .Build();
  const auto mine = std::make_shared<Module>();
  const auto one = NewVariable();
  (void)mine->Track("a", one);
  (void)mine->Track("b", one);
  EXPECT_THAT(BindAll(graph, Selection({{"root", mine}})),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("two different nodes")));
}

TEST(Bind, ATreeWithParentLinksEnds) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 1).Link(1, "b", 2).Link(2, "parent", 1).Build();
  const auto a = std::make_shared<Module>(), b = std::make_shared<Module>();
  (void)a->Track("b", b);
  (void)b->TrackBack("parent", a);
  EXPECT_THAT(Bound(BindAll(graph, Selection({{"root.a", a}}))), ElementsAre(1, 2));
}

TEST(Bind, OfEqualNamesTheFirstNodeGetsTheChild) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 2).Link(0, "a", 1).Build();
  const auto mine = std::make_shared<Module>();
  (void)mine->Track("a", std::make_shared<Module>());
  EXPECT_THAT(Bound(BindAll(graph, Selection({{"root", mine}}))), ElementsAre(0, 2));
}

TEST(Bind, AWideAndADeepTreeInTime) {
  const auto wide = std::make_shared<Module>();
  for (int i = 0; i < 50'000; ++i) (void)wide->Track(std::to_string(i), std::make_shared<Module>());
  EXPECT_EQ(Bound(BindAll(WideGraph(50'000).Build(), Selection({{"root", wide}}))).size(), 50'001u);
  const auto deep = std::make_shared<Module>();
  std::shared_ptr<Trackable> last = deep;
  for (int i = 1; i < 300'000; ++i) {
    auto next = std::make_shared<Module>();
    (void)last->Track("n", next);
    last = next;
  }
  EXPECT_EQ(Bound(BindAll(ChainGraph(300'000).Build(), Selection({{"root", deep}}))).size(), 300'000u);
}

}  // namespace
}  // namespace savedmodel::internal
