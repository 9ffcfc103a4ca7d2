// Loads into objects of the program's own classes: what the loader restores in them, and in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Table : public Module {};

// root.v (a variable), root.text (an object with a state), root.table (an object of a registered saver).
std::shared_ptr<MemoryFileSystem> ModelFiles() {
  const auto files = BuildModel(Json::parse(R"({"nodes": [
      {"children": [["v", 1], ["text", 2], ["table", 3]]},
      {"kind": "variable", "dtype": "float32", "shape": [1], "value": [0]}, {}, {}]})"));
  CheckpointBuilder stored;
  stored.Floats(stored.Add(kRootId, "v"), {5});
  stored.Text(stored.Add(kRootId, "text"), "py_state", "new");
  auto* saver = stored.graph.mutable_nodes(stored.Add(kRootId, "table"))->mutable_registered_saver();
  saver->set_name("Custom.table");
  saver->set_object_name("the table");
  stored.WriteTo(*files, "model/variables/variables");
  return files;
}

struct Scene {
  EventLog log;
  std::shared_ptr<LoggedText> text = std::make_shared<LoggedText>(&log);
  std::shared_ptr<Table> table = std::make_shared<Table>();
  SaverRegistry savers;
  std::shared_ptr<MemoryFileSystem> files = ModelFiles();

  explicit Scene(Status result = OkStatus()) {
    EXPECT_THAT(savers.Register(
                    {.name = "Custom.table",
                     .handles = [](const Trackable& o) { return dynamic_cast<const Table*>(&o) != nullptr; },
                     .restore =
                         [this, result](const SaverRestore& call) {
                           for (const auto& [name, object] : call.objects)
                             log.push_back("saver of " + name + " in " + std::string(call.prefix));
                           return result;
                         }}),
                IsOk());
  }

  StatusOr<LoadedModel> Load(const LoadOptions& options) {
    return LoadPartial("model", Selection().Add("root").Bind("root.text", text).Bind("root.table", table),
                       options, {.file_system = files});
  }
};

TEST(LoaderRestore, BoundObjectsGetTheirOwnValuesThenSaversRunThenHooks) {
  Scene scene;
  SM_ASSERT_OK_AND_ASSIGN(const LoadedModel model, scene.Load({.savers = &scene.savers}));
  EXPECT_EQ(scene.text->text, "new");
  EXPECT_THAT(scene.log, ElementsAre("text takes new", "saver of the table in model/variables/variables",
                                     "text is told"));
  EXPECT_EQ(FloatsOf(*model.Get<Variable>("root.v")), std::vector<float>{5});
}

TEST(LoaderRestore, WithoutARegistryItsObjectsAreLeftAsTheyAre) {
  Scene scene;
  SM_ASSERT_OK_AND_ASSIGN(const LoadedModel model, scene.Load({}));
  EXPECT_THAT(scene.log, ElementsAre("text takes new", "text is told"));
}

TEST(LoaderRestore, TheErrorOfASaverIsTheLoads) {
  Scene scene(Status(StatusCode::kUnavailable, "away"));
  EXPECT_THAT(scene.Load({.savers = &scene.savers}),
              StatusIs(StatusCode::kUnavailable, HasSubstr("Custom.table")));
}

TEST(LoaderRestore, SaversNeedTheCheckpoint) {
  Scene scene;
  scene.files->Remove("model/variables/variables.index");
  EXPECT_THAT(scene.Load({.savers = &scene.savers}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(scene.log, IsEmpty());
}

TEST(LoaderRestore, AStateThatABoundObjectDoesNotHaveIsReported) {
  Scene scene;
  SM_ASSERT_OK_AND_ASSIGN(const LoadedModel model,
                          LoadPartial("model", Selection::All(), {}, {.file_system = scene.files}));
  EXPECT_THAT(model.report().other_attributes, ElementsAre(HasSubstr("py_state")));
  EXPECT_THAT(
      LoadPartial("model", Selection::All(), {.require_all_consumed = true}, {.file_system = scene.files}),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.text (attribute py_state)")));
}

// root.v with slot m of root.optimizer.
std::shared_ptr<MemoryFileSystem> ModelWithSlots() {
  return BuildModel(Json::parse(R"({"nodes": [
      {"children": [["v", 1], ["optimizer", 2]]},
      {"kind": "variable", "dtype": "float32", "shape": [1], "value": [5]},
      {"slots": [[1, "m", 3]]},
      {"kind": "variable", "dtype": "float32", "shape": [1], "value": [6]}]})"));
}

TEST(LoaderRestore, ALoadedOptimizerHasItsSlotsAndCanBeRestored) {
  const auto files = ModelWithSlots();
  SM_ASSERT_OK_AND_ASSIGN(const LoadedModel model,
                          LoadPartial("model", Selection::All(), {}, {.file_system = files}));
  const auto optimizer = *model.Get<Optimizer>("root.optimizer");
  const auto v = *model.Get<Variable>("root.v");
  const auto m = optimizer->Slot(*v, "m");
  EXPECT_EQ(m, *model.Get<Variable>("root.optimizer.slots.m.v"));
  ASSERT_THAT(m->Assign(FloatsTensor({-1})), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(model.root()));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status,
                          checkpoint.Read("model/variables/variables", {.file_system = files}));
  EXPECT_EQ(FloatsOf(m), std::vector<float>{6});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
}

TEST(LoaderRestore, ABoundOptimizerGetsSlotsAndFillsThoseItHas) {
  for (bool has_slot : {false, true}) {
    const auto files = ModelWithSlots();
    auto v = MakeFloats({-1});
    auto optimizer = std::make_shared<Optimizer>();
    std::shared_ptr<Variable> m;
    if (has_slot) {
      SM_ASSERT_OK_AND_ASSIGN(m,
                              optimizer->GetOrMakeSlot(v, "m", v->spec(), [] { return FloatsTensor({-2}); }));
    }
    ASSERT_THAT(LoadPartial("model", Selection().Bind("root.v", v).Bind("root.optimizer", optimizer), {},
                            {.file_system = files}),
                IsOk());
    EXPECT_EQ(FloatsOf(optimizer->Slot(*v, "m")), std::vector<float>{6});
    if (has_slot) {
      EXPECT_EQ(optimizer->Slot(*v, "m"), m);
    }
  }
}

TEST(LoaderRestore, AVariableInPlaceOfAStateIsRefused) {
  Scene scene;
  class Other : public Module {
    std::vector<CheckpointValue> CheckpointValues() const override {
      return {{.name = "units", .spec = {DType::kFloat32, Shape{}}}};
    }
  };
  EXPECT_THAT(LoadPartial("model", Selection().Bind("root.text", std::make_shared<Other>()), {},
                          {.file_system = scene.files}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("root.text keeps a value units")));
}

}  // namespace
}  // namespace savedmodel::testing
