#include "savedmodel/object_graph/own_together.h"

#include <gtest/gtest.h>

#include "savedmodel/object_graph/module.h"

namespace savedmodel::testing {
namespace {

TEST(OwnTogether, AHandleKeepsAllMembersAndTheLastFreesThem) {
  std::vector<std::shared_ptr<Trackable>> members = {std::make_shared<Module>(), std::make_shared<Module>()};
  const std::weak_ptr<Trackable> first = members[0], second = members[1];
  auto handles = OwnTogether(std::move(members));
  ASSERT_TRUE(handles[0]->TrackBack("next", handles[1]).ok());
  ASSERT_TRUE(handles[1]->TrackBack("next", handles[0]).ok());
  std::shared_ptr<Trackable> kept = handles[1];
  handles.clear();
  ASSERT_NE(kept->Child("next"), nullptr);
  EXPECT_EQ(kept->Child("next")->Child("next"), kept);
  kept.reset();
  EXPECT_TRUE(first.expired());
  EXPECT_TRUE(second.expired());
}

}  // namespace
}  // namespace savedmodel::testing
