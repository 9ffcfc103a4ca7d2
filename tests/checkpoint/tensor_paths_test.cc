#include "savedmodel/checkpoint/tensor_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// [owner's path, attribute], or nothing for a key that no object records.
std::vector<std::string> OwnerOf(const TensorPaths& paths, std::string_view key) {
  const TensorOwner* owner = paths.Find(key);
  if (owner == nullptr) return {};
  const std::optional<NodePath> path = paths.PathTo(owner->node);
  return {path ? path->ToString() : "", owner->attribute};
}

std::vector<std::string> Texts(const std::vector<NodePath>& paths) {
  std::vector<std::string> out;
  for (const NodePath& path : paths) out.push_back(path.ToString());
  return out;
}

TEST(TensorPaths, AKeyBelongsToTheNodeThatRecordsIt) {
  GraphBuilder b(3);
  b.Link(0, "dense", 1).Link(1, "kernel", 2).Value(2, "what/ever");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"_CHECKPOINTABLE_OBJECT_GRAPH", "dense/kernel", "what/ever"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "what/ever"), ElementsAre("root.dense.kernel", "VARIABLE_VALUE"));
  EXPECT_THAT(OwnerOf(paths, "dense/kernel"), IsEmpty());  // keys are never made up from paths
  EXPECT_THAT(OwnerOf(paths, "_CHECKPOINTABLE_OBJECT_GRAPH"), IsEmpty());
  EXPECT_THAT(OwnerOf(paths, "not stored"), IsEmpty());
  EXPECT_THAT(paths.KeysOf(2), ElementsAre("what/ever"));
  EXPECT_THAT(paths.KeysOf(1), IsEmpty());
  EXPECT_THAT(paths.absent(), IsEmpty());
}

TEST(TensorPaths, ARecordedKeyThatIsNotStoredStandsForThoseThatExtendIt) {
  GraphBuilder b(2);
  b.Link(0, "t", 1);
  b[1].attributes.push_back({"table", "", "t/.ATTRIBUTES/table"});
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"t/.ATTRIBUTES/table-keys", "t/.ATTRIBUTES/table-values", "u"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, keys[0]), ElementsAre("root.t", "table-keys"));
  EXPECT_THAT(OwnerOf(paths, keys[1]), ElementsAre("root.t", "table-values"));
  EXPECT_THAT(OwnerOf(paths, "u"), IsEmpty());
  EXPECT_THAT(paths.KeysOf(1), ElementsAre(keys[0], keys[1]));
  EXPECT_THAT(paths.absent(), IsEmpty());
}

TEST(TensorPaths, AStoredKeyStandsForItselfAlone) {
  GraphBuilder b(2);
  b.Link(0, "v", 1).Value(1, "v");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"v", "v2", "very"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "v"), ElementsAre("root.v", "VARIABLE_VALUE"));
  EXPECT_THAT(OwnerOf(paths, "v2"), IsEmpty());
}

TEST(TensorPaths, OfSeveralRecordedKeysTheLongestCounts) {
  GraphBuilder b(4);
  b.Link(0, "a", 1).Link(0, "b", 2).Link(0, "c", 3);
  b.Value(1, "t").Value(2, "t/x").Value(3, "t/z");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"s", "t-1", "t/x-1", "t/x/2", "t/y", "t/z1", "u"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "t-1"), ElementsAre("root.a", "VARIABLE_VALUE-1"));
  EXPECT_THAT(OwnerOf(paths, "t/x-1"), ElementsAre("root.b", "VARIABLE_VALUE-1"));
  EXPECT_THAT(OwnerOf(paths, "t/x/2"), ElementsAre("root.b", "VARIABLE_VALUE/2"));
  EXPECT_THAT(OwnerOf(paths, "t/y"), ElementsAre("root.a", "VARIABLE_VALUE/y"));
  EXPECT_THAT(OwnerOf(paths, "t/z1"), ElementsAre("root.c", "VARIABLE_VALUE1"));
  EXPECT_THAT(OwnerOf(paths, "s"), IsEmpty());
  EXPECT_THAT(OwnerOf(paths, "u"), IsEmpty());
}

TEST(TensorPaths, AnEmptyRecordedKeyOwnsNothing) {
  GraphBuilder b(2);
  b.Link(0, "v", 1).Value(1, "");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"a", "b"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "a"), IsEmpty());
  EXPECT_EQ(paths.absent().size(), 1u);
}

TEST(TensorPaths, TwoNodesThatRecordOneKeyTheFirstHasIt) {
  GraphBuilder b(3);
  b.Link(0, "later", 2).Link(0, "first", 1).Value(1, "k").Value(2, "k");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"k"};
  const TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "k"), ElementsAre("root.first", "VARIABLE_VALUE"));
  EXPECT_THAT(paths.KeysOf(2), IsEmpty());
}

TEST(TensorPaths, ToldAreRecordedKeysThatAreNotStored) {
  GraphBuilder b(2);
  b.Link(0, "v", 1).Value(1, "gone");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"go", "other"};
  const TensorPaths paths(graph, keys);
  ASSERT_EQ(paths.absent().size(), 1u);
  EXPECT_EQ(paths.absent()[0].node, 1);
  EXPECT_EQ(paths.absent()[0].key, "gone");
  EXPECT_EQ(paths.absent()[0].attribute, "VARIABLE_VALUE");
}

TEST(TensorPaths, AllPathsTheShortestFirst) {
  GraphBuilder b(4);
  b.Link(0, "deep", 1).Link(1, "v", 2).Link(0, "list", 3).Link(3, "0", 2).Link(0, "v", 2).Value(2, "v");
  b.Link(2, "up", 0);  // a cycle is not run through twice
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"v"};
  TensorPaths paths(graph, keys);
  EXPECT_EQ(paths.PathTo(2)->ToString(), "root.v");
  EXPECT_THAT(Texts(paths.PathsTo(2)), ElementsAre("root.v", "root.deep.v", "root.list.0"));
}

TEST(TensorPaths, NoMoreThanSixteenPaths) {
  GraphBuilder b(2);
  for (int i = 0; i < 100; ++i) b.Link(0, "n" + std::to_string(i), 1);
  const ObjectGraph graph = b.Build();
  TensorPaths paths(graph, {});
  EXPECT_EQ(paths.PathsTo(1).size(), TensorPaths::kMaxPaths);
}

TEST(TensorPaths, ASlotVariableHasTheOptimizersPath) {
  GraphBuilder b(4);
  b.Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Value(3, "v/.OPTIMIZER_SLOT/opt/m");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"v/.OPTIMIZER_SLOT/opt/m"};
  TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, keys[0]), ElementsAre("root.opt.slots.m.v", "VARIABLE_VALUE"));
  EXPECT_THAT(Texts(paths.PathsTo(3)), ElementsAre("root.opt.slots.m.v"));
  EXPECT_TRUE(paths.IsSlot(3));
  EXPECT_FALSE(paths.IsSlot(2));
}

TEST(TensorPaths, ANodeThatNothingReachesHasNoPath) {
  GraphBuilder b(2);
  b.Value(1, "k");
  const ObjectGraph graph = b.Build();
  const std::string_view keys[] = {"k"};
  TensorPaths paths(graph, keys);
  EXPECT_THAT(OwnerOf(paths, "k"), ElementsAre("", "VARIABLE_VALUE"));
  EXPECT_THAT(paths.PathsTo(1), IsEmpty());
}

}  // namespace
}  // namespace savedmodel::testing
