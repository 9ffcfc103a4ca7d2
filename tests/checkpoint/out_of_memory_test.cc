// Every allocation of a call fails in turn: the call says so and throws nothing. Restore: restore_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/checkpoint_state.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/checkpoint/verify_checkpoint.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/fail_each_allocation.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::FailEachAllocation;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::kCanFailAllocations;

const std::string kPrefix = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/optimizer_slots/ckpt";

class OutOfMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kCanFailAllocations) GTEST_SKIP() << "sanitizers bring their own operator new";
  }
};

TEST_F(OutOfMemoryTest, OpeningACheckpoint) {
  FailEachAllocation([] { return ObjectCheckpoint::Open(kPrefix).status(); });
}

TEST_F(OutOfMemoryTest, ReadingItsGraph) {
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(kPrefix));
  FailEachAllocation([&] { return ReadObjectGraph(reader).status(); });
}

TEST_F(OutOfMemoryTest, VerifyingACheckpoint) {
  const Control control{.threads = 1};
  FailEachAllocation([&] { return VerifyCheckpoint(kPrefix, {}, control).status(); });
}

TEST_F(OutOfMemoryTest, ReadingTheStateOfADirectory) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add("d/checkpoint",
             Buffer::FromString("model_checkpoint_path: \"a name that is not short at all\"\n"
                                "all_model_checkpoint_paths: \"a name that is not short\"\n"));
  FailEachAllocation([&] { return ReadCheckpointState("d/checkpoint", files).status(); });
}

// The values of an object that takes all that is stored for the node.
std::vector<CheckpointValue> StoredValues(const Node& node, const BundleReader& reader) {
  std::vector<CheckpointValue> values;
  for (const Attribute& attribute : node.attributes) {
    const StatusOr<TensorInfo> info = reader.Find(attribute.checkpoint_key);
    EXPECT_THAT(info, IsOk());
    values.push_back({.name = attribute.name, .spec = {info->dtype, info->shape}});
  }
  return values;
}

TEST_F(OutOfMemoryTest, PlanningARestore) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectCheckpoint checkpoint, ObjectCheckpoint::Open(kPrefix));
  const ObjectGraph& graph = *checkpoint.graph();
  std::vector<WantedNode> wanted;
  std::vector<std::vector<CheckpointValue>> values;
  for (size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    wanted.push_back({.target = id, .stored = id});
    values.push_back(StoredValues(graph.node(id), checkpoint.reader()));
  }
  const RestorePlanInput input = {
      .wanted = wanted,
      .stored = &graph,
      .reader = &checkpoint.reader(),
      .name = [](NodeId) { return std::string("a name that is not short at all"); },
      .values = [&](NodeId id) { return values[static_cast<size_t>(id)]; }};
  FailEachAllocation([&] { return PlanRestore(input).status(); });
}

}  // namespace
}  // namespace savedmodel
