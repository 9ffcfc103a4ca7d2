#include "savedmodel/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/containers.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/support/fail_each_allocation.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// root.dense.kernel, root.dense.bias, root.text (a state).
CheckpointBuilder SmallModel() {
  CheckpointBuilder stored;
  const NodeId dense = stored.Add(kRootId, "dense");
  stored.Floats(stored.Add(dense, "kernel"), {1, 2});
  stored.Floats(stored.Add(dense, "bias"), {3});
  stored.Text(stored.Add(kRootId, "text"), "py_state", "new");
  return stored;
}

struct SmallLive {
  EventLog log;
  std::shared_ptr<Variable> kernel = MakeFloats({-1, -1}), bias = MakeFloats({-1});
  std::shared_ptr<LoggedText> text = std::make_shared<LoggedText>(&log);
  std::shared_ptr<Module> root =
      MakeModule({{"dense", MakeModule({{"kernel", kernel}, {"bias", bias}})}, {"text", text}});

  bool IsOld() const {
    return FloatsOf(kernel) == std::vector<float>{-1, -1} && FloatsOf(bias) == std::vector<float>{-1} &&
           text->text == "old";
  }
  bool IsNew() const {
    return FloatsOf(kernel) == std::vector<float>{1, 2} && FloatsOf(bias) == std::vector<float>{3} &&
           text->text == "new";
  }
};

TEST(Checkpoint, GivesEveryObjectItsValue) {
  SmallLive live;
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const auto files = SmallModel().Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_TRUE(live.IsNew());
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  EXPECT_THAT(status.AssertNontrivialMatch(), IsOk());
  EXPECT_FALSE(status.waits());
  EXPECT_EQ(checkpoint.num_waiting(), 0u);
  EXPECT_GT(status.bytes_read(), 12u);
}

TEST(Checkpoint, ReportsWhichKeysEachObjectCameFrom) {
  for (int threads : {1, 8}) {
    SmallLive live;
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
    const auto files = SmallModel().Files("c");
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                            checkpoint.Read("c", {.file_system = files, .control = {.threads = threads}}));
    std::map<std::string, std::vector<std::string>> keys;
    for (const RestoredObject& object : status.restored()) keys[object.path] = object.keys;
    EXPECT_THAT(
        keys,
        ElementsAre(::testing::Pair("root.dense.bias", ElementsAre("node-3/.ATTRIBUTES/VARIABLE_VALUE")),
                    ::testing::Pair("root.dense.kernel", ElementsAre("node-2/.ATTRIBUTES/VARIABLE_VALUE")),
                    ::testing::Pair("root.text", ElementsAre("node-4/.ATTRIBUTES/py_state"))));
  }
}

// Case 40: a live dtype or shape that does not fit names all offenders, and nothing has changed.
TEST(Checkpoint, Case40_WhatDoesNotFitIsToldWholeAndChangesNothing) {
  SmallLive live;
  live.root->ChildAs<Module>("dense")->Untrack("bias");
  ASSERT_THAT(live.root->Child("dense")->Track("bias", MakeFloats({7, 8, 9})), IsOk());
  ASSERT_THAT(live.root->Track("text", MakeFloats({5})), IsOk());  // another kind of object
  CheckpointBuilder stored = SmallModel();
  stored.Floats(stored.Add(kRootId, "third"), {1, 2, 3});
  auto third = *Variable::Make({DType::kFloat64, Shape{3}});
  ASSERT_THAT(live.root->Track("third", third), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const auto files = stored.Files("c");
  EXPECT_THAT(
      checkpoint.Restore("c", {.file_system = files}),
      StatusIs(StatusCode::kInvalidArgument, AllOf(HasSubstr("3 in all"), HasSubstr("root.dense.bias"),
                                                   HasSubstr("root.third"), HasSubstr("root.text"))));
  EXPECT_EQ(FloatsOf(live.kernel), (std::vector<float>{-1, -1}));
  EXPECT_FALSE(third->initialized());
  EXPECT_EQ(checkpoint.save_counter(), nullptr);
  EXPECT_EQ(live.kernel->restored_by(), 0u);
  EXPECT_EQ(live.root->num_listeners(), 0u);
}

TEST(Checkpoint, AFailedReadChangesNothing) {
  const FileMap sound = SmallModel().Encode("c");
  for (const char* damaged : {"c.index", "c.data-00000-of-00001"}) {
    SmallLive live;
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
    FileMap broken = sound;
    broken[damaged][0] = static_cast<char>(broken[damaged][0] ^ 0x40);
    auto files = std::make_shared<MemoryFileSystem>();
    WriteFiles(broken, *files);
    EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}), StatusIs(StatusCode::kDataLoss)) << damaged;
    EXPECT_TRUE(live.IsOld());
    EXPECT_EQ(checkpoint.save_counter(), nullptr);
  }
}

// The damaged graph is not taken for a checkpoint of names, whatever its variables are called.
TEST(Checkpoint, ADamagedObjectGraphIsNotACheckpointOfNames) {
  auto variable = MakeFloats({-1, -1}, "node-2/.ATTRIBUTES/VARIABLE_VALUE");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(MakeModule({{"v", variable}})));
  CheckpointBuilder stored = SmallModel();
  stored.graph.mutable_nodes(0)->add_children()->set_node_id(1000);
  const auto files = stored.Files("c");
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}), StatusIs(StatusCode::kDataLoss));
  const auto no_shard = SmallModel().Files("c");
  no_shard->Remove("c.data-00000-of-00001");
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = no_shard}), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(FloatsOf(variable), (std::vector<float>{-1, -1}));
}

// B52: the error names path and key; in partial mode the object is skipped and reported.
TEST(Checkpoint, B52_AKeyThatTheGraphNamesAndTheIndexLacks) {
  CheckpointBuilder stored = SmallModel();
  stored.Attribute(stored.Add(kRootId, "iter"));
  const auto files = stored.Files("c");
  SmallLive live;
  auto iter = MakeFloats({-1});
  ASSERT_THAT(live.root->Track("iter", iter), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  EXPECT_THAT(
      checkpoint.Restore("c", {.file_system = files}),
      StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("root.iter"), HasSubstr("node-5/.ATTRIBUTES"))));
  EXPECT_TRUE(live.IsOld());
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("c", {.allow_partial_checkpoint = true, .file_system = files}));
  EXPECT_TRUE(live.IsNew());
  EXPECT_THAT(status.unrestored_objects(), ElementsAre(Field(&UnrestoredObject::path, "root.iter")));
  EXPECT_THAT(status.AssertExistingObjectsMatched(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(Checkpoint, MemoryOfTheCallersIsFilledInEveryMode) {
  for (RestoreMode mode : {RestoreMode::kVerifyFirst, RestoreMode::kStage, RestoreMode::kInPlace}) {
    SmallLive live;
    std::vector<float> memory = {-5, -5};
    auto wrapped = *Variable::Wrap({DType::kFloat32, Shape{2}}, std::as_writable_bytes(std::span(memory)));
    ASSERT_THAT(live.root->Child("dense")->Track("kernel", wrapped), IsOk());
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
    const auto files = SmallModel().Files("c");
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                            checkpoint.Read("c", {.mode = mode, .file_system = files}));
    EXPECT_EQ(memory, (std::vector<float>{1, 2}));
    EXPECT_THAT(status.AssertConsumed(), IsOk());
  }
}

TEST(Checkpoint, AnObjectThatRefusesLeavesTheVariablesAlone) {
  SmallLive live;
  live.text->refuses = true;
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const auto files = SmallModel().Files("c");
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}),
              StatusIs(StatusCode::kInvalidArgument, AllOf(HasSubstr("refused"), HasSubstr("root.text"))));
  EXPECT_TRUE(live.IsOld());
}

TEST(Checkpoint, ARestoreOfNothingOnlyInitialises) {
  auto with_value = MakeFloats({7});
  auto without = *Variable::Make({DType::kFloat32, Shape{1}});
  without->set_initializer([]() -> StatusOr<Tensor> { return FloatsTensor({4}); });
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"a", with_value}, {"b", without}}));
  SM_ASSERT_OK_AND_ASSIGN(RestoreStatus status, checkpoint.Restore(std::nullopt));
  for (const Status& answer :
       {status.AssertConsumed(), status.AssertExistingObjectsMatched(), status.AssertNontrivialMatch()}) {
    EXPECT_THAT(answer, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("no checkpoint")));
  }
  EXPECT_THAT(without->Read(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(status.InitializeOrRestore(), IsOk());
  EXPECT_EQ(FloatsOf(with_value), std::vector<float>{7});
  EXPECT_EQ(FloatsOf(without), std::vector<float>{4});
}

TEST(Checkpoint, InitialisersRunForWhatGotNoValue) {
  SmallLive live;
  int calls = 0;
  const auto initializer = [&calls]() -> StatusOr<Tensor> { return ++calls, FloatsTensor({4, 4}); };
  auto extra = *Variable::Make({DType::kFloat32, Shape{2}});
  extra->set_initializer(initializer);
  live.kernel->set_initializer(initializer);
  auto failing = *Variable::Make({DType::kFloat32, Shape{2}});
  failing->set_initializer([]() -> StatusOr<Tensor> { return Status(StatusCode::kUnavailable, "no seed"); });
  ASSERT_THAT(live.root->Track("a_failing", failing), IsOk());
  ASSERT_THAT(live.root->Track("extra", extra), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const auto files = SmallModel().Files("c");
  SM_ASSERT_OK_AND_ASSIGN(RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_THAT(status.InitializeOrRestore(), StatusIs(StatusCode::kUnavailable));
  EXPECT_EQ(FloatsOf(extra), (std::vector<float>{4, 4}));
  EXPECT_EQ(FloatsOf(live.kernel), (std::vector<float>{1, 2}));
  EXPECT_EQ(calls, 1);
}

TEST(Checkpoint, WhatWasRestoredIsNotAskedToInitialise) {
  class Fresh : public LoggedText {
   public:
    using LoggedText::LoggedText;
    Status Initialize() override { return text = "initial", OkStatus(); }
  };
  auto stored_text = std::make_shared<Fresh>(nullptr), other = std::make_shared<Fresh>(nullptr);
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                          Checkpoint::Make(MakeModule({{"text", stored_text}, {"other", other}})));
  const auto files = SmallModel().Files("c");
  SM_ASSERT_OK_AND_ASSIGN(RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_THAT(status.InitializeOrRestore(), IsOk());
  EXPECT_EQ(stored_text->text, "new");
  EXPECT_EQ(other->text, "initial");
}

TEST(Checkpoint, WarnsOfLeftoversOnceNobodyWaits) {
  CheckpointBuilder stored = SmallModel();
  const NodeId head = stored.Add(kRootId, "head");
  for (int i = 0; i < 20; ++i) stored.Floats(stored.Add(head, "v" + std::to_string(i)), {1});
  const auto files = stored.Files("c");
  for (bool expects_partial : {false, true}) {
    std::vector<std::string> warnings;
    SmallLive live;
    {
      SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
      RestoreOptions options{.file_system = files};
      options.warn = [&](std::string_view message) { warnings.emplace_back(message); };
      SM_ASSERT_OK_AND_ASSIGN(RestoreStatus status, checkpoint.Read("c", options));
      if (expects_partial) status.ExpectPartial();
      EXPECT_THAT(warnings, IsEmpty());
    }
    if (expects_partial) {
      EXPECT_THAT(warnings, IsEmpty());
    } else {
      EXPECT_THAT(warnings,
                  ElementsAre(AllOf(HasSubstr("c.index: 20 stored values"), HasSubstr("root.head (20)"))));
    }
  }
}

TEST(Checkpoint, RefusesRootsAndObjectsThatMakeNoSense) {
  EXPECT_THAT(Checkpoint::Make(std::shared_ptr<Trackable>()), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Checkpoint::Make({{"a", nullptr}}), StatusIs(StatusCode::kInvalidArgument, HasSubstr("null")));
  auto one = MakeFloats({1}), other = MakeFloats({1});
  EXPECT_THAT(Checkpoint::Make({{"a", one}, {"a", other}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("one name")));
  EXPECT_THAT(Checkpoint::Make(MakeModule({{"a", one}}), {{"a", other}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("another child")));
  EXPECT_THAT(Checkpoint::Make(MakeModule({{"a", one}}), {{"a", one}}), IsOk());
}

TEST(Checkpoint, OptionsOutOfRangeAreRefused) {
  SmallLive live;
  const auto files = SmallModel().Files("c");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  RestoreOptions options{.file_system = files};
  options.by = static_cast<RestoreBy>(7);
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kInvalidArgument));
  options = {.mode = static_cast<RestoreMode>(9), .file_system = files};
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kInvalidArgument));
  options = {.file_system = files, .control = {.threads = -1}};
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kInvalidArgument));
  options = {.max_tensor_bytes = 11, .file_system = files};
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kResourceExhausted));
  options = {.file_system = files};
  options.control.cancellation.Cancel();
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kCancelled));
  EXPECT_TRUE(live.IsOld());
}

TEST(Checkpoint, NoFileIsOpenedForOptionsThatAreRefused) {
  const auto files = std::make_shared<FaultFileSystem>(SmallModel().Files("c"));
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(MakeModule()));
  const RestoreOptions options{.read_mode = static_cast<ReadMode>(5), .file_system = files};
  EXPECT_THAT(checkpoint.Restore("c", options),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("ReadMode")));
  EXPECT_THAT(checkpoint.Read("c", options), StatusIs(StatusCode::kInvalidArgument, HasSubstr("ReadMode")));
  EXPECT_EQ(files->calls(FaultFileSystem::Call::kOpenDirectory), 0);
  EXPECT_EQ(files->calls(FaultFileSystem::Call::kOpenFile), 0);
}

// Whatever a file system says of the shard, a graph that is in the index is not "none".
TEST(Checkpoint, AFileSystemsErrorDoesNotMakeItACheckpointOfNames) {
  const auto files = std::make_shared<FaultFileSystem>(SmallModel().Files("c"));
  files->FailNamed(FaultFileSystem::Call::kOpenFile, ".data-00000-of-00001",
                   Status(StatusCode::kFailedPrecondition, "not here"));
  auto variable = MakeFloats({-1, -1}, "node-2/.ATTRIBUTES/VARIABLE_VALUE");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(MakeModule({{"v", variable}})));
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(checkpoint.num_waiting(), 0u);
}

// Two objects of the program's, one of the file's; and the other way round.
TEST(Checkpoint, Case34_ConflictsAreReportedAndNotGuessed) {
  CheckpointBuilder stored;
  const NodeId shared = stored.Add(kRootId, "a");
  stored.Floats(shared, {1});
  stored.Link(kRootId, "b", shared);
  auto a = MakeFloats({-1}), b = MakeFloats({-1});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(MakeModule({{"a", a}, {"b", b}})));
  const auto files = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_EQ(FloatsOf(a), std::vector<float>{1});
  EXPECT_EQ(FloatsOf(b), std::vector<float>{-1});
  const std::vector<RestoreConflict> conflicts = status.conflicts();
  ASSERT_THAT(conflicts, SizeIs(1));
  EXPECT_EQ(conflicts[0].kind, RestoreConflict::Kind::kOneStoredTwoObjects);
  EXPECT_EQ(conflicts[0].path, "root.a");
  EXPECT_THAT(status.AssertExistingObjectsMatched(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.b")));

  CheckpointBuilder two;
  two.Floats(two.Add(kRootId, "a"), {1});
  two.Floats(two.Add(kRootId, "b"), {2});
  auto one = MakeFloats({-1});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint other, Checkpoint::Make(MakeModule({{"a", one}, {"b", one}})));
  const auto two_files = two.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus second, other.Read("c", {.file_system = two_files}));
  EXPECT_EQ(FloatsOf(one), std::vector<float>{1});
  ASSERT_THAT(second.conflicts(), SizeIs(1));
  EXPECT_EQ(second.conflicts()[0].kind, RestoreConflict::Kind::kTwoStoredOneObject);
  EXPECT_EQ(second.conflicts()[0].path, "root.b");
  EXPECT_EQ(second.conflicts()[0].other, "root.a");
}

// Counts how often it is given values.
class Pair : public Module {
 public:
  std::vector<CheckpointValue> CheckpointValues() const override {
    const TensorSpec spec{DType::kFloat32, Shape{4}};
    return {{.name = "first", .spec = spec},
            {.name = "second", .spec = spec, .slice = *TensorSlice::Rows(0, 1, 1)},
            {.name = "second", .spec = spec, .slice = *TensorSlice::Rows(3, 1, 1)}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    ++calls;
    for (const std::optional<Tensor>& value : values) taken.push_back(value->num_elements());
    return OkStatus();
  }
  int calls = 0;
  std::vector<int64_t> taken;
};

TEST(Checkpoint, AnObjectWhoseTensorsLieInSeveralShardsIsRestoredOnce) {
  CheckpointBuilder stored;
  stored.bundle = BundleBuilder(3);
  const NodeId pair = stored.Add(kRootId, "pair");
  stored.bundle.Add({.key = stored.Attribute(pair, "first"),
                     .shape = {4},
                     .payload = BytesOfFloats({1, 2, 3, 4}),
                     .shard = 1});
  stored.bundle.Add({.key = stored.Attribute(pair, "second"),
                     .shape = {4},
                     .payload = BytesOfFloats({5, 6, 7, 8}),
                     .shard = 2});
  auto object = std::make_shared<Pair>();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"pair", object}}));
  const auto files = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Read("c", {.file_system = files}));
  EXPECT_EQ(object->calls, 1);
  EXPECT_THAT(object->taken, ElementsAre(4, 1, 1));
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

// A marked attribute of an old file is missed by nobody.
TEST(Checkpoint, AnOptionalStoredAttributeIsNotMissed) {
  CheckpointBuilder stored = SmallModel();
  stored.Text(1, "OBJECT_CONFIG_JSON", "{}");
  const auto set_optional = [](proto::TrackableObjectGraph::TrackableObject::SerializedTensor& attribute) {
    attribute.GetReflection()->MutableUnknownFields(&attribute)->AddVarint(4, 1);
  };
  SmallLive live;
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const auto files = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus required, checkpoint.Read("c", {.file_system = files}));
  EXPECT_THAT(required.AssertConsumed(), StatusIs(StatusCode::kFailedPrecondition,
                                                  HasSubstr("root.dense (attribute OBJECT_CONFIG_JSON)")));
  set_optional(*stored.graph.mutable_nodes(1)->mutable_attributes(0));
  const auto marked = stored.Files("c");
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus optional, checkpoint.Read("c", {.file_system = marked}));
  EXPECT_THAT(optional.AssertConsumed(), IsOk());
  EXPECT_THAT(optional.unused_values(), ElementsAre(Field(&UnusedValue::optional, true)));
}

TEST(Checkpoint, OutOfMemoryIsAnErrorAndChangesNothing) {
  if (!kCanFailAllocations) GTEST_SKIP() << "a sanitizer has its own operator new";
  const auto files = SmallModel().Files("c");
  SmallLive live;
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(live.root));
  const RestoreOptions options{.file_system = files, .control = {.threads = 1}};
  FailEachAllocation([&] {
    const StatusOr<RestoreStatus> status = checkpoint.Read("c", options);
    return status.ok() ? status->AssertConsumed() : status.status();
  });
  EXPECT_TRUE(live.IsNew());
}

}  // namespace
}  // namespace savedmodel::testing
