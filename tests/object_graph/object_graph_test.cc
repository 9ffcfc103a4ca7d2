#include "savedmodel/object_graph/object_graph.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::ChainGraph;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::RandomGraph;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::savedmodel::testing::WideGraph;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

StatusOr<NodeId> Find(const ObjectGraph& graph, std::string_view path) {
  StatusOr<NodePath> parsed = NodePath::Parse(path);
  if (!parsed.ok()) return parsed.status();
  return graph.Find(*parsed);
}

TEST(ObjectGraph, FindWalksNamedEdgesFromTheRoot) {
  const ObjectGraph graph = GraphBuilder(4).Link(0, "a", 1).Link(1, "b", 2).Link(0, "c", 3).Build();
  EXPECT_EQ(*Find(graph, "root"), 0);
  EXPECT_EQ(*Find(graph, "root.a.b"), 2);
  EXPECT_EQ(*Find(graph, "root.c"), 3);
}

TEST(ObjectGraph, Case22_ListsByPositionDictsByKeyDottedKeysInQuotes) {
  const ObjectGraph graph = GraphBuilder(6)
                                .Link(0, "list", 1)
                                .Link(1, "0", 2)
                                .Link(1, "1", 3)
                                .Link(0, "dict", 4)
                                .Link(4, "key", 2)
                                .Link(4, "a.b", 5)
                                .Build();
  EXPECT_EQ(*Find(graph, "root.list.1"), 3);
  EXPECT_EQ(*Find(graph, "root.dict.key"), 2);
  EXPECT_THAT(Find(graph, "root.dict.a.b"), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(*Find(graph, R"(root.dict."a.b")"), 5);
}

TEST(ObjectGraph, Case23_OfEqualNamesThePathTakesTheFirst) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "a", 2).Link(0, "a", 1).Build();
  EXPECT_EQ(*Find(graph, "root.a"), 2);
}

TEST(ObjectGraph, Case24_PathsGoRoundCycles) {
  const ObjectGraph graph = GraphBuilder(3).Link(0, "foo", 1).Link(1, "bar", 2).Link(2, "parent", 1).Build();
  EXPECT_EQ(*Find(graph, "root.foo.bar.parent.bar"), *Find(graph, "root.foo.bar"));
}

TEST(ObjectGraph, Case26_NamesAreCaseSensitive) {
  const ObjectGraph graph = GraphBuilder(2).Link(0, "foo", 1).Build();
  EXPECT_THAT(Find(graph, "root.FOO"), StatusIs(StatusCode::kNotFound, HasSubstr("foo")));
}

TEST(ObjectGraph, Case21_AMissingNodeNamesThePrefixAndNearMisses) {
  const ObjectGraph graph =
      GraphBuilder(4).Link(0, "encoder", 1).Link(1, "kernel", 2).Link(1, "bias", 3).Build();
  const auto found = Find(graph, "root.encoder.kernal.x");
  EXPECT_THAT(found, StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("no node at root.encoder.kernal"),
                                                           HasSubstr("root.encoder has 2"),
                                                           HasSubstr("\"kernel\""), Not(HasSubstr("bias")))));
  EXPECT_THAT(found, StatusHasContext(Field(&ErrorContext::path, "root.encoder.kernal.x")));
  EXPECT_THAT(Find(graph, "root.encoder.kernel.x"),
              StatusIs(StatusCode::kNotFound, HasSubstr("has 0 children")));
  const auto alone = Find(GraphBuilder(2).Link(0, "encoder", 1).Build(), "root.zzz");
  EXPECT_THAT(alone, StatusIs(StatusCode::kNotFound, HasSubstr("root has 1 child")));
  EXPECT_FALSE(Message(alone.status()).ends_with("; ")) << "no name is near";
}

TEST(ObjectGraph, AnEmptyGraphHasNoRoot) {
  EXPECT_THAT(Find(ObjectGraph(), "root"), StatusIs(StatusCode::kNotFound, HasSubstr("empty")));
  EXPECT_FALSE(ObjectGraph().Contains(0));
  EXPECT_THAT(ObjectGraph().Validate("graph", "f"), IsOk());
}

TEST(ObjectGraph, ContainsSaysWhichIdsAreNodes) {
  const ObjectGraph graph = GraphBuilder(2).Build();
  EXPECT_TRUE(graph.Contains(0));
  EXPECT_TRUE(graph.Contains(1));
  EXPECT_FALSE(graph.Contains(2));
  EXPECT_FALSE(graph.Contains(-1));
}

// Few children are scanned and many are searched: both give the first edge of the name.
TEST(ObjectGraph, ChildIsTheFirstEdgeOfItsNameWhateverTheNumberOfChildren) {
  testing::Random random(5);
  for (size_t edges = 0; edges < 60; ++edges) {
    const ObjectGraph graph =
        RandomGraph(random, {.nodes = 4, .edges = edges, .names = 1 + random.Below(26)}).Build();
    for (NodeId id = 0; id < 4; ++id) {
      for (char c = 'a'; c <= 'z'; ++c) {
        std::optional<NodeId> first;
        for (const Edge& edge : graph.node(id).children) {
          if (!first && edge.name == std::string(1, c)) first = edge.child;
        }
        ASSERT_EQ(graph.Child(id, std::string(1, c)), first);
      }
    }
  }
}

TEST(ObjectGraph, CopiesAndMovesFindChildrenToo) {
  ObjectGraph graph = WideGraph(100).Build();
  ObjectGraph copy = graph;
  const ObjectGraph moved = std::move(graph);
  EXPECT_EQ(*Find(moved, "root.99"), 100);
  copy = ObjectGraph();
  copy = moved;
  EXPECT_EQ(*Find(copy, "root.7"), 8);
}

TEST(ObjectGraph, FindsEveryChildOfAWideNodeInTime) {
  const ObjectGraph graph = WideGraph(50'000).Build();
  for (size_t i = 0; i < 50'000; ++i) {
    ASSERT_EQ(graph.Child(kRootId, std::to_string(i)), static_cast<NodeId>(i + 1));
  }
  EXPECT_THAT(Find(graph, "root.50000"), StatusIs(StatusCode::kNotFound, HasSubstr("50000 children")));
}

TEST(ObjectGraph, FindsTheEndOfALongChainInTime) {
  const ObjectGraph graph = ChainGraph(1'000'000).Build();
  const std::vector<std::string> names(999'999, "n");
  EXPECT_EQ(*graph.Find(NodePath(names)), 999'999);
  std::vector<std::string> too_far = names;
  too_far.push_back("n");
  EXPECT_THAT(graph.Find(NodePath(too_far)), StatusIs(StatusCode::kNotFound));
}

// Case 60: ids that are no nodes, in every field that holds one.
struct IdField {
  const char* name;
  std::function<void(Node&, NodeId)> set;
};

void PrintTo(const IdField& field, std::ostream* out) { *out << field.name; }

class GraphIds : public ::testing::TestWithParam<IdField> {};

TEST_P(GraphIds, Case60_AnIdOutsideTheGraphIsDataLossThatNamesNodeAndField) {
  for (const NodeId id : {-1, 3, INT32_MIN, INT32_MAX}) {
    GraphBuilder b(3);
    GetParam().set(b[1], id);
    const Status status = b.Build().Validate("object graph", "m/saved_model.pb");
    EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("object graph: node 1 has a " +
                                                                        std::string(GetParam().name)),
                                                              HasSubstr("0 to 2"))));
    EXPECT_THAT(status, StatusHasContext(AllOf(Field(&ErrorContext::file, "m/saved_model.pb"),
                                               Field(&ErrorContext::found, std::to_string(id)))));
  }
  for (const NodeId id : {0, 1, 2}) {
    GraphBuilder b(3);
    GetParam().set(b[1], id);
    EXPECT_THAT(b.Build().Validate("object graph", "f"), IsOk());
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryField, GraphIds,
    ::testing::Values(IdField{"child", [](Node& n, NodeId id) { n.children = {{"ok", 0}, {"x", id}}; }},
                      IdField{"slot's variable", [](Node& n, NodeId id) { n.slots = {{id, "m", 0}}; }},
                      IdField{"slot variable", [](Node& n, NodeId id) { n.slots = {{0, "m", id}}; }},
                      IdField{"dependency", [](Node& n, NodeId id) { n.dependencies = {id}; }},
                      IdField{"save function", [](Node& n, NodeId id) { n.saveables = {{"s", id, 0}}; }},
                      IdField{"restore function", [](Node& n, NodeId id) { n.saveables = {{"s", 0, id}}; }}));

TEST(ObjectGraph, KindsHaveTensorFlowsNames) {
  EXPECT_EQ(NodeKindName(NodeKind::kUserObject), "user_object");
  EXPECT_EQ(NodeKindName(NodeKind::kBareConcreteFunction), "bare_concrete_function");
  EXPECT_EQ(NodeKindName(NodeKind::kCapturedTensor), "captured_tensor");
  EXPECT_EQ(NodeKindName(NodeKind::kNone), "unknown");
  EXPECT_EQ(NodeKindName(static_cast<NodeKind>(99)), "unknown");
}

TEST(SlotPath, IsOptimizerThenSlotThenVariable) {
  EXPECT_EQ(SlotPath(NodePath({"opt"}), "m", NodePath({"dense", "kernel"})).ToString(),
            "root.opt.slots.m.dense.kernel");
  EXPECT_EQ(SlotPath(NodePath(), "m", NodePath()).ToString(), "root.slots.m");
  EXPECT_EQ(SlotPath(NodePath({"opt"}), "a.b", NodePath({"v"})).ToString(), R"(root.opt.slots."a.b".v)");
}

}  // namespace
}  // namespace savedmodel
