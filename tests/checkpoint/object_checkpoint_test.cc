#include "savedmodel/checkpoint/object_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kFloat = 1;
const std::string kData = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/";

StatusOr<ObjectCheckpoint> Open(const BundleBuilder& bundle, bool with_shard = true) {
  auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "m/ckpt");
  if (!with_shard) files->Remove("m/ckpt.data-00000-of-00001");
  return ObjectCheckpoint::Open("m/ckpt", {.file_system = files});
}

BundleBuilder WithGraph(std::string graph) {
  BundleBuilder bundle;
  bundle.AddStrings(std::string(kObjectGraphKey), {}, {std::move(graph)});
  bundle.Add({.key = "v", .dtype = kFloat, .shape = {1}, .payload = BytesOf<float>({1})});
  return bundle;
}

TEST(ObjectCheckpoint, HoldsTheGraphThatTensorFlowWrote) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint,
                          ObjectCheckpoint::Open(kData + "optimizer_slots/ckpt"));
  ASSERT_THAT(checkpoint.graph_status(), IsOk());
  ASSERT_NE(checkpoint.graph(), nullptr);
  EXPECT_GT(checkpoint.graph()->size(), 1u);
}

TEST(ObjectCheckpoint, ACheckpointOfNamesHasNone) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint,
                          ObjectCheckpoint::Open(kData + "dtypes_by_name/ckpt"));
  EXPECT_EQ(checkpoint.graph(), nullptr);
  EXPECT_THAT(checkpoint.graph_status(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("names only")));
}

TEST(ObjectCheckpoint, WithItsShardGoneTheKeysAreStillThere) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint, Open(WithGraph("\n\0"), false));
  EXPECT_EQ(checkpoint.graph(), nullptr);
  EXPECT_THAT(checkpoint.graph_status(), StatusIs(StatusCode::kNotFound, HasSubstr("data-00000-of-00001")));
  EXPECT_TRUE(checkpoint.reader().Contains("v"));
}

TEST(ObjectCheckpoint, ABrokenGraphDoesNotKeepTensorsFromBeingRead) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint, Open(WithGraph("\n\x7f")));
  EXPECT_EQ(checkpoint.graph(), nullptr);
  EXPECT_THAT(checkpoint.graph_status(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(checkpoint.reader().Read("v"), IsOk());
}

TEST(ObjectCheckpoint, AGraphThatIsNoStringIsBroken) {
  BundleBuilder bundle;
  bundle.Add(
      {.key = std::string(kObjectGraphKey), .dtype = kFloat, .shape = {}, .payload = BytesOf<float>({1})});
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint, Open(bundle));
  EXPECT_THAT(checkpoint.graph_status(), StatusIs(StatusCode::kDataLoss, HasSubstr("not one string")));
}

TEST(ObjectCheckpoint, NoIndexIsAnError) {
  EXPECT_THAT(ObjectCheckpoint::Open(kData + "optimizer_slots/other"), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace savedmodel::testing
