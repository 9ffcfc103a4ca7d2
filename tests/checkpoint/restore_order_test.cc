// Several restores of the same objects: which one gives a value, and which may be let go of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Files = std::shared_ptr<MemoryFileSystem>;

std::shared_ptr<Variable> NoValue() { return *Variable::Make({DType::kFloat32, Shape{1}}); }

// One variable at root.<name>.
Files OneVariable(const std::string& name, float value) {
  CheckpointBuilder stored;
  stored.Floats(stored.Add(kRootId, name), {value});
  return stored.Files("c");
}

// What `v` holds once it is attached by `attach`, after a read of each of `files` whose statuses are gone.
std::vector<float> AfterReads(const std::vector<Files>& files, const std::string& name) {
  auto root = MakeModule();
  Checkpoint checkpoint = *Checkpoint::Make(root);
  for (const Files& one : files) EXPECT_THAT(checkpoint.Read("c", {.file_system = one}), IsOk());
  auto v = NoValue();
  EXPECT_THAT(root->Track(name, v), IsOk());
  return FloatsOf(v);
}

TEST(RestoreOrder, AnOlderRestoreWaitsForANameThatTheNewerDoesNotHave) {
  CheckpointBuilder shared;
  const NodeId a = shared.Add(kRootId, "a");
  shared.Floats(a, {1});
  shared.Link(kRootId, "b", a);
  EXPECT_EQ(AfterReads({shared.Files("c"), OneVariable("a", 2)}, "b"), std::vector<float>{1});
  EXPECT_EQ(AfterReads({shared.Files("c"), OneVariable("a", 2)}, "a"), std::vector<float>{2});
}

TEST(RestoreOrder, TheSameBelowWhatWaits) {
  CheckpointBuilder shared;
  const NodeId m = shared.Add(kRootId, "m"), v = shared.Add(m, "a");
  shared.Floats(v, {1});
  shared.Link(m, "b", v);
  CheckpointBuilder newer;
  newer.Floats(newer.Add(newer.Add(kRootId, "m"), "a"), {2});
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  for (const Files& one : {shared.Files("c"), newer.Files("c")})
    ASSERT_THAT(checkpoint.Read("c", {.file_system = one}), IsOk());
  auto b = NoValue();
  ASSERT_THAT(root->Track("m", MakeModule({{"b", b}})), IsOk());
  EXPECT_EQ(FloatsOf(b), std::vector<float>{1});
}

TEST(RestoreOrder, AnOlderRestoreWaitsForValuesOfOtherNames) {
  CheckpointBuilder texts;
  texts.Text(texts.Add(kRootId, "x"), "py_state", "kept");
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const Files older = texts.Files("c"), newer = OneVariable("x", 2);
  ASSERT_THAT(checkpoint.Read("c", {.file_system = older}), IsOk());
  ASSERT_THAT(checkpoint.Read("c", {.file_system = newer}), IsOk());
  EXPECT_EQ(checkpoint.num_waiting(), 2u);
}

TEST(RestoreOrder, AnOlderRestoreWaitsForItsSaver) {
  CheckpointBuilder older, newer;
  auto* saver = older.graph.mutable_nodes(older.Add(kRootId, "x"))->mutable_registered_saver();
  saver->set_name("Custom.x");
  saver->set_object_name("x");
  newer.Add(kRootId, "x");  // without values: nobody waits for it
  newer.Floats(newer.Add(kRootId, "y"), {1});
  int calls = 0;
  SaverRegistry savers;
  ASSERT_THAT(
      savers.Register({.name = "Custom.x",
                       .handles = [](const Trackable& o) { return o.kind() == NodeKind::kUserObject; },
                       .restore = [&](const SaverRestore&) { return ++calls, OkStatus(); }}),
      IsOk());
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const Files first = older.Files("c"), second = newer.Files("c");
  ASSERT_THAT(checkpoint.Read("c", {.savers = &savers, .file_system = first}), IsOk());
  ASSERT_THAT(checkpoint.Read("c", {.file_system = second}), IsOk());
  ASSERT_THAT(root->Track("x", MakeModule()), IsOk());
  EXPECT_EQ(calls, 1);
}

TEST(RestoreOrder, AFileOfNamesWithoutTheNameLeavesAnOlderValueAlone) {
  BundleBuilder names;
  names.Add({.key = "other", .shape = {1}, .payload = BytesOfFloats({9})});
  auto named = std::make_shared<MemoryFileSystem>();
  names.WriteTo(*named, "c");
  EXPECT_EQ(AfterReads({OneVariable("x", 1), named}, "x"), std::vector<float>{1});
}

TEST(RestoreOrder, ARestoreThatHasGivenAllIsLetGoOf) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const Files files = OneVariable("x", 1);
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_EQ(checkpoint.num_waiting(), 1u);
  ASSERT_THAT(root->Track("x", NoValue()), IsOk());
  EXPECT_FALSE(status.waits());
  EXPECT_EQ(checkpoint.num_waiting(), 0u);
}

class Hooked : public LoggedText {
 public:
  using LoggedText::LoggedText;
  void AfterRestore() override {
    if (auto hook = std::exchange(when_restored, {})) hook();
  }
  std::function<void()> when_restored;
};

// One that is issued by a hook of another is the later one.
TEST(RestoreOrder, ARestoreIssuedWithinAnotherIsTheLater) {
  CheckpointBuilder outer;
  outer.Text(outer.Add(kRootId, "text"), "py_state", "t");
  outer.Floats(outer.Add(kRootId, "x"), {1});
  const Files outer_files = outer.Files("c"), inner_files = OneVariable("x", 2);
  auto text = std::make_shared<Hooked>(nullptr);
  auto root = MakeModule({{"text", text}});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  text->when_restored = [&] { EXPECT_THAT(checkpoint.Read("c", {.file_system = inner_files}), IsOk()); };
  ASSERT_THAT(checkpoint.Read("c", {.file_system = outer_files}), IsOk());
  auto x = NoValue();
  ASSERT_THAT(root->Track("x", x), IsOk());
  EXPECT_EQ(FloatsOf(x), std::vector<float>{2});
}

TEST(RestoreOrder, AWarningMayUseTheCheckpoint) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const Files files = OneVariable("x", 1);
  std::vector<std::string> warnings;
  RestoreOptions options{.file_system = files};
  options.warn = [&](std::string_view message) {
    warnings.emplace_back(message);
    checkpoint.StopWaiting();
  };
  for (int i = 0; i < 3; ++i) ASSERT_THAT(checkpoint.Read("c", options), IsOk());
  checkpoint.StopWaiting();
  EXPECT_THAT(warnings, ::testing::Each(HasSubstr("c.index: 1 stored value is not used: root.x")));
  EXPECT_EQ(checkpoint.num_waiting(), 0u);
}

TEST(RestoreOrder, AFailedRestoreTakesNothingThatWaits) {
  CheckpointBuilder stored;
  stored.bundle.Add({.key = stored.Attribute(stored.Add(kRootId, "save_counter")),
                     .dtype = static_cast<int64_t>(DType::kInt64),
                     .shape = {},
                     .payload = BytesOf<int64_t>({7})});
  const Files files = stored.Files("c");
  for (bool own_root : {true, false}) {
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, own_root ? Checkpoint::Make(std::vector<NamedObject>())
                                                            : Checkpoint::Make(MakeModule()));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus read, checkpoint.Read("c", {.file_system = files}));
    EXPECT_THAT(checkpoint.Restore("missing", {.file_system = files}), StatusIs(StatusCode::kNotFound));
    EXPECT_EQ(checkpoint.save_counter(), nullptr);
    ASSERT_THAT(checkpoint.Restore(std::nullopt), IsOk());
    EXPECT_EQ(*checkpoint.save_counter()->Read(), *Tensor::FromValues<int64_t>({}, {7}));
  }
}

TEST(RestoreOrder, NamesOfTheCheckpointsOwnAreRefused) {
  EXPECT_THAT(Checkpoint::Make({{"save_counter", NoValue()}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("reserved")));
  auto root = MakeModule();
  EXPECT_THAT(Checkpoint::Make(root, {{"save_counter", NoValue()}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("reserved")));
  EXPECT_THAT(Checkpoint::Make(root, {{"root", MakeModule()}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("reserved")));
  EXPECT_THAT(Checkpoint::Make(root, {{"root", root}}), IsOk());
}

TEST(RestoreOrder, WhatASaverFailedToRestoreFailsTheAssertions) {
  CheckpointBuilder stored;
  auto* saver = stored.graph.mutable_nodes(stored.Add(kRootId, "x"))->mutable_registered_saver();
  saver->set_name("Custom.x");
  saver->set_object_name("x");
  SaverRegistry savers;
  ASSERT_THAT(
      savers.Register({.name = "Custom.x",
                       .handles = [](const Trackable& o) { return o.kind() == NodeKind::kUserObject; },
                       .restore = [](const SaverRestore&) { return Status(StatusCode::kDataLoss, "no"); }}),
      IsOk());
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const Files files = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("c", {.savers = &savers, .file_system = files}));
  ASSERT_THAT(root->Track("x", MakeModule()), IsOk());
  EXPECT_THAT(status.AssertExistingObjectsMatched(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(status.AssertConsumed(), StatusIs(StatusCode::kDataLoss));
}

// By a name that is not there, a key that is not there, a node that records nothing.
TEST(RestoreOrder, InitialisersRunForEveryWayOfGettingNoValue) {
  BundleBuilder names;
  names.Add({.key = "other", .shape = {1}, .payload = BytesOfFloats({9})});
  auto named = std::make_shared<MemoryFileSystem>();
  names.WriteTo(*named, "c");
  CheckpointBuilder no_key, no_attribute;
  no_key.Attribute(no_key.Add(kRootId, "x"));
  no_attribute.Add(kRootId, "x");
  for (const Files& files : {named, no_key.Files("c"), no_attribute.Files("c")}) {
    auto x = NoValue();
    x->set_initializer([]() -> StatusOr<Tensor> { return FloatsTensor({4}); });
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(MakeModule({{"x", x}})));
    SM_ASSERT_OK_AND_ASSIGN(RestoreStatus status,
                            checkpoint.Read("c", {.allow_partial_checkpoint = true, .file_system = files}));
    EXPECT_FALSE(x->initialized());
    EXPECT_THAT(status.InitializeOrRestore(), IsOk());
    EXPECT_EQ(FloatsOf(x), std::vector<float>{4});
  }
}

// A slot that is the variable itself: the optimizer is not left with one that has no value.
TEST(RestoreOrder, ASlotThatIsNoSlotIsNotAdopted) {
  CheckpointBuilder stored;
  const NodeId v = stored.Add(kRootId, "v"), optimizer = stored.Add(kRootId, "optimizer");
  stored.Floats(v, {1});
  auto* slot = stored.graph.mutable_nodes(optimizer)->add_slot_variables();
  slot->set_original_variable_node_id(v);
  slot->set_slot_name("m");
  slot->set_slot_variable_node_id(v);
  const Files files = stored.Files("c");
  auto variable = NoValue();
  auto live = std::make_shared<Optimizer>();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                          Checkpoint::Make(MakeModule({{"v", variable}, {"optimizer", live}})));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_EQ(FloatsOf(variable), std::vector<float>{1});
  EXPECT_THAT(live->slot_names(), IsEmpty());
  EXPECT_THAT(status.conflicts(), SizeIs(1));
}

}  // namespace
}  // namespace savedmodel::testing
