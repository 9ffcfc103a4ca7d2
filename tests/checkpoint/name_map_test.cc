#include "savedmodel/checkpoint/name_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

TEST(NameMap, WithoutEntriesEveryNameIsItself) {
  const NameMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.ToStored("a/b"), "a/b");
  EXPECT_EQ(map.ToStored(""), "");
  EXPECT_EQ(map.ToStored("/"), "/");
}

TEST(NameMap, WholeNames) {
  const NameMap map = NameMap::LiveToStored({{"dense/kernel", "fc1/weights"}});
  EXPECT_FALSE(map.empty());
  EXPECT_EQ(map.ToStored("dense/kernel"), "fc1/weights");
  EXPECT_EQ(map.ToStored("dense/kernel/x"), "dense/kernel/x") << "a name is no scope";
  EXPECT_EQ(map.ToStored("dense/bias"), "dense/bias");
}

TEST(NameMap, ScopesStandForAllNamesBelowThem) {
  const NameMap map = NameMap::LiveToStored({{"encoder/", "bert/encoder/"}});
  EXPECT_EQ(map.ToStored("encoder/bias"), "bert/encoder/bias");
  EXPECT_EQ(map.ToStored("encoder/layer_0/bias"), "bert/encoder/layer_0/bias");
  EXPECT_EQ(map.ToStored("encoder"), "encoder");
  EXPECT_EQ(map.ToStored("my/encoder/bias"), "my/encoder/bias");
  EXPECT_EQ(map.ToStored("encoder2/bias"), "encoder2/bias");
}

TEST(NameMap, AWholeNameWinsOverAScopeAndALongerScopeOverAShorter) {
  const NameMap map =
      NameMap::LiveToStored({{"a/", "1/"}, {"a/b/", "2/"}, {"a/b/c", "3"}, {"", "all/"}, {"/", "slash/"}});
  EXPECT_EQ(map.ToStored("a/b/c"), "3");
  EXPECT_EQ(map.ToStored("a/b/d"), "2/d");
  EXPECT_EQ(map.ToStored("a/b/d/e"), "2/d/e");
  EXPECT_EQ(map.ToStored("a/c"), "1/c");
  EXPECT_EQ(map.ToStored("b/c"), "all/b/c");
  EXPECT_EQ(map.ToStored("/c"), "slash/c");
}

TEST(NameMap, TheEmptyScopeStandsForEveryName) {
  const NameMap map = NameMap::LiveToStored({{"", "model/"}});
  EXPECT_EQ(map.ToStored("a/b"), "model/a/b");
  EXPECT_EQ(map.ToStored("a"), "model/a");
}

TEST(NameMap, AScopeMayBecomeNothing) {
  const NameMap map = NameMap::LiveToStored({{"model/", ""}});
  EXPECT_EQ(map.ToStored("model/a/b"), "a/b");
}

TEST(NameMap, BothWaysToSayItAreOne) {
  const StatusOr<NameMap> stored_to_live =
      NameMap::StoredToLive({{"fc1/weights", "dense/kernel"}, {"b/", "a/"}});
  ASSERT_THAT(stored_to_live, testing::IsOk());
  EXPECT_EQ(*stored_to_live, NameMap::LiveToStored({{"dense/kernel", "fc1/weights"}, {"a/", "b/"}}));
  EXPECT_EQ(stored_to_live->ToStored("a/x"), "b/x");
}

TEST(NameMap, SeveralLiveNamesMayTakeOneStoredTensor) {
  const NameMap map = NameMap::LiveToStored({{"a", "k"}, {"b", "k"}});
  EXPECT_EQ(map.ToStored("a"), "k");
  EXPECT_EQ(map.ToStored("b"), "k");
}

TEST(NameMap, TwoStoredNamesForOneLiveNameAreNotGuessed) {
  EXPECT_THAT(NameMap::StoredToLive({{"x", "a"}, {"y", "a"}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("x and y")));
}

}  // namespace
}  // namespace savedmodel
