// Restores that come before their objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// root.dense.kernel = first, root.dense.bias = first + 1.
std::shared_ptr<MemoryFileSystem> Dense(float first) {
  CheckpointBuilder stored;
  const NodeId dense = stored.Add(kRootId, "dense");
  stored.Floats(stored.Add(dense, "kernel"), {first});
  stored.Floats(stored.Add(dense, "bias"), {first + 1});
  return stored.Files("c");
}

TEST(DeferredRestore, B37_WhatWaitsIsToldAndComesWithTheObjects) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_TRUE(status.waits());
  EXPECT_EQ(checkpoint.num_waiting(), 1u);
  EXPECT_THAT(status.unused_values(), ElementsAre(Field(&UnusedValue::path, "root.dense.kernel"),
                                                  Field(&UnusedValue::path, "root.dense.bias")));
  EXPECT_THAT(status.AssertExistingObjectsMatched(), IsOk());
  EXPECT_THAT(status.AssertNontrivialMatch(), StatusIs(StatusCode::kFailedPrecondition));

  auto dense = MakeModule();
  ASSERT_THAT(root->Track("dense", dense), IsOk());
  EXPECT_THAT(status.AssertConsumed(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("2 stored values")));
  auto kernel = MakeFloats({-1}), bias = MakeFloats({-1});
  ASSERT_THAT(dense->Track("kernel", kernel), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{1});
  ASSERT_THAT(dense->Track("bias", bias), IsOk());
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{2});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  EXPECT_FALSE(status.waits());
}

TEST(DeferredRestore, ABuiltTreeIsRestoredWhenItIsAttached) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  auto kernel = MakeFloats({-1}), bias = MakeFloats({-1});
  ASSERT_THAT(root->Track("dense", MakeModule({{"kernel", kernel}, {"bias", bias}})), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{1});
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{2});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

// The values are those of the files that were there, whatever has become of their names.
TEST(DeferredRestore, B37_FilesMayGoMeanwhile) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  {
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  }
  files->Remove("c.index");
  files->Remove("c.data-00000-of-00001");
  auto kernel = MakeFloats({-1});
  ASSERT_THAT(root->Track("dense", MakeModule({{"kernel", kernel}})), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{1});
}

TEST(DeferredRestore, WaitsAsLongAsTheCheckpointOrAStatusLives) {
  const auto files = Dense(1);
  for (bool keeps_checkpoint : {true, false}) {
    for (bool keeps_status : {true, false}) {
      auto root = MakeModule();
      std::optional<RestoreStatus> status;
      std::optional<Checkpoint> checkpoint;
      {
        SM_ASSERT_OK_AND_ASSIGN(Checkpoint made, Checkpoint::Make(root));
        SM_ASSERT_OK_AND_ASSIGN(RestoreStatus issued, made.Read("c", {.file_system = files}));
        if (keeps_status) status = issued;
        if (keeps_checkpoint) checkpoint = std::move(made);
      }
      auto kernel = MakeFloats({-1});
      ASSERT_THAT(root->Track("dense", MakeModule({{"kernel", kernel}})), IsOk());
      EXPECT_EQ(FloatsOf(kernel)[0], keeps_checkpoint || keeps_status ? 1 : -1);
    }
  }
}

TEST(DeferredRestore, StopWaitingLetsGo) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  ASSERT_THAT(checkpoint.Read("c", {.file_system = files}), IsOk());
  EXPECT_EQ(root->num_listeners(), 1u);
  checkpoint.StopWaiting();
  EXPECT_EQ(root->num_listeners(), 0u);
  auto kernel = MakeFloats({-1});
  ASSERT_THAT(root->Track("dense", MakeModule({{"kernel", kernel}})), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{-1});
}

TEST(DeferredRestore, Case33_OfSeveralRestoresTheLastIssuedWins) {
  for (bool from_the_top : {true, false}) {
    auto root = MakeModule();
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    const auto first = Dense(10), second = Dense(20);
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus older, checkpoint.Read("c", {.file_system = first}));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus newer, checkpoint.Read("c", {.file_system = second}));
    auto dense = MakeModule();
    auto kernel = MakeFloats({-1});
    if (from_the_top) {
      ASSERT_THAT(root->Track("dense", dense), IsOk());
      ASSERT_THAT(dense->Track("kernel", kernel), IsOk());
    } else {
      ASSERT_THAT(dense->Track("kernel", kernel), IsOk());
      ASSERT_THAT(root->Track("dense", dense), IsOk());
    }
    EXPECT_EQ(FloatsOf(kernel), std::vector<float>{20});
    EXPECT_THAT(older.AssertExistingObjectsMatched(), IsOk());
    EXPECT_THAT(newer.AssertExistingObjectsMatched(), IsOk());
    EXPECT_THAT(older.restored(), IsEmpty());
  }
}

// What only the older one has still comes from it.
TEST(DeferredRestore, AnOlderRestoreThatHasMoreGoesOnWaiting) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto first = Dense(10);
  CheckpointBuilder only_kernel;
  only_kernel.Floats(only_kernel.Add(only_kernel.Add(kRootId, "dense"), "kernel"), {30});
  const auto second = only_kernel.Files("c");
  ASSERT_THAT(checkpoint.Read("c", {.file_system = first}), IsOk());
  ASSERT_THAT(checkpoint.Read("c", {.file_system = second}), IsOk());
  EXPECT_EQ(checkpoint.num_waiting(), 2u);
  auto kernel = MakeFloats({-1}), bias = MakeFloats({-1});
  ASSERT_THAT(root->Track("dense", MakeModule({{"kernel", kernel}, {"bias", bias}})), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{30});
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{11});
}

TEST(DeferredRestore, ANewerRestoreOfAsMuchReleasesTheOlder) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto first = Dense(10), second = Dense(20);
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(checkpoint.Read("c", {.file_system = first}), IsOk());
    ASSERT_THAT(checkpoint.Read("c", {.file_system = second}), IsOk());
    EXPECT_EQ(checkpoint.num_waiting(), 1u);
    EXPECT_EQ(root->num_listeners(), 1u);
  }
}

// The newer restore does not know the module that the program keeps outside of the tree.
TEST(DeferredRestore, AnOlderRestoreThatAnObjectOutsideTheTreeWaitsForGoesOn) {
  auto root = MakeModule(), dense = MakeModule();
  ASSERT_THAT(root->Track("dense", dense), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto first = Dense(10), second = Dense(20);
  ASSERT_THAT(checkpoint.Read("c", {.file_system = first}), IsOk());
  root->Untrack("dense");
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(checkpoint.Read("c", {.file_system = second}), IsOk());
    EXPECT_EQ(checkpoint.num_waiting(), 2u);
  }
  auto kernel = MakeFloats({-1});
  ASSERT_THAT(dense->Track("kernel", kernel), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{10});
}

// Attaching never fails for a file's sake: the status says what went wrong, the object is as it was.
TEST(DeferredRestore, TheErrorOfADeferredReadSitsInTheStatus) {
  CheckpointBuilder stored;
  stored.Floats(stored.Add(kRootId, "sound"), {1});
  stored.Floats(stored.Add(kRootId, "damaged"), {2});
  stored.bundle.shards[0][5] ^= 1;
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  auto damaged = MakeFloats({-1}), sound = MakeFloats({-1}), wrong = MakeFloats({-1, -1});
  EXPECT_THAT(root->Track("damaged", damaged), IsOk());
  EXPECT_THAT(root->Track("sound", sound), IsOk());
  EXPECT_EQ(FloatsOf(damaged), std::vector<float>{-1});
  EXPECT_EQ(damaged->restored_by(), 0u);
  EXPECT_EQ(FloatsOf(sound), std::vector<float>{1});
  EXPECT_THAT(status.deferred_errors(), ElementsAre(StatusIs(StatusCode::kDataLoss)));
  EXPECT_THAT(status.AssertConsumed(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(status.AssertExistingObjectsMatched(), StatusIs(StatusCode::kDataLoss));
}

TEST(DeferredRestore, AWaitingValueThatDoesNotFitIsAnErrorOfTheStatus) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  auto wrong = MakeFloats({-1, -1}), bias = MakeFloats({-1});
  EXPECT_THAT(root->Track("dense", MakeModule({{"kernel", wrong}, {"bias", bias}})), IsOk());
  EXPECT_EQ(FloatsOf(wrong), (std::vector<float>{-1, -1}));
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{-1}) << "what comes together is restored together";
  EXPECT_THAT(status.deferred_errors(),
              ElementsAre(StatusIs(StatusCode::kInvalidArgument, HasSubstr("root.dense.kernel"))));
}

TEST(DeferredRestore, AVariableMadeByItsParentTakesTheWaitingValue) {
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Dense(1);
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  auto dense = MakeModule();
  ASSERT_THAT(root->Track("dense", dense), IsOk());
  int calls = 0;
  const auto initializer = [&]() -> StatusOr<Tensor> { return ++calls, FloatsTensor({9}); };
  const TensorSpec spec{DType::kFloat32, Shape{1}};
  SM_ASSERT_OK_AND_ASSIGN(auto kernel, dense->AddVariable("kernel", spec, initializer));
  SM_ASSERT_OK_AND_ASSIGN(auto extra, dense->AddVariable("extra", spec, initializer));
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{1});
  EXPECT_EQ(FloatsOf(extra), std::vector<float>{9});
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(dense->AddVariable("kernel", spec), StatusIs(StatusCode::kAlreadyExists));
}

// A module that builds its children when it is told that it was restored.
class Lazy : public Module {
 public:
  void AfterRestore() override {}
  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "units", .spec = {DType::kFloat32, Shape{1}}}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    if (!values[0]) return Status(StatusCode::kInvalidArgument, "no units");
    kernel = MakeFloats({-1});
    return Track("kernel", kernel);
  }
  std::shared_ptr<Variable> kernel;
};

TEST(DeferredRestore, ChildrenMadeInTheMiddleOfARestoreAreRestoredAfterIt) {
  CheckpointBuilder stored;
  const NodeId lazy = stored.Add(kRootId, "lazy");
  stored.bundle.Add({.key = stored.Attribute(lazy, "units"), .shape = {1}, .payload = BytesOfFloats({8})});
  stored.Floats(stored.Add(lazy, "kernel"), {5});
  const auto files = stored.Files("c");
  for (bool deferred : {false, true}) {
    auto root = MakeModule();
    auto object = std::make_shared<Lazy>();
    if (!deferred) {
      ASSERT_THAT(root->Track("lazy", object), IsOk());
    }
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
    if (deferred) {
      ASSERT_THAT(root->Track("lazy", object), IsOk());
    }
    EXPECT_EQ(FloatsOf(object->kernel), std::vector<float>{5});
    EXPECT_THAT(status.AssertConsumed(), IsOk());
  }
}

TEST(DeferredRestore, OutOfMemoryWhileAttachingIsAnErrorOfTheStatus) {
  if (!kCanFailAllocations) GTEST_SKIP() << "a sanitizer has its own operator new";
  CheckpointBuilder stored;
  const NodeId stored_dense = stored.Add(kRootId, "dense");
  stored.Floats(stored.Add(stored_dense, "kernel"), {1});
  stored.Floats(stored.Add(stored_dense, "bias"), {2});
  stored.Floats(stored.Add(kRootId, "later"), {7});
  const auto files = stored.Files("c");
  size_t errors = 0, restored = 0;
  for (uint64_t n = 1; n < 2000; ++n) {
    auto root = MakeModule();
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                            checkpoint.Read("c", {.file_system = files, .control = {.threads = 1}}));
    auto kernel = MakeFloats({-1}), bias = MakeFloats({-1});
    auto dense = MakeModule({{"kernel", kernel}, {"bias", bias}});
    Status tracked;
    AllocationFaults faults(n);
    EXPECT_NO_THROW(tracked = root->Track("dense", dense));
    faults.Stop();
    const bool is_new = FloatsOf(kernel) == std::vector<float>{1} && FloatsOf(bias) == std::vector<float>{2};
    const bool is_old =
        FloatsOf(kernel) == std::vector<float>{-1} && FloatsOf(bias) == std::vector<float>{-1};
    EXPECT_TRUE(is_new || is_old) << n;
    if (is_old) {
      EXPECT_FALSE(status.AssertConsumed().ok()) << n;
    }
    errors += status.deferred_errors().size();
    restored += is_new ? 1 : 0;
    // Whatever was lost, what comes later is restored.
    root->Untrack("dense");
    dense = nullptr;
    auto later = MakeFloats({-1});
    ASSERT_THAT(root->Track("later", later), IsOk());
    EXPECT_EQ(FloatsOf(later), std::vector<float>{7}) << n;
    if (!faults.happened()) {
      EXPECT_TRUE(is_new && tracked.ok());
      break;
    }
  }
  EXPECT_GT(errors, 10u);
  EXPECT_GT(restored, 0u);
}

// An object of a saver that is not there fails once; what comes later is restored.
TEST(DeferredRestore, AFailureIsNotTriedAgain) {
  CheckpointBuilder stored;
  stored.graph.mutable_nodes(stored.Add(kRootId, "table"))->mutable_registered_saver()->set_name("none");
  stored.Floats(stored.Add(kRootId, "v"), {1});
  const auto files = stored.Files("c");
  auto root = MakeModule();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  ASSERT_THAT(root->Track("table", MakeModule()), IsOk());
  root->Untrack("table");  // and it is gone
  auto v = MakeFloats({-1});
  ASSERT_THAT(root->Track("v", v), IsOk());
  EXPECT_EQ(FloatsOf(v), std::vector<float>{1});
  EXPECT_THAT(status.deferred_errors(), ElementsAre(StatusIs(StatusCode::kNotFound)));
}

// ---- Slots

struct WithSlots {
  CheckpointBuilder stored;
  NodeId v = stored.Add(kRootId, "v");
  NodeId optimizer = stored.Add(kRootId, "optimizer");
  NodeId m = stored.Slot(optimizer, v, "m");
  WithSlots() {
    stored.Floats(v, {13});
    stored.Floats(m, {14});
  }
};

TEST(DeferredRestore, Case35_SlotsComeInEveryOrder) {
  const auto files = WithSlots().stored.Files("c");
  const std::vector<std::string> orders = {"vor", "ovr", "vro", "orv", "rvo", "rov"};
  for (const std::string& order : orders) {
    SCOPED_TRACE(order);
    auto root = MakeModule();
    auto v = MakeFloats({-1});
    auto optimizer = std::make_shared<Optimizer>();
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    std::optional<RestoreStatus> status;
    for (char step : order) {
      if (step == 'v') {
        ASSERT_THAT(root->Track("v", v), IsOk());
      } else if (step == 'o') {
        ASSERT_THAT(root->Track("optimizer", optimizer), IsOk());
      }
      if (step != 'r') continue;
      SM_ASSERT_OK_AND_ASSIGN(status, checkpoint.Read("c", {.file_system = files}));
    }
    EXPECT_EQ(FloatsOf(v), std::vector<float>{13});
    EXPECT_EQ(FloatsOf(optimizer->Slot(*v, "m")), std::vector<float>{14});
    EXPECT_THAT(status->AssertConsumed(), IsOk());
  }
}

TEST(DeferredRestore, Case35_SkippedSlotsAreNotAskedFor) {
  const auto files = WithSlots().stored.Files("c");
  auto v = MakeFloats({-1});
  auto optimizer = std::make_shared<Optimizer>();
  SM_ASSERT_OK_AND_ASSIGN(auto m,
                          optimizer->GetOrMakeSlot(v, "m", v->spec(), [] { return FloatsTensor({-2}); }));
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                          Checkpoint::Make(MakeModule({{"v", v}, {"optimizer", optimizer}})));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("c", {.skip_slot_variables = true, .file_system = files}));
  EXPECT_EQ(FloatsOf(m), std::vector<float>{-2});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  EXPECT_FALSE(status.waits());
}

// A slot with children of its own cannot be made from its tensor: it waits for the program to make it.
TEST(DeferredRestore, ASlotThatTheProgramHasToMakeIsRestoredThen) {
  WithSlots files_with;
  files_with.stored.Floats(files_with.stored.Add(files_with.m, "more"), {15});
  const auto files = files_with.stored.Files("c");
  auto v = MakeFloats({-1});
  auto optimizer = std::make_shared<Optimizer>();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                          Checkpoint::Make(MakeModule({{"v", v}, {"optimizer", optimizer}})));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_EQ(optimizer->Slot(*v, "m"), nullptr);
  EXPECT_THAT(status.AssertConsumed(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.optimizer.slots.m.v")));
  SM_ASSERT_OK_AND_ASSIGN(auto m,
                          optimizer->GetOrMakeSlot(v, "m", v->spec(), [] { return FloatsTensor({-2}); }));
  EXPECT_EQ(FloatsOf(m), std::vector<float>{14});
}

TEST(DeferredRestore, NoSlotIsMadeWhenTheRestoreFails) {
  WithSlots files_with;
  files_with.stored.Floats(files_with.stored.Add(kRootId, "z"), {1, 2});
  const auto files = files_with.stored.Files("c");
  auto v = MakeFloats({-1}), misfit = MakeFloats({-1});
  auto optimizer = std::make_shared<Optimizer>();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                          Checkpoint::Make(MakeModule({{"v", v}, {"optimizer", optimizer}, {"z", misfit}})));
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(optimizer->slot_names(), IsEmpty());
  EXPECT_EQ(FloatsOf(v), std::vector<float>{-1});
}

TEST(DeferredRestore, TheSaveCounterOfAnEarlierReadIsTakenUp) {
  CheckpointBuilder stored;
  stored.Floats(stored.Add(kRootId, "v"), {1});
  stored.bundle.Add({.key = stored.Attribute(stored.Add(kRootId, "save_counter")),
                     .dtype = static_cast<int64_t>(DType::kInt64),
                     .shape = {},
                     .payload = BytesOf<int64_t>({41})});
  const auto files = stored.Files("c");
  auto v = MakeFloats({-1});
  for (bool own_root : {false, true}) {
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, own_root ? Checkpoint::Make({{"v", v}})
                                                            : Checkpoint::Make(MakeModule({{"v", v}})));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus read, checkpoint.Read("c", {.file_system = files}));
    EXPECT_EQ(checkpoint.save_counter(), nullptr);
    EXPECT_THAT(read.AssertConsumed(),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.save_counter")));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus nothing, checkpoint.Restore(std::nullopt));
    SM_ASSERT_OK_AND_ASSIGN(const Tensor counter, checkpoint.save_counter()->Read());
    EXPECT_EQ((*counter.View<int64_t>())[0], 41);
    EXPECT_THAT(read.AssertConsumed(), IsOk());
  }
}

}  // namespace
}  // namespace savedmodel::testing
