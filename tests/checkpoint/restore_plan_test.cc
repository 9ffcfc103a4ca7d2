#include "savedmodel/checkpoint/restore_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
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
    const MatchResult match = Match(stored_graph, target_graph);
    const NodeNames names(target_graph);
    return PlanRestore({
        .stored = &stored_graph,
        .target = &target_graph,
        .match = &match,
        .reader = from,
        .index_name = "c.index",
        .wanted = [&](NodeId id) { return !unwanted.count(id); },
        .name = [&](NodeId id) { return names.Name(id); },
        .spec =
            [&](NodeId id) {
              auto it = bound.find(id);
              return it == bound.end() ? target_graph.node(id).variable()->spec : it->second;
            },
        .is_bound = [&](NodeId id) { return bound.count(id) > 0; },
        .allow_missing = allow_missing,
    });
  }

  GraphBuilder stored{1, NodeKind::kTrackable}, target{1};
  BundleBuilder bundle;
  StatusOr<BundleReader> reader = Status(StatusCode::kUnknown, "not opened");
  std::set<NodeId> unwanted;
  std::map<NodeId, TensorSpec> bound;
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

TEST_F(RestorePlanTest, OtherAttributesAreListed) {
  AddBoth("a");
  stored[1].attributes.push_back({"EXTRA", "", "a/extra"});
  stored[kRootId].attributes.push_back({"table", "", "table/key"});
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, Plan());
  EXPECT_THAT(plan.other_attributes, ElementsAre("table/key", "a/extra"));
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

// ---- What is not there ----

TEST_F(RestorePlanTest, ANullOrAMissingFunctionIsTheCallersFault) {
  const ObjectGraph graph = target.Build();
  const MatchResult match = Match(graph, graph);
  const RestorePlanInput whole = {.stored = &graph,
                                  .target = &graph,
                                  .match = &match,
                                  .wanted = [](NodeId) { return true; },
                                  .name = [](NodeId) { return std::string("root"); },
                                  .spec = [](NodeId) { return TensorSpec(); },
                                  .is_bound = [](NodeId) { return false; }};
  SM_ASSERT_OK_AND_ASSIGN(const RestorePlan plan, PlanRestore(whole));
  EXPECT_THAT(plan.items, IsEmpty());
  std::vector<RestorePlanInput> lacking(8, whole);
  lacking[0] = {};
  lacking[1].stored = nullptr;
  lacking[2].target = nullptr;
  lacking[3].match = nullptr;
  lacking[4].wanted = nullptr;
  lacking[5].name = nullptr;
  lacking[6].spec = nullptr;
  lacking[7].is_bound = nullptr;
  for (const RestorePlanInput& input : lacking) {
    EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("without")));
  }
}

TEST_F(RestorePlanTest, AMatchOfOtherGraphsIsTheCallersFault) {
  const ObjectGraph graph = target.Build();
  MatchResult match = Match(graph, graph);
  RestorePlanInput input = {.stored = &graph,
                            .target = &graph,
                            .match = &match,
                            .wanted = [](NodeId) { return true; },
                            .name = [](NodeId) { return std::string("root"); },
                            .spec = [](NodeId) { return TensorSpec(); },
                            .is_bound = [](NodeId) { return false; }};
  match.stored_of[0] = 1;
  EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("other graphs")));
  match.stored_of.clear();
  EXPECT_THAT(PlanRestore(input), StatusIs(StatusCode::kInvalidArgument, HasSubstr("other graphs")));
}

}  // namespace
}  // namespace savedmodel
