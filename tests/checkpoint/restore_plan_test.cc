#include "savedmodel/checkpoint/restore_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::BytesOf;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kFloat = static_cast<int64_t>(DType::kFloat32);

class RestorePlanTest : public ::testing::Test {
 protected:
  // A variable root.<name> of both graphs, float32[2], with its value under `key`.
  NodeId AddVariable(const std::string& name, const std::string& key) {
    const auto target_id = static_cast<NodeId>(target.nodes.size());
    const auto stored_id = static_cast<NodeId>(stored.nodes.size());
    target.nodes.emplace_back();
    target.Link(kRootId, name, target_id).Variable(target_id, DType::kFloat32, Shape{2});
    stored.nodes.emplace_back();
    stored.Link(kRootId, name, stored_id).Value(stored_id, key);
    return target_id;
  }
  void AddTensor(const std::string& key) {
    bundle.Add({.key = key, .dtype = kFloat, .shape = {2}, .payload = BytesOf<float>({1, 2})});
  }
  NodeId AddBoth(const std::string& name) {
    AddTensor("key of " + name);
    return AddVariable(name, "key of " + name);
  }

  StatusOr<RestorePlan> Plan() {
    const auto files = std::make_shared<MemoryFileSystem>();
    bundle.WriteTo(*files, "c");
    reader = BundleReader::Open("c", {.file_system = files});
    if (!reader.ok()) return reader.status();
    return PlanWith(&*reader);
  }
  StatusOr<RestorePlan> PlanWith(const BundleReader* from) {
    const ObjectGraph stored_graph = stored.Build(), target_graph = target.Build();
    const NodeNames names(target_graph);
    const std::vector<WantedNode> wanted = Wanted(Match(stored_graph, target_graph));
    return PlanRestore({
        .wanted = wanted,
        .stored = &stored_graph,
        .reader = from,
        .index_name = "c.index",
        .name = [&](NodeId id) { return names.Name(id); },
        .values = [&](NodeId id) { return ValuesOf(target_graph.node(id), id); },
        .is_bound = [&](NodeId id) { return bound.count(id) > 0; },
        .allow_missing = allow_missing,
    });
  }
  std::vector<WantedNode> Wanted(const MatchResult& match) const {
    std::vector<WantedNode> wanted;
    for (size_t i = 0; i < match.stored_of.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (!unwanted.count(id)) wanted.push_back({.target = id, .stored = match.stored_of[i]});
    }
    return wanted;
  }
  std::vector<CheckpointValue> ValuesOf(const Node& node, NodeId id) const {
    if (const auto it = objects.find(id); it != objects.end()) return it->second;
    if (const auto it = bound.find(id); it != bound.end()) return {Value(kVariableValue, it->second)};
    if (!node.variable()) return {};
    return {Value(kVariableValue, node.variable()->spec)};
  }
  static CheckpointValue Value(std::string_view name, const TensorSpec& spec) {
    return {.name = std::string(name), .spec = spec};
  }
  // An object root.<name> of both graphs with these values; nothing of it is stored yet.
  NodeId AddObject(const std::string& name, std::vector<CheckpointValue> values) {
    const auto id = static_cast<NodeId>(target.nodes.size());
    const auto stored_id = static_cast<NodeId>(stored.nodes.size());
    target.nodes.emplace_back();
    stored.nodes.emplace_back();
    target.Link(kRootId, name, id);
    stored.Link(kRootId, name, stored_id);
    objects[id] = std::move(values);
    return id;
  }
  void AddAttribute(const std::string& name, const std::string& key, bool is_optional = false) {
    stored.nodes.back().attributes.push_back({name, "", key, is_optional});
  }

  GraphBuilder stored{1, NodeKind::kTrackable}, target{1};
  BundleBuilder bundle;
  StatusOr<BundleReader> reader = Status(StatusCode::kUnknown, "not opened");
  std::set<NodeId> unwanted;
  std::map<NodeId, TensorSpec> bound;
  std::map<NodeId, std::vector<CheckpointValue>> objects;  // that are no variables
  bool allow_missing = false;
};

TEST_F(RestorePlanTest, SaysWhichTensorGoesWhereByTheRecordedKey) {
  AddBoth("b");
  AddBoth("a");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 2u);
  EXPECT_EQ(plan.items[0].path, "root.b") << "in the order of target ids";
  EXPECT_EQ(plan.items[0].key, "key of b") << "never a key made from the path";
  EXPECT_EQ(plan.items[0].target, 1);
  EXPECT_EQ(plan.items[0].stored, 1);
  EXPECT_EQ(plan.items[0].dtype, DType::kFloat32);
  EXPECT_EQ(plan.items[0].shape, Shape({2}));
  EXPECT_EQ(plan.items[0].bytes, 8u);
  EXPECT_EQ(plan.bytes, 16u);
  EXPECT_EQ(plan.unused_keys, 0u);
  EXPECT_EQ(plan.ToString(),
            "root.b <- key of b float32[2], 8 bytes\nroot.a <- key of a float32[2], 8 bytes\n"
            "2 tensors, 16 bytes, 0 stored tensors unused\n");
}

TEST_F(RestorePlanTest, Case58_TheIdsOfTheTwoGraphsAreUnrelated) {
  stored.nodes.resize(5);
  AddBoth("a");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items[0].stored, 5);
  EXPECT_EQ(plan.items[0].target, 1);
}

TEST_F(RestorePlanTest, WhatIsNotWantedIsNotLookedAt) {
  AddBoth("a");
  unwanted = {AddVariable("b", "no such key")};
  AddTensor("extra");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.unused_keys, 1u);
}

TEST_F(RestorePlanTest, AnEmptySelectionNeedsNoIndex) {
  unwanted = {kRootId, AddVariable("a", "k")};
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, PlanWith(nullptr));
  EXPECT_THAT(plan.items, IsEmpty());
  EXPECT_EQ(plan.bytes, 0u);
}

TEST_F(RestorePlanTest, EmptyGraphsHaveAnEmptyPlan) {
  stored.nodes.clear();
  target.nodes.clear();
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, PlanWith(nullptr));
  EXPECT_THAT(plan.items, IsEmpty());
}

// ---- Variables without a value ----

TEST_F(RestorePlanTest, VariablesThatTheCheckpointDoesNotKnowAreAllNamed) {
  AddBoth("a");
  for (const std::string name : {"x", "y"}) {
    const auto id = static_cast<NodeId>(target.nodes.size());
    target.nodes.emplace_back();
    target.Link(kRootId, name, id).Variable(id, DType::kFloat32, Shape{2});
  }
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kFailedPrecondition,
                               AllOf(HasSubstr("root.x; root.y"), Not(HasSubstr("root.a")))));
  EXPECT_THAT(Plan(), StatusHasContext(AllOf(Field(&ErrorContext::path, "root.x"),
                                             Field(&ErrorContext::file, "c.index"))));
  allow_missing = true;
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.unmatched, ElementsAre(2, 3));
  EXPECT_EQ(plan.items.size(), 1u);
}

TEST_F(RestorePlanTest, AVariableExportedWithoutAValueIsNoError) {
  const NodeId id = AddVariable("a", "k");
  stored[1].attributes.clear();
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.without_value, ElementsAre(id));
  EXPECT_THAT(plan.items, IsEmpty());
}

TEST_F(RestorePlanTest, Case32_KeysThatTheIndexLacksAreAllNamed) {
  AddVariable("a", "gone 1");
  AddVariable("b", "gone 2");
  AddBoth("c");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kNotFound,
                               AllOf(HasSubstr("root.a (key gone 1)"), HasSubstr("root.b (key gone 2)"))));
  EXPECT_THAT(Plan(), StatusHasContext(AllOf(Field(&ErrorContext::key, "gone 1"),
                                             Field(&ErrorContext::path, "root.a"),
                                             Field(&ErrorContext::file, "c.index"))));
  allow_missing = true;
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.missing_keys, ElementsAre(1, 2));
  EXPECT_EQ(plan.items.size(), 1u);
}

TEST_F(RestorePlanTest, WithoutAnIndexTheFirstWantedValueIsNotFound) {
  AddVariable("a", "k");
  EXPECT_THAT(PlanWith(nullptr), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(PlanWith(nullptr),
              StatusHasContext(AllOf(Field(&ErrorContext::file, "c.index"), Field(&ErrorContext::key, "k"),
                                     Field(&ErrorContext::path, "root.a"))));
}

// ---- What does not fit ----

TEST_F(RestorePlanTest, Case11And12_BoundObjectsThatDoNotFitAreInvalidArgumentAndAllNamed) {
  bound[AddBoth("a")] = {DType::kFloat64, Shape{2}};
  bound[AddBoth("b")] = {DType::kFloat32, Shape{3}};
  bound[AddBoth("c")] = {DType::kFloat32, Shape{2}};
  const auto plan = Plan();
  EXPECT_THAT(plan,
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("root.a (key key of a) takes float64[2] and float32[2] is stored"),
                             HasSubstr("root.b (key key of b) takes float32[3] and float32[2] is stored"),
                             Not(HasSubstr("root.c")))));
  EXPECT_THAT(plan, StatusHasContext(ErrorContext{.file = "c.index",
                                                  .key = "key of a",
                                                  .path = "root.a",
                                                  .expected = "float64[2]",
                                                  .found = "float32[2]"}));
}

TEST_F(RestorePlanTest, Case13_UnknownShapesFit) {
  const std::vector<int64_t> unknown = {-1};
  bound[AddBoth("a")] = {DType::kFloat32, *PartialShape::Make(unknown)};
  bound[AddBoth("b")] = {DType::kFloat32, PartialShape()};
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 2u);
}

TEST_F(RestorePlanTest, AGraphThatDisagreesWithItsCheckpointIsFailedPrecondition) {
  target.Variable(AddBoth("a"), DType::kFloat32, Shape{2, 1});
  target.Variable(AddBoth("b"), DType::kInt32, Shape{2});
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kFailedPrecondition,
                               AllOf(HasSubstr("root.a (key key of a) takes float32[2,1]"),
                                     HasSubstr("root.b (key key of b) takes int32[2]"))));
}

TEST_F(RestorePlanTest, TheCallersFaultIsToldBeforeTheFiles) {
  target.Variable(AddBoth("a"), DType::kFloat32, Shape{2, 1});
  bound[AddBoth("b")] = {DType::kFloat64, Shape{2}};
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kInvalidArgument));
}

TEST_F(RestorePlanTest, OfManyOffendersSomeAreNamedAndAllAreCounted) {
  for (int i = 0; i < 25; ++i) AddVariable(std::to_string(i), "gone");
  EXPECT_THAT(Plan(),
              StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("(25 in all): root.0 "), HasSubstr("root.9 "),
                                                    HasSubstr("; ..."), Not(HasSubstr("root.10")))));
}

TEST_F(RestorePlanTest, LongNamesDoNotHideHowManyThereAre) {
  for (int i = 0; i < 25; ++i) AddVariable(std::string(1000, 'a') + std::to_string(i), "gone");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kNotFound, HasSubstr("25 in all")));
}

TEST_F(RestorePlanTest, ABadEntryIsDataLossWithItsKeyAndObject) {
  AddBoth("a");
  bundle.Entry("key of a").offset = -1;
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(Plan(), StatusHasContext(AllOf(Field(&ErrorContext::key, "key of a"),
                                             Field(&ErrorContext::path, "root.a"))));
}

TEST_F(RestorePlanTest, AnUnknownDTypeIsUnimplemented) {
  AddBoth("a");
  bundle.Entry("key of a").dtype = 99;
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kUnimplemented));
}

TEST_F(RestorePlanTest, TheHeadersKeyIsNoTensor) {
  AddVariable("a", "");
  EXPECT_FALSE(Plan().ok());
}

// ---- Counts ----

TEST_F(RestorePlanTest, AttributesThatNoValueTakesAreListed) {
  AddBoth("a");
  stored[1].attributes.push_back({"EXTRA", "", "a/extra", true});
  stored[kRootId].attributes.push_back({"table", "", "table/key"});
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.unused_attributes.size(), 2u);
  const UnusedAttribute& table = plan.unused_attributes[0];
  EXPECT_EQ(table.stored, kRootId) << "in the order of the wanted objects";
  EXPECT_EQ(table.name, "table");
  EXPECT_EQ(table.key, "table/key");
  EXPECT_FALSE(table.optional);
  EXPECT_EQ(plan.unused_attributes[1].stored, 1);
  EXPECT_EQ(plan.unused_attributes[1].key, "a/extra");
  EXPECT_TRUE(plan.unused_attributes[1].optional);
}

TEST_F(RestorePlanTest, AttributesOfNodesThatNobodyWantsAreNotListed) {
  unwanted = {AddBoth("a")};
  stored[1].attributes.push_back({"EXTRA", "", "a/extra"});
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.unused_attributes, IsEmpty());
}

TEST_F(RestorePlanTest, TheObjectGraphIsNeverAnUnusedTensor) {
  AddBoth("a");
  bundle.AddStrings(std::string(kObjectGraphKey), {}, {"graph"});
  AddTensor("extra");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.unused_keys, 1u);
}

// A graph may say that a variable's value is the graph itself.
TEST_F(RestorePlanTest, AVariableStoredUnderTheGraphsKeyDoesNotUpsetTheCount) {
  const NodeId id = AddVariable("a", std::string(kObjectGraphKey));
  target.Variable(id, DType::kString, Shape{});
  bundle.AddStrings(std::string(kObjectGraphKey), {}, {"graph"});
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.unused_keys, 0u);
}

TEST_F(RestorePlanTest, ATensorForTwoVariablesIsUsedOnce) {
  AddBoth("a");
  AddVariable("b", "key of a");
  AddTensor("extra");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 2u);
  EXPECT_EQ(plan.unused_keys, 1u);
  EXPECT_EQ(plan.bytes, 16u) << "what is delivered, not what is read";
}

TEST_F(RestorePlanTest, APartitionedTensorIsOneKey) {
  bundle.AddDirectory("whole", kFloat, {2});
  bundle.AddPart("whole", {{0, 1}}, EncodePlain(BytesOf<float>({1})));
  bundle.AddPart("whole", {{1, 1}}, EncodePlain(BytesOf<float>({2})));
  bundle.AddDirectory("unused", kFloat, {2});
  bundle.AddPart("unused", {{0, 2}}, EncodePlain(BytesOf<float>({1, 2})));
  AddVariable("a", "whole");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items[0].bytes, 8u);
  EXPECT_EQ(plan.unused_keys, 1u);
}

TEST_F(RestorePlanTest, ClaimedSizesDoNotWrap) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    target.Variable(AddBoth(name), DType::kFloat32, Shape{kHuge});
    bundle.Entry("key of " + name).shape = {kHuge};
    bundle.Entry("key of " + name).size = kHuge * 4;
  }
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.bytes, UINT64_MAX);
}

TEST_F(RestorePlanTest, FiftyThousandVariablesInTime) {
  for (int i = 0; i < 50'000; ++i) AddBoth(std::to_string(i));
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 50'000u);
  EXPECT_EQ(plan.unused_keys, 0u);
}

// ---- Objects with values of their own ----

TEST_F(RestorePlanTest, AnObjectTakesSeveralValuesByName) {
  AddTensor("k/x");
  bundle.AddStrings("k/y", {}, {"text"});
  const NodeId id =
      AddObject("o", {Value("y", {DType::kString, Shape{}}), Value("x", {DType::kFloat32, Shape{2}})});
  AddAttribute("x", "k/x");
  AddAttribute("y", "k/y");
  AddBoth("v");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 3u);
  EXPECT_EQ(plan.items[0].key, "k/y") << "in the order in which the object names them";
  EXPECT_EQ(plan.items[0].value, 0u);
  EXPECT_EQ(plan.items[0].target, id);
  EXPECT_EQ(plan.items[1].key, "k/x");
  EXPECT_EQ(plan.items[1].value, 1u);
  EXPECT_EQ(plan.items[1].path, "root.o");
  EXPECT_EQ(plan.items[2].path, "root.v");
  EXPECT_THAT(plan.unused_attributes, IsEmpty());
  EXPECT_EQ(plan.unused_keys, 0u);
}

TEST_F(RestorePlanTest, AnObjectMayHoldSlicesOfOneTensor) {
  AddTensor("k");
  const CheckpointValue whole = Value("x", {DType::kFloat32, Shape{2}});
  CheckpointValue last = whole, first = whole;
  last.slice = *TensorSlice::Rows(1, 1, 1);
  first.slice = *TensorSlice::Rows(0, 1, 1);
  AddObject("o", {last, first});
  AddAttribute("x", "k");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 2u);
  EXPECT_EQ(plan.items[0].shape, Shape({1}));
  EXPECT_EQ(plan.items[0].slice, last.slice);
  EXPECT_EQ(plan.items[1].slice, first.slice);
  EXPECT_EQ(plan.items[0].bytes, 8u) << "stored, of the whole tensor";
  EXPECT_THAT(plan.ToString(), HasSubstr("root.o <- k [1,1] float32[1], 8 bytes\n"));
}

TEST_F(RestorePlanTest, ASliceThatLeavesItsTensorIsOutOfRange) {
  AddTensor("k");
  CheckpointValue value = Value("x", {DType::kFloat32, PartialShape()});
  value.slice = *TensorSlice::Rows(1, 2, 1);
  AddObject("o", {value});
  AddAttribute("x", "k");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(Plan(),
              StatusHasContext(AllOf(Field(&ErrorContext::key, "k"), Field(&ErrorContext::path, "root.o"))));
}

TEST_F(RestorePlanTest, ASliceOfATensorOfAnotherShapeDoesNotFit) {
  AddTensor("k");
  CheckpointValue value = Value("x", {DType::kFloat32, Shape{3}});
  value.slice = *TensorSlice::Rows(0, 1, 1);
  bound[AddObject("o", {value})] = {};
  AddAttribute("x", "k");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("takes float32[3] and float32[2]")));
}

TEST_F(RestorePlanTest, OptionalValuesMayBeLacking) {
  AddTensor("k");
  CheckpointValue unknown = Value("unknown", {DType::kString, Shape{}});
  CheckpointValue gone = Value("gone", {DType::kString, Shape{}});
  unknown.optional = gone.optional = true;
  AddObject("o", {unknown, Value("x", {DType::kFloat32, Shape{2}}), gone});
  AddAttribute("x", "k");
  AddAttribute("gone", "no such key");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.items[0].value, 1u);
  EXPECT_THAT(plan.missing_keys, IsEmpty());
  EXPECT_THAT(plan.without_value, IsEmpty());
}

TEST_F(RestorePlanTest, AnObjectWithOptionalValuesOnlyIsNeverMissed) {
  CheckpointValue value = Value("x", {DType::kString, Shape{}});
  value.optional = true;
  AddObject("known", {value});
  objects[static_cast<NodeId>(target.nodes.size())] = {value};
  target.nodes.emplace_back();
  target.Link(kRootId, "unknown", 2);
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.unmatched, IsEmpty());
  EXPECT_THAT(plan.without_value, IsEmpty());
}

TEST_F(RestorePlanTest, OptionalValuesAreTakenWhereTheyAreStored) {
  AddTensor("k");
  CheckpointValue value = Value("x", {DType::kFloat32, Shape{2}});
  value.optional = true;
  AddObject("o", {value});
  AddAttribute("x", "k");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_EQ(plan.items.size(), 1u);
}

TEST_F(RestorePlanTest, OnlySomeValuesOfAnObjectAreNotEnough) {
  AddTensor("k");
  const TensorSpec spec = {DType::kFloat32, Shape{2}};
  const NodeId id = AddObject("o", {Value("x", spec), Value("y", spec), Value("z", spec)});
  AddAttribute("x", "k");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kFailedPrecondition,
                               AllOf(HasSubstr("(2 in all)"), HasSubstr("root.o keeps a value y"),
                                     HasSubstr("root.o keeps a value z"))));
  EXPECT_THAT(Plan(), StatusHasContext(AllOf(Field(&ErrorContext::path, "root.o"),
                                             Field(&ErrorContext::file, "c.index"))));
  allow_missing = true;
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.items, IsEmpty()) << "all of its values or none";
  EXPECT_THAT(plan.without_value, ElementsAre(id));
}

TEST_F(RestorePlanTest, OneKeyOfAnObjectThatTheIndexLacksLeavesTheObjectOut) {
  AddTensor("k");
  const TensorSpec spec = {DType::kFloat32, Shape{2}};
  const NodeId id = AddObject("o", {Value("x", spec), Value("y", spec)});
  AddAttribute("x", "k");
  AddAttribute("y", "gone");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kNotFound, HasSubstr(": root.o (key gone)")));
  allow_missing = true;
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.missing_keys, ElementsAre(id));
  EXPECT_THAT(plan.items, IsEmpty());
}

TEST_F(RestorePlanTest, AnObjectSavedWithoutItsValuesIsWithoutValue) {
  const NodeId id = AddObject("o", {Value("x", {DType::kFloat32, Shape{2}})});
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.without_value, ElementsAre(id));
  EXPECT_THAT(plan.items, IsEmpty());
}

TEST_F(RestorePlanTest, ANodeThatRecordsOtherValuesIsOfAnotherKindOfObject) {
  AddTensor("k");
  const NodeId id = AddObject("o", {Value("x", {DType::kFloat32, Shape{2}})});
  AddAttribute("other", "k");
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.o keeps a value x")));
  bound[id] = {};
  EXPECT_THAT(Plan(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("root.o keeps a value x")));
  allow_missing = true;
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.without_value, ElementsAre(id));
  ASSERT_EQ(plan.unused_attributes.size(), 1u);
  EXPECT_EQ(plan.unused_attributes[0].name, "other");
}

TEST_F(RestorePlanTest, NamesAreFoundAsWrittenAndAsEscaped) {
  AddTensor("k1");
  AddTensor("k2");
  const TensorSpec spec = {DType::kFloat32, Shape{2}};
  AddObject("o", {Value("a.b/c", spec), Value("d.e", spec)});
  AddAttribute("d.e", "k2");
  AddAttribute("a..b.Sc", "k1");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 2u);
  EXPECT_EQ(plan.items[0].key, "k1");
  EXPECT_EQ(plan.items[1].key, "k2");
  EXPECT_THAT(plan.unused_attributes, IsEmpty());
}

// Tables record one attribute, and two tensors are stored under keys that begin with its key.
TEST_F(RestorePlanTest, AnAttributeStandsForKeysThatBeginWithItsKey) {
  AddTensor("t/table-keys");
  AddTensor("t/table-values");
  const TensorSpec spec = {DType::kFloat32, Shape{2}};
  AddObject("t", {Value("table-keys", spec), Value("table-values", spec)});
  AddAttribute("table", "t/table");
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  ASSERT_EQ(plan.items.size(), 2u);
  EXPECT_EQ(plan.items[0].key, "t/table-keys");
  EXPECT_EQ(plan.items[1].key, "t/table-values");
  EXPECT_THAT(plan.unused_attributes, IsEmpty());
}

// ---- Checkpoints without a graph ----

TEST_F(RestorePlanTest, WithoutAGraphTheCallerSaysTheKeys) {
  AddTensor("w");
  const auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "c");
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader from, BundleReader::Open("c", {.file_system = files}));
  const std::vector<WantedNode> wanted = {{.target = 7}, {.target = 8}};
  RestorePlanInput input = {
      .wanted = wanted,
      .keys =
          [&](NodeId id, std::span<const CheckpointValue> values) {
            EXPECT_EQ(values.size(), 1u);
            const ValueKey known{ValueKey::State::kStored, "w"}, unknown;
            return NodeKeys{.values = {id == 7 ? known : unknown}};
          },
      .reader = &from,
      .name = [](NodeId id) { return std::to_string(id); },
      .values = [](NodeId) { return std::vector{Value("x", {DType::kFloat32, Shape{2}})}; }};
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, PlanRestore(input));
  ASSERT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.items[0].target, 7);
  EXPECT_EQ(plan.items[0].stored, -1);
  EXPECT_THAT(plan.without_value, ElementsAre(8));
  input.values = [](NodeId) { return std::vector{Value("x", {DType::kFloat64, Shape{2}})}; };
  EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("7 (key w)")))
      << "what nobody says is unbound is the caller's";
}

// ---- What is not there ----

TEST_F(RestorePlanTest, ANullOrAMissingFunctionIsTheCallersFault) {
  const ObjectGraph graph = target.Build();
  const std::vector<WantedNode> wanted = {{.target = 0, .stored = 0}};
  const RestorePlanInput whole = {.wanted = wanted,
                                  .stored = &graph,
                                  .name = [](NodeId) { return std::string("root"); },
                                  .values = [](NodeId) { return std::vector<CheckpointValue>(); }};
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, PlanRestore(whole));
  EXPECT_THAT(plan.items, IsEmpty());
  std::vector<RestorePlanInput> lacking(4, whole);
  lacking[0] = {};
  lacking[1].stored = nullptr;
  lacking[2].name = nullptr;
  lacking[3].values = nullptr;
  for (const RestorePlanInput& input : lacking) {
    EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("without")));
  }
}

TEST_F(RestorePlanTest, APairWithANodeThatIsNotThereIsTheCallersFault) {
  const ObjectGraph graph = target.Build();
  std::vector<WantedNode> wanted = {{.target = 0, .stored = 1}};
  RestorePlanInput input = {.wanted = wanted,
                            .stored = &graph,
                            .name = [](NodeId) { return std::string("root"); },
                            .values = [](NodeId) { return std::vector<CheckpointValue>(); }};
  EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("not there")));
  input.stored = nullptr;
  input.keys = [](NodeId, std::span<const CheckpointValue>) { return NodeKeys(); };
  wanted[0].stored = 0;
  EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("not there")))
      << "without a graph there are no nodes";
}

}  // namespace
}  // namespace savedmodel
