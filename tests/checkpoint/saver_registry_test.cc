#include "savedmodel/checkpoint/saver_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/python_state.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

RegisteredSaver Saver(std::string name) {
  return {.name = std::move(name),
          .handles = [](const Trackable&) { return true; },
          .restore = [](const SaverRestore&) { return OkStatus(); }};
}

TEST(SaverRegistry, FindsSaversByName) {
  SaverRegistry savers;
  EXPECT_EQ(savers.Find("Custom.a"), nullptr);
  ASSERT_THAT(savers.Register(Saver("Custom.a")), IsOk());
  ASSERT_THAT(savers.Register(Saver("Custom.b")), IsOk());
  ASSERT_NE(savers.Find("Custom.a"), nullptr);
  EXPECT_EQ(savers.Find("Custom.a")->name, "Custom.a");
  EXPECT_EQ(savers.Find("custom.a"), nullptr);
  EXPECT_EQ(savers.Find(""), nullptr);
}

TEST(SaverRegistry, OfSaversThatHandleAnObjectTheLastOneIsIts) {
  SaverRegistry savers;
  RegisteredSaver modules = Saver("modules");
  modules.handles = [](const Trackable& object) { return dynamic_cast<const Module*>(&object) != nullptr; };
  ASSERT_THAT(savers.Register(Saver("all")), IsOk());
  ASSERT_THAT(savers.Register(std::move(modules)), IsOk());
  EXPECT_EQ(savers.For(Module())->name, "modules");
  EXPECT_EQ(savers.For(Trackable())->name, "all");
  ASSERT_THAT(savers.Register(Saver("later")), IsOk());
  EXPECT_EQ(savers.For(Module())->name, "later");
}

TEST(SaverRegistry, AnObjectMayHaveNone) {
  SaverRegistry savers;
  EXPECT_EQ(savers.For(Trackable()), nullptr);
  RegisteredSaver none = Saver("none");
  none.handles = [](const Trackable&) { return false; };
  ASSERT_THAT(savers.Register(std::move(none)), IsOk());
  EXPECT_EQ(savers.For(Trackable()), nullptr);
}

TEST(SaverRegistry, NamesAreThoseOfTensorFlow) {
  SaverRegistry savers;
  EXPECT_THAT(savers.Register(Saver("Custom.az-AZ_09.x")), IsOk());
  for (const std::string name : {"", "a b", "a/b", "a:b", "\xc3\xa4", "a\n"}) {
    EXPECT_THAT(savers.Register(Saver(name)), StatusIs(StatusCode::kInvalidArgument, HasSubstr("name")))
        << name;
    EXPECT_EQ(savers.Find(name), nullptr);
  }
}

TEST(SaverRegistry, ANameIsRegisteredOnce) {
  SaverRegistry savers;
  ASSERT_THAT(savers.Register(Saver("a")), IsOk());
  EXPECT_THAT(savers.Register(Saver("a")), StatusIs(StatusCode::kAlreadyExists, HasSubstr("a")));
}

TEST(SaverRegistry, ASaverNeedsBothOfItsFunctions) {
  SaverRegistry savers;
  RegisteredSaver no_handles = Saver("a"), no_restore = Saver("a");
  no_handles.handles = nullptr;
  no_restore.restore = nullptr;
  EXPECT_THAT(savers.Register(no_handles), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(savers.Register(no_restore), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(savers.Find("a"), nullptr);
}

}  // namespace
}  // namespace savedmodel
