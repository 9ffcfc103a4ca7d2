// Objects that savers of the program's own restore, and in which order all of it happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
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

class Embedding : public Module {};

CheckpointBuilder Stored() {
  CheckpointBuilder stored;
  stored.Floats(stored.Add(kRootId, "v"), {1});
  stored.Text(stored.Add(kRootId, "text"), "py_state", "new");
  for (const char* name : {"e1", "e2"}) {
    auto* saver = stored.graph.mutable_nodes(stored.Add(kRootId, name))->mutable_registered_saver();
    saver->set_name("Custom.embedding");
    saver->set_object_name(std::string("stored ") + name);
  }
  return stored;
}

struct Scene {
  EventLog log;
  std::shared_ptr<Variable> v = MakeFloats({-1});
  std::shared_ptr<LoggedText> text = std::make_shared<LoggedText>(&log);
  std::shared_ptr<Module> root = MakeModule({{"v", v},
                                             {"text", text},
                                             {"e1", std::make_shared<Embedding>()},
                                             {"e2", std::make_shared<Embedding>()}});
  SaverRegistry savers;

  RegisteredSaver Saver(Status result = OkStatus()) {
    return {
        .name = "Custom.embedding",
        .handles = [](const Trackable& object) { return dynamic_cast<const Embedding*>(&object) != nullptr; },
        .restore =
            [this, result](const SaverRestore& call) {
              std::string names;
              for (const auto& [name, object] : call.objects) names += " " + name;
              log.push_back("saver of " + std::string(call.prefix) + names + ", v is " +
                            std::to_string(static_cast<int>(FloatsOf(v)[0])));
              return result;
            }};
  }
};

TEST(RegisteredSaver, RunsAfterTheDefaultRestoreAndBeforeTheHooks) {
  const auto files = Stored().Files("m/c");
  Scene scene;
  ASSERT_THAT(scene.savers.Register(scene.Saver()), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(scene.root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("m/c", {.savers = &scene.savers, .file_system = files}));
  EXPECT_THAT(scene.log,
              ElementsAre("text takes new", "saver of m/c stored e1 stored e2, v is 1", "text is told"));
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

TEST(RegisteredSaver, WithoutARegistryItsObjectsCannotBeRestored) {
  const auto files = Stored().Files("c");
  Scene scene;
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(scene.root));
  EXPECT_THAT(checkpoint.Read("c", {.file_system = files}),
              StatusIs(StatusCode::kNotFound, HasSubstr("Custom.embedding")));
  EXPECT_EQ(FloatsOf(scene.v), std::vector<float>{-1});
  EXPECT_THAT(scene.log, IsEmpty());
}

TEST(RegisteredSaver, AnObjectItDoesNotHandleIsAnErrorOrLeftAlone) {
  const auto files = Stored().Files("c");
  for (bool strict : {true, false}) {
    Scene scene;
    scene.root->Untrack("e2");
    ASSERT_THAT(scene.root->Track("e2", MakeModule()), IsOk());
    RegisteredSaver saver = scene.Saver();
    saver.strict = strict;
    ASSERT_THAT(scene.savers.Register(std::move(saver)), IsOk());
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(scene.root));
    const StatusOr<RestoreStatus> status =
        checkpoint.Read("c", {.savers = &scene.savers, .file_system = files});
    if (strict) {
      EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("root.e2")));
    } else {
      ASSERT_THAT(status, IsOk());
      EXPECT_THAT(scene.log[1], HasSubstr("saver of c stored e1, v"));
    }
  }
}

TEST(RegisteredSaver, ItsErrorIsTheRestores) {
  const auto files = Stored().Files("c");
  Scene scene;
  ASSERT_THAT(scene.savers.Register(scene.Saver(Status(StatusCode::kUnavailable, "the table is away"))),
              IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(scene.root));
  EXPECT_THAT(checkpoint.Read("c", {.savers = &scene.savers, .file_system = files}),
              StatusIs(StatusCode::kUnavailable, HasSubstr("Custom.embedding")));
}

// A file from before the object had a saver: the saver is told the key.
TEST(RegisteredSaver, TakesPlainValuesOfAnObjectThatHasASaverNow) {
  CheckpointBuilder stored;
  const NodeId e = stored.Add(kRootId, "e1");
  stored.Floats(e, {1});
  const auto files = stored.Files("c");
  Scene scene;
  scene.root = MakeModule({{"e1", std::make_shared<Embedding>()}});
  ASSERT_THAT(scene.savers.Register(scene.Saver()), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(scene.root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("c", {.savers = &scene.savers, .file_system = files}));
  EXPECT_THAT(scene.log, ElementsAre(HasSubstr("saver of c node-1/.ATTRIBUTES/VARIABLE_VALUE, v is")));
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

TEST(RegisteredSaver, ObjectsThatComeLaterAreSavedForThem) {
  const auto files = Stored().Files("c");
  Scene scene;
  auto root = MakeModule();
  ASSERT_THAT(scene.savers.Register(scene.Saver()), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("c", {.savers = &scene.savers, .file_system = files}));
  EXPECT_THAT(scene.log, IsEmpty());
  ASSERT_THAT(root->Track("e2", std::make_shared<Embedding>()), IsOk());
  EXPECT_THAT(scene.log, ElementsAre(HasSubstr("saver of c stored e2, v")));
}

}  // namespace
}  // namespace savedmodel::testing
