#include "savedmodel/saved_model/internal/wiring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::RingGraph;
using ::savedmodel::testing::WideGraph;
using ::testing::ElementsAre;

using Handles = std::vector<std::shared_ptr<Trackable>>;

std::shared_ptr<Trackable> Make(NodeKind kind) {
  if (kind == NodeKind::kVariable) return *Variable::Make({DType::kFloat32, Shape{}});
  return std::make_shared<Module>();
}

// A graph wired as a load does it.
struct Wired {
  Wired(ObjectGraph g, const Selection& selection) : graph(std::move(g)) {
    StatusOr<SelectedNodes> resolved = Select(graph, selection, {.include_dependencies = true});
    EXPECT_THAT(resolved, IsOk());
    selected = *std::move(resolved);
    const NodeNames names(graph);
    StatusOr<Bindings> found = Bind(graph, selected, names);
    EXPECT_THAT(found, IsOk());
    Handles objects(graph.size());
    for (size_t i = 0; i < objects.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (!selected.Contains(id)) continue;
      auto bound = found->find(id);
      objects[i] = bound == found->end() ? Make(graph.node(id).kind) : bound->second.object;
      watches.push_back(objects[i]);
    }
    handles = Wire(graph, selected, *found, names.paths(), std::move(objects));
  }

  std::shared_ptr<Trackable>& operator[](NodeId id) { return handles[static_cast<size_t>(id)]; }
  // Lets go of everything, the selection's objects included.
  void Drop() {
    handles.clear();
    selected = {};
  }
  // How many objects there still are.
  size_t Living() const {
    return static_cast<size_t>(
        std::count_if(watches.begin(), watches.end(), [](const auto& watch) { return !watch.expired(); }));
  }

  ObjectGraph graph;
  SelectedNodes selected;
  Handles handles;
  std::vector<std::weak_ptr<Trackable>> watches;
};

std::vector<std::string> Names(const Trackable& object) {
  std::vector<std::string> names;
  object.ForEachChild(
      [&](const std::string& name, const std::shared_ptr<Trackable>&) { names.push_back(name); });
  return names;
}

TEST(Wire, GivesEveryObjectItsChildrenInOrder) {
  Wired model(GraphBuilder(3).Link(0, "z", 1).Link(0, "a", 2).Link(1, "b.c", 2).Build(), {"root"});
  EXPECT_THAT(Names(*model[0]), ElementsAre("z", "a"));
  EXPECT_EQ(model[0]->Child("z"), model[1]);
  EXPECT_EQ(model[1]->Child("b.c"), model[2]);
}

TEST(Wire, Case25_ASharedNodeIsOneObject) {
  Wired model(
      GraphBuilder(4).Link(0, "foo", 1).Link(0, "bar", 2).Link(1, "baz", 3).Link(2, "wombat", 3).Build(),
      {"root"});
  EXPECT_EQ(model[1]->Child("baz"), model[2]->Child("wombat"));
}

TEST(Wire, Case23_OfEqualNamesTheAttributeIsTheLast) {
  Wired model(GraphBuilder(3).Link(0, "a", 1).Link(0, "a", 2).Build(), {"root"});
  EXPECT_EQ(model[0]->Child("a"), model[2]);
  EXPECT_EQ(model[0]->num_children(), 1u);
}

TEST(Wire, EdgesOutOfTheSelectionAreLeftOut) {
  Wired model(GraphBuilder(4).Link(0, "a", 1).Link(1, "v", 2).Link(2, "up", 0).Build(),
              {"root.a.v", "root.a"});
  EXPECT_EQ(model[0], model[2]->Child("up")) << "the root is below root.a here";
  Wired part(GraphBuilder(4).Link(0, "a", 1).Link(0, "b", 2).Build(), {"root.a"});
  EXPECT_EQ(part[0], nullptr);
  EXPECT_EQ(part[2], nullptr);
  EXPECT_NE(part[1], nullptr);
}

TEST(Wire, Case24_ACycleIsWiredAllTheWayRound) {
  Wired model(GraphBuilder(3).Link(0, "foo", 1).Link(1, "bar", 2).Link(2, "parent", 1).Build(), {"root"});
  EXPECT_EQ(model[1]->Child("bar")->Child("parent"), model[1]);
  model.handles.resize(1);
  EXPECT_EQ(model[0]->Child("foo")->Child("bar")->Child("parent"), model[0]->Child("foo"));
  model.handles.clear();
  EXPECT_EQ(model.Living(), 0u);
}

TEST(Wire, AnObjectThatIsItsOwnChildFreesItself) {
  Wired model(GraphBuilder(2).Link(0, "self", 0).Link(0, "a", 1).Link(1, "self", 1).Build(), {"root"});
  EXPECT_EQ(model[0]->Child("self"), model[0]);
  model.handles.clear();
  EXPECT_EQ(model.Living(), 0u);
}

TEST(Wire, AKeptChildKeepsWhatIsBelowItAndItsCycle) {
  // root -> a <-> b -> c -> v, and root -> other.
  Wired model(GraphBuilder(6)
                  .Link(0, "a", 1)
                  .Link(1, "b", 2)
                  .Link(2, "a", 1)
                  .Link(2, "c", 3)
                  .Link(3, "v", 4)
                  .Link(0, "other", 5)
                  .Kind(4, NodeKind::kVariable)
                  .Build(),
              {"root"});
  std::shared_ptr<Trackable> kept = model[2];
  model.handles.clear();
  EXPECT_EQ(model.Living(), 4u);
  EXPECT_EQ(kept->Child("a")->Child("b"), kept);
  EXPECT_NE(kept->Child("c")->Child("v"), nullptr);
  kept = kept->Child("c");
  EXPECT_EQ(model.Living(), 2u);
}

TEST(Wire, AKeptVariableKeepsNothingElse) {
  GraphBuilder b = RingGraph(100);
  for (NodeId id = 0; id < 100; ++id) {
    b.nodes.emplace_back();
    b.Kind(100 + id, NodeKind::kVariable).Link(id, "v", 100 + id);
  }
  Wired model(std::move(b).Build(), {"root"});
  const std::shared_ptr<Trackable> kept = model[150];
  model.handles.clear();
  EXPECT_EQ(model.Living(), 1u);
}

TEST(Wire, AMillionInAChainAreFreedWithoutRecursion) {
  Wired model(ChainGraph(1'000'000).Build(), {"root"});
  model.handles.resize(1);
  EXPECT_EQ(model.Living(), 1'000'000u);
  model.handles.clear();
  EXPECT_EQ(model.Living(), 0u);
}

TEST(Wire, AMillionInACycleAreFreedWithoutRecursion) {
  Wired model(RingGraph(1'000'000).Build(), {"root"});
  std::shared_ptr<Trackable> kept = model[500'000];
  model.handles.clear();
  EXPECT_EQ(model.Living(), 1'000'000u);
  kept.reset();
  EXPECT_EQ(model.Living(), 0u);
}

TEST(Wire, AChainOfManyCyclesIsFreedWithoutRecursion) {
  constexpr NodeId kCycles = 300'000;
  GraphBuilder b(2 * kCycles);
  for (NodeId c = 0; c < kCycles; ++c) {
    b.Link(2 * c, "twin", 2 * c + 1).Link(2 * c + 1, "twin", 2 * c);
    if (c + 1 < kCycles) b.Link(2 * c + 1, "next", 2 * c + 2);
  }
  Wired model(std::move(b).Build(), {"root"});
  model.handles.resize(1);
  EXPECT_EQ(model.Living(), size_t{2} * kCycles);
  model.handles.clear();
  EXPECT_EQ(model.Living(), 0u);
}

TEST(Wire, AWideNodeInTime) {
  Wired model(WideGraph(50'000).Build(), {"root"});
  EXPECT_EQ(model[0]->Child("49999"), model[50'000]);
  model.handles.clear();
  EXPECT_EQ(model.Living(), 0u);
}

std::set<NodeId> Reachable(const ObjectGraph& graph, NodeId from) {
  std::set<NodeId> seen;
  std::vector<NodeId> open = {from};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    for (const Edge& edge : graph.node(id).children) open.push_back(edge.child);
  }
  return seen;
}

// Edges of a random graph with names that do not repeat, so that no edge replaces another.
GraphBuilder UniqueNames(GraphBuilder b) {
  for (Node& node : b.nodes) {
    for (size_t e = 0; e < node.children.size(); ++e) node.children[e].name = std::to_string(e);
  }
  return b;
}

TEST(Wire, AHandleKeepsExactlyWhatItLeadsTo) {
  Random random(21);
  for (int i = 0; i < 2000; ++i) {
    Wired model(UniqueNames(RandomGraph(random, {.nodes = 9, .edges = 14})).Build(), {"root"});
    const NodeId id = random.Id(9);
    if (!model.selected.Contains(id)) continue;
    std::shared_ptr<Trackable> kept = model[id];
    model.handles.clear();
    ASSERT_EQ(model.Living(), Reachable(model.graph, id).size());
    for (const Edge& edge : model.graph.node(id).children) ASSERT_NE(kept->Child(edge.name), nullptr);
    kept.reset();
    ASSERT_EQ(model.Living(), 0u);
  }
}

// ---- Objects of the caller's ----

TEST(Wire, ABoundObjectGetsNewChildrenAndKeepsItsOwn) {
  const auto mine = std::make_shared<Module>(), own = std::make_shared<Module>();
  ASSERT_THAT(mine->Track("own", own), IsOk());
  Wired model(GraphBuilder(3).Link(0, "a", 1).Link(1, "v", 2).Build(), Selection({{"root.a", mine}}));
  EXPECT_EQ(model[1], mine);
  EXPECT_EQ(mine->Child("v"), model[2]);
  EXPECT_EQ(mine->Child("own"), own);
  model.handles.clear();
  EXPECT_NE(mine->Child("v"), nullptr) << "it owns what was loaded";
}

TEST(Wire, Case15_ANodeBoundByTensorFlowsRuleGetsNewChildrenForOld) {
  const auto mine = std::make_shared<Module>();
  const std::shared_ptr<Variable> old = *Variable::Make({DType::kFloat32, Shape{}});
  ASSERT_THAT(mine->Track("v", old), IsOk());
  const ObjectGraph graph =
      GraphBuilder(3).Link(0, "a", 1).Link(1, "v", 2).Kind(2, NodeKind::kVariable).Build();
  Wired node(graph, Selection().Bind("root.a", mine, BindMode::kNode));
  EXPECT_EQ(mine->Child("v"), node[2]);
  EXPECT_NE(mine->Child("v"), old);
}

TEST(Wire, ABoundTreeKeepsItsEdgesAsTheyAre) {
  const auto mine = std::make_shared<Module>();
  auto child = std::make_shared<Module>();
  ASSERT_THAT(mine->TrackBack("v", child), IsOk());
  Wired model(GraphBuilder(3).Link(0, "a", 1).Link(1, "v", 2).Build(), Selection({{"root.a", mine}}));
  EXPECT_EQ(model[2], child);
  model.handles.clear();
  child.reset();
  EXPECT_EQ(mine->Child("v"), nullptr) << "the caller did not want it owned";
}

TEST(Wire, ABoundObjectInACycleOfNewOnesFreesItself) {
  // root.a <-> root.a.b, with one or the other bound.
  for (const char* path : {"root.a", "root.a.b"}) {
    auto mine = std::make_shared<Module>();
    Wired model(GraphBuilder(3).Link(0, "a", 1).Link(1, "b", 2).Link(2, "a", 1).Build(),
                Selection({{path, mine}, {"root", nullptr}}));
    EXPECT_EQ(model[1]->Child("b")->Child("a"), model[1]);
    model.handles.resize(1);
    model.selected = {};
    mine.reset();
    EXPECT_NE(model[0]->Child("a"), nullptr) << path;
    model.Drop();
    EXPECT_EQ(model.Living(), 0u) << path;
  }
}

TEST(Wire, BoundObjectsOnlyInACycleFreeThemselves) {
  auto a = std::make_shared<Module>(), b = std::make_shared<Module>();
  Wired model(GraphBuilder(3).Link(0, "a", 1).Link(1, "b", 2).Link(2, "a", 1).Build(),
              Selection({{"root.a", a}, {"root.a.b", b}}));
  model.Drop();
  b.reset();
  ASSERT_NE(a->Child("b"), nullptr) << "the one nearer to the root owns the other";
  EXPECT_EQ(a->Child("b")->Child("a"), a);
  a.reset();
  EXPECT_EQ(model.Living(), 0u);
}

// Any graph, any of its nodes bound, alone or as trees of the caller's: once all is let go of, nothing is left.
TEST(Wire, BoundObjectsAnywhereLeakNothing) {
  Random random(22);
  int bound_in_cycles = 0;
  for (int i = 0; i < 3000; ++i) {
    const ObjectGraph graph = RandomGraph(random, {.nodes = 8, .edges = 13, .names = 4}).Build();
    const NodeNames names(graph);
    Handles mine(8);
    Selection selection{"root"};
    for (NodeId id = 0; id < 8; ++id) {
      if (!names.HasPath(id) || !random.OneIn(3)) continue;
      mine[static_cast<size_t>(id)] = std::make_shared<Module>();
      selection.Bind(names.Name(id), mine[static_cast<size_t>(id)],
                     random.OneIn(2) ? BindMode::kTree : BindMode::kNode);
    }
    // Some of the edges of the shortest paths are there already.
    for (NodeId id = 1; id < 8; ++id) {
      const NodeId parent = names.paths().Parent(id);
      if (parent < 0 || random.OneIn(2)) continue;
      const auto& from = mine[static_cast<size_t>(parent)];
      const auto& to = mine[static_cast<size_t>(id)];
      if (!from || !to) continue;
      const NodePath path = names.PathTo(id);
      ASSERT_THAT(from->Track(path.components().back(), to), IsOk());
    }
    Wired model(graph, selection);
    bound_in_cycles += static_cast<int>(selection.entries().size()) - 1;
    model.Drop();
    mine.clear();
    selection = {};
    ASSERT_EQ(model.Living(), 0u) << "graph " << i;
  }
  EXPECT_GT(bound_in_cycles, 1000);
}

// ---- MakeRoot ----

struct Rooted : Wired {
  Rooted(ObjectGraph g, const Selection& selection)
      : Wired(std::move(g), selection), root(MakeRoot(graph, selected, handles)) {}
  std::shared_ptr<Trackable> At(std::string_view path) {
    StatusOr<std::shared_ptr<Trackable>> object = FindObject(root, *NodePath::Parse(path));
    return object.ok() ? *object : nullptr;
  }
  std::shared_ptr<Trackable> root;
};

GraphBuilder Deep() {
  return GraphBuilder(6).Link(0, "a", 1).Link(1, "b", 2).Link(1, "c", 3).Link(2, "v", 4).Link(0, "other", 5);
}

TEST(MakeRoot, IsTheRealRootWhenThatIsSelected) {
  Rooted model(Deep().Build(), {"root"});
  EXPECT_EQ(model.root, model[0]);
}

TEST(MakeRoot, HoldsWhatWasAskedForUnderItsPath) {
  Rooted model(Deep().Build(), {"root.a.b", "root.other"});
  EXPECT_EQ(model.At("root.a.b"), model[2]);
  EXPECT_EQ(model.At("root.a.b.v"), model[4]);
  EXPECT_EQ(model.At("root.other"), model[5]);
  EXPECT_EQ(model.At("root.a.c"), nullptr);
  EXPECT_NE(model.At("root.a"), nullptr) << "an empty object in between";
}

TEST(MakeRoot, Case20_TheRealObjectStandsInTheTreeInEitherOrder) {
  for (const auto& selection : {Selection{"root.a.b", "root.a"}, Selection{"root.a", "root.a.b"}}) {
    Rooted model(Deep().Build(), selection);
    EXPECT_EQ(model.At("root.a"), model[1]);
    EXPECT_EQ(model.At("root.a.c"), model[3]);
    EXPECT_EQ(model.At("root.a.b"), model[2]);
  }
}

TEST(MakeRoot, Case27_OfNothingIsAnEmptyObject) {
  Rooted model(Deep().Build(), Selection());
  ASSERT_NE(model.root, nullptr);
  EXPECT_EQ(model.root->num_children(), 0u);
  Rooted empty{ObjectGraph(), Selection()};
  ASSERT_NE(empty.root, nullptr);
}

TEST(MakeRoot, ASlotVariableStandsUnderItsPath) {
  GraphBuilder b(4);
  b.Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3);
  b.Kind(2, NodeKind::kVariable).Kind(3, NodeKind::kVariable);
  Rooted model(b.Build(), {"root.opt.slots.m.v"});
  EXPECT_EQ(model.At("root.opt.slots.m.v"), model[3]);
  Rooted with_optimizer(b.Build(), {"root.opt.slots.m.v", "root.opt", "root.v"});
  EXPECT_EQ(with_optimizer.At("root.opt"), with_optimizer[1]);
  EXPECT_NE(with_optimizer[3], nullptr);
}

TEST(MakeRoot, NamesOfOtherNodesOnTheWayAreNoNodes) {
  // The slot's path goes through names that exist elsewhere: root.opt.slots is no node, root.slots is.
  GraphBuilder b(5);
  b.Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Link(0, "slots", 4);
  Rooted model(b.Build(), {"root.opt.slots.m.v", "root.slots"});
  EXPECT_EQ(model.At("root.slots"), model[4]);
  EXPECT_EQ(model.At("root.opt.slots.m.v"), model[3]);
}

TEST(MakeRoot, OfAWideSelectionInTime) {
  Rooted model(WideGraph(50'000).Build(), {"root.*"});
  EXPECT_EQ(model.At("root.49999"), model[50'000]);
  EXPECT_EQ(model.root->num_children(), 50'000u);
}

TEST(MakeRoot, ChildrenDoNotDependOnTheOrderOfTheSelection) {
  Rooted one(Deep().Build(), {"root.other", "root.a.c", "root.a.b"});
  Rooted two(Deep().Build(), {"root.a.b", "root.a.c", "root.other"});
  EXPECT_EQ(Names(*one.root), Names(*two.root));
  EXPECT_EQ(Names(*one.At("root.a")), Names(*two.At("root.a")));
}

}  // namespace
}  // namespace savedmodel::internal
