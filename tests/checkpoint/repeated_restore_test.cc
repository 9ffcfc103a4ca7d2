// What a thousand restores, and a tree of a million objects, cost.
#include <gtest/gtest.h>
#include <malloc.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/object_graph/snapshot.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::testing {
namespace {

// Variables of several sizes, an optimizer with slots, and a part that the program does not have.
CheckpointBuilder TrainingState(float value) {
  CheckpointBuilder stored;
  const NodeId optimizer = stored.Add(kRootId, "optimizer"), gone = stored.Add(kRootId, "gone");
  stored.Float(stored.Add(optimizer, "iterations"), value);
  for (int i = 0; i < 20; ++i) {
    const NodeId v = stored.Add(kRootId, "v" + std::to_string(i));
    stored.Floats(v, std::vector<float>(static_cast<size_t>(i * 100 + 1), value));
    stored.Floats(stored.Slot(optimizer, v, "m"),
                  std::vector<float>(static_cast<size_t>(i * 100 + 1), value + 1));
  }
  stored.Floats(stored.Add(gone, "w"), {value});
  const NodeId unbuilt = stored.Add(gone, "unbuilt");
  stored.Floats(unbuilt, {value});
  stored.Floats(stored.Slot(optimizer, unbuilt, "m"), {value});
  return stored;
}

struct Footprint {
  size_t descriptors = 0;
  size_t mappings = 0;
  size_t heap = 0;

  static Footprint Now() {
    Footprint now;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
      ++now.descriptors;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++now.mappings;
    now.heap = mallinfo2().uordblks;
    return now;
  }
};

TEST(RepeatedRestore, AThousandRestoresChangeNothingButValues) {
  const TempDir directory;
  for (const char* name : {"first", "second"}) {
    for (const auto& [file, content] : TrainingState(name[0] == 'f' ? 100 : 200).Encode(name))
      directory.WriteFile(file, content);
  }
  auto root = MakeModule();
  std::vector<std::shared_ptr<Variable>> variables;
  auto optimizer = std::make_shared<Optimizer>();
  ASSERT_THAT(root->Track("optimizer", optimizer), IsOk());
  for (int i = 0; i < 20; ++i) {
    variables.push_back(MakeFloats(std::vector<float>(static_cast<size_t>(i * 100 + 1), -1)));
    ASSERT_THAT(root->Track("v" + std::to_string(i), variables.back()), IsOk());
  }
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const RestoreOptions options{.control = {.threads = 1}};
  const auto restore = [&](int i) {
    const bool first = i % 2 == 0;
    const StatusOr<RestoreStatus> status =
        checkpoint.Restore(directory.Path(first ? "first" : "second"), options);
    ASSERT_THAT(status, IsOk());
    for (size_t v = 0; v < variables.size(); ++v) {
      ASSERT_EQ(FloatsOf(variables[v])[v], first ? 100 : 200);
      ASSERT_EQ(FloatsOf(optimizer->Slot(*variables[v], "m"))[v], first ? 101 : 201);
    }
    ASSERT_EQ(checkpoint.num_waiting(), 1u);
    ASSERT_EQ(root->num_listeners(), 1u);
  };
  for (int i = 0; i < 10; ++i) restore(i);
  const Footprint before = Footprint::Now();
  const size_t nodes = Snapshot(root, GraphView::kCheckpoint).objects.size();
  for (int i = 0; i < 1000; ++i) restore(i);
  const Footprint after = Footprint::Now();
  EXPECT_EQ(Snapshot(root, GraphView::kCheckpoint).objects.size(), nodes);
  EXPECT_EQ(after.descriptors, before.descriptors);
  if (kCanFailAllocations) {  // else the allocator is a sanitizer's, which maps memory as it likes
    EXPECT_LE(after.mappings, before.mappings + 2) << "the allocator may take a few";
    EXPECT_LE(after.heap, before.heap + 16 * 1024);
  }
}

// A million; where tests run by emulation, as those of the other byte order do, fewer.
constexpr int kDeep = std::endian::native == std::endian::little ? 1'000'000 : 50'000;

// root.n.n.n...v: a chain of objects.
std::pair<std::shared_ptr<Module>, std::shared_ptr<Variable>> DeepTree() {
  auto v = MakeFloats({-1});
  auto top = MakeModule({{"v", v}});
  for (int i = 0; i < kDeep; ++i) {
    auto above = std::make_shared<Module>();
    EXPECT_THAT(above->Track("n", std::move(top)), IsOk());
    top = std::move(above);
  }
  return {top, v};
}

std::shared_ptr<MemoryFileSystem> DeepFiles() {
  CheckpointBuilder stored;
  NodeId node = kRootId;
  for (int i = 0; i < kDeep; ++i) node = stored.Add(node, "n");
  stored.Floats(stored.Add(node, "v"), {5});
  return stored.Files("c");
}

TEST(RepeatedRestore, ADeepTreeIsRestoredAtOnceAndWhenItAppears) {
  const auto files = DeepFiles();
  {
    auto [root, v] = DeepTree();
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
    EXPECT_EQ(FloatsOf(v), std::vector<float>{5});
    EXPECT_THAT(status.AssertConsumed(), IsOk());
  }
  auto [deep, v] = DeepTree();
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  ASSERT_THAT(root->Track("n", deep->Child("n")), IsOk());
  EXPECT_EQ(FloatsOf(v), std::vector<float>{5});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

// Attached one below the other: each step costs what is new, not what is there.
TEST(RepeatedRestore, ADeepTreeThatGrowsObjectByObject) {
  const auto files = DeepFiles();
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  std::shared_ptr<Module> last = root;
  for (int i = 0; i < kDeep; ++i) {
    auto next = std::make_shared<Module>();
    (void)last->Track("n", next);
    last = std::move(next);
  }
  auto v = MakeFloats({-1});
  ASSERT_THAT(last->Track("v", v), IsOk());
  EXPECT_EQ(FloatsOf(v), std::vector<float>{5});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

}  // namespace
}  // namespace savedmodel::testing
