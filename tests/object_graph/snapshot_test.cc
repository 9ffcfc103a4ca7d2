#include "savedmodel/object_graph/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TensorSpec kSpec = {DType::kFloat32, Shape{2}};

std::shared_ptr<Module> NewModule() { return std::make_shared<Module>(); }
std::shared_ptr<Variable> NewVariable() { return *Variable::Make(kSpec); }

// Makes `child` a child of `parent`, and gives it back.
template <class T>
std::shared_ptr<T> Add(const std::shared_ptr<Module>& parent, const std::string& name,
                       std::shared_ptr<T> child) {
  EXPECT_THAT(parent->Track(name, child), IsOk());
  return child;
}

std::vector<Edge> Edges(std::vector<Edge> edges) { return edges; }

TEST(Snapshot, OfNothingIsEmpty) {
  const ObjectSnapshot snapshot = Snapshot(nullptr, GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.graph.size(), 0u);
  EXPECT_THAT(snapshot.objects, IsEmpty());
}

TEST(Snapshot, NumbersObjectsBreadthFirstInTheOrderOfTheChildren) {
  const auto root = NewModule();
  const auto z = Add(root, "z", NewModule());
  const auto a = Add(root, "a", NewModule());
  const auto below_z = Add(z, "n", NewModule());
  const auto below_a = Add(a, "n", NewModule());
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_THAT(snapshot.objects, ElementsAre(root, z, a, below_z, below_a));
  EXPECT_EQ(snapshot.graph.node(0).children, Edges({{"z", 1}, {"a", 2}}));
  EXPECT_EQ(snapshot.graph.node(1).children, Edges({{"n", 3}}));
  EXPECT_EQ(snapshot.graph.node(2).children, Edges({{"n", 4}}));
  EXPECT_THAT(snapshot.graph.Validate("snapshot", "memory"), IsOk());
}

TEST(Snapshot, SharedObjectsAreOneNodeAndCyclesEnd) {
  const auto root = NewModule();
  const auto a = Add(root, "a", NewModule());
  Add(root, "same", a);
  ASSERT_THAT(a->TrackBack("parent", root), IsOk());
  ASSERT_THAT(a->TrackBack("self", a), IsOk());
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_THAT(snapshot.objects, ElementsAre(root, a));
  EXPECT_EQ(snapshot.graph.node(0).children, Edges({{"a", 1}, {"same", 1}}));
  EXPECT_EQ(snapshot.graph.node(1).children, Edges({{"parent", 0}, {"self", 1}}));
}

TEST(Snapshot, ChildrenThatAreGoneAreNone) {
  const auto root = NewModule();
  auto gone = NewModule();
  ASSERT_THAT(root->TrackBack("gone", gone), IsOk());
  gone.reset();
  EXPECT_THAT(Snapshot(root, GraphView::kCheckpoint).graph.node(0).children, IsEmpty());
}

TEST(Snapshot, KeepsTheObjectsAlive) {
  auto root = NewModule();
  const std::weak_ptr<Module> child = Add(root, "a", NewModule());
  {
    const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
    root.reset();
    EXPECT_FALSE(child.expired());
  }
  EXPECT_TRUE(child.expired());
}

// ---- What nodes say ----

TEST(Snapshot, AVariablesNodeHasItsValueAndItsDescription) {
  const auto v = NewVariable();
  v->set_name("the name");
  v->set_trainable(false);
  const Node node = Snapshot(v, GraphView::kCheckpoint).graph.node(0);
  EXPECT_EQ(node.kind, NodeKind::kVariable);
  EXPECT_EQ(node.attributes, (std::vector<Attribute>{{"VARIABLE_VALUE", "the name", ""}}));
  ASSERT_NE(node.variable(), nullptr);
  EXPECT_EQ(node.variable()->spec, kSpec);
  EXPECT_EQ(node.variable()->name, "the name");
  EXPECT_FALSE(node.variable()->trainable);
}

// Values of any names, with two slices of one tensor among them.
class Custom : public Module {
 public:
  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "a", .spec = kSpec, .slice = *TensorSlice::Rows(0, 1, 1)},
            {.name = "a", .spec = kSpec, .slice = *TensorSlice::Rows(1, 1, 1)},
            {.name = "b", .spec = kSpec, .full_name = "full", .optional = true}};
  }
};

TEST(Snapshot, AnObjectsValuesAreItsAttributes) {
  const ObjectSnapshot snapshot = Snapshot(std::make_shared<Custom>(), GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.graph.node(0).attributes,
            (std::vector<Attribute>{{.name = "a"}, {.name = "b", .full_name = "full", .optional = true}}));
  EXPECT_EQ(snapshot.graph.node(0).kind, NodeKind::kUserObject);
}

// ---- Views ----

TEST(Snapshot, FunctionsAreLeftOutOfTheCheckpointView) {
  const auto root = NewModule();
  const auto function = Add(root, "call", std::make_shared<OpaqueNode>(Node{.kind = NodeKind::kFunction}));
  Add(root, "body", std::make_shared<OpaqueNode>(Node{.kind = NodeKind::kBareConcreteFunction}));
  const auto captured =
      Add(root, "captured", std::make_shared<OpaqueNode>(Node{.kind = NodeKind::kCapturedTensor}));
  const auto below = NewVariable();
  ASSERT_THAT(function->Track("v", below), IsOk());
  const ObjectSnapshot checkpoint = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_THAT(checkpoint.objects, ElementsAre(root, captured)) << "nor is what only they lead to";
  EXPECT_EQ(checkpoint.graph.node(0).children, Edges({{"captured", 1}}));
  const ObjectSnapshot model = Snapshot(root, GraphView::kSavedModel);
  EXPECT_EQ(model.objects.size(), 5u);
  EXPECT_EQ(model.graph.node(0).children, Edges({{"call", 1}, {"body", 2}, {"captured", 3}}));
}

// ---- Attached objects ----

TEST(Snapshot, AttachedObjectsAreChildrenOfTheRootAfterItsOwn) {
  const auto root = NewModule();
  const auto a = Add(root, "a", NewModule());
  const auto extra = NewModule();
  const auto below = Add(extra, "n", NewModule());
  const std::vector<NamedObject> attached = {{"extra", extra}, {"root", root}, {"again", a}};
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint, attached);
  EXPECT_THAT(snapshot.objects, ElementsAre(root, a, extra, below));
  EXPECT_EQ(snapshot.graph.node(0).children, Edges({{"a", 1}, {"extra", 2}, {"root", 0}, {"again", 1}}));
  EXPECT_EQ(root->num_children(), 1u);
}

// ---- Slots ----

TEST(Snapshot, SlotsComeAfterAllOthersByOptimizerThenNameThenVariable) {
  const auto root = NewModule();
  const auto optimizer = Add(root, "optimizer", std::make_shared<Optimizer>());
  const auto w = Add(root, "w", NewVariable());
  const auto last = Add(Add(root, "layer", NewModule()), "v", NewVariable());
  const auto v_of_w = *optimizer->GetOrMakeSlot(w, "v", kSpec);
  const auto m_of_last = *optimizer->GetOrMakeSlot(last, "m", kSpec);
  const auto m_of_w = *optimizer->GetOrMakeSlot(w, "m", kSpec);
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  ASSERT_EQ(snapshot.objects.size(), 8u);
  EXPECT_EQ(snapshot.objects[4], last);
  EXPECT_EQ(snapshot.objects[5], m_of_w);
  EXPECT_EQ(snapshot.objects[6], m_of_last);
  EXPECT_EQ(snapshot.objects[7], v_of_w);
  EXPECT_EQ(snapshot.graph.node(1).slots,
            (std::vector<SlotReference>{{2, "m", 5}, {4, "m", 6}, {2, "v", 7}}));
  EXPECT_EQ(snapshot.graph.node(5).attributes.size(), 1u);
}

TEST(Snapshot, SlotsOfVariablesThatAreNotReachedAreNotThere) {
  const auto root = NewModule();
  const auto optimizer = Add(root, "optimizer", std::make_shared<Optimizer>());
  const auto elsewhere = NewVariable();
  ASSERT_THAT(optimizer->GetOrMakeSlot(elsewhere, "m", kSpec), IsOk());
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.objects.size(), 2u);
  EXPECT_THAT(snapshot.graph.node(1).slots, IsEmpty());
}

TEST(Snapshot, TwoOptimizersKeepSlotsOfTheirOwn) {
  const auto root = NewModule();
  const auto a = Add(root, "a", std::make_shared<Optimizer>());
  const auto b = Add(root, "b", std::make_shared<Optimizer>());
  const auto v = Add(root, "v", NewVariable());
  ASSERT_THAT(b->GetOrMakeSlot(v, "m", kSpec), IsOk());
  ASSERT_THAT(a->GetOrMakeSlot(v, "m", kSpec), IsOk());
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.graph.node(1).slots, (std::vector<SlotReference>{{3, "m", 4}}));
  EXPECT_EQ(snapshot.graph.node(2).slots, (std::vector<SlotReference>{{3, "m", 5}}));
}

// ---- Size ----

TEST(Snapshot, OfAChainOfAMillionDoesNotRecurse) {
  constexpr size_t kSize = 1'000'000;
  std::shared_ptr<Module> root = NewModule();
  std::shared_ptr<Module> last = root;
  for (size_t i = 1; i < kSize; ++i) last = Add(last, "n", NewModule());
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.graph.size(), kSize);
  EXPECT_EQ(snapshot.objects.back(), last);
}

TEST(Snapshot, OfFiftyThousandChildrenWithSlotsInTime) {
  constexpr NodeId kChildren = 50'000;
  const auto root = NewModule();
  const auto optimizer = Add(root, "optimizer", std::make_shared<Optimizer>());
  for (NodeId i = 0; i < kChildren; ++i) {
    const auto v = Add(root, std::to_string(i), NewVariable());
    ASSERT_THAT(optimizer->GetOrMakeSlot(v, "m", kSpec), IsOk());
  }
  const ObjectSnapshot snapshot = Snapshot(root, GraphView::kCheckpoint);
  EXPECT_EQ(snapshot.graph.size(), 2u * kChildren + 2);
  EXPECT_EQ(snapshot.graph.node(1).slots.back().slot, 2 * kChildren + 1);
}

}  // namespace
}  // namespace savedmodel
