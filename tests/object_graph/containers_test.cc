#include "savedmodel/object_graph/containers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;

std::shared_ptr<Trackable> Object() { return std::make_shared<Module>(); }

TEST(List, AppendedElementsAreCountedAndFound) {
  List list;
  EXPECT_EQ(list.size(), 0u);
  const auto a = Object(), b = Object();
  ASSERT_THAT(list.Append(a), IsOk());
  ASSERT_THAT(list.Append(b), IsOk());
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list.at(0), a);
  EXPECT_EQ(list.at(1), b);
  EXPECT_EQ(list.at(2), nullptr);
  EXPECT_EQ(list.Child("1"), b);
  EXPECT_THAT(list.Append(nullptr), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(list.size(), 2u);
}

TEST(List, Case49_GapsAreNullAndCount) {
  List list;
  const auto zero = Object(), two = Object();
  ASSERT_THAT(list.Track("2", two), IsOk());
  ASSERT_THAT(list.Track("0", zero), IsOk());
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.at(0), zero);
  EXPECT_EQ(list.at(1), nullptr);
  EXPECT_EQ(list.at(2), two);
}

TEST(List, OtherNamesAreNoPositions) {
  List list;
  for (const char* name :
       {"x", "", "-1", "+1", "01", "1.0", " 1", "1 ", "0x2", "99999999999999999999", "16777216"}) {
    ASSERT_THAT(list.Track(name, Object()), IsOk());
  }
  EXPECT_EQ(list.size(), 0u) << "a file's name cannot make a list endless";
  ASSERT_THAT(list.Track("16777215", Object()), IsOk());
  EXPECT_EQ(list.size(), List::kMaxSize);
  EXPECT_THAT(list.Append(Object()), StatusIs(StatusCode::kResourceExhausted));
}

TEST(List, AppendGoesBehindWhateverElseWasDone) {
  List list;
  ASSERT_THAT(list.Append(Object()), IsOk());
  ASSERT_THAT(list.Track("5", Object()), IsOk());
  ASSERT_THAT(list.Append(Object()), IsOk());
  EXPECT_NE(list.at(6), nullptr);
  EXPECT_TRUE(list.Untrack("6"));
  EXPECT_TRUE(list.Untrack("5"));
  ASSERT_THAT(list.Append(Object()), IsOk());
  EXPECT_NE(list.at(1), nullptr);
  EXPECT_EQ(list.size(), 2u);
}

TEST(List, FiftyThousandElementsAreAppendedInTime) {
  List list;
  for (int i = 0; i < 50'000; ++i) ASSERT_THAT(list.Append(Object()), IsOk());
  EXPECT_EQ(list.size(), 50'000u);
}

TEST(Tuple, HasPositionsAndFieldNames) {
  Tuple tuple;
  const auto x = Object();
  ASSERT_THAT(tuple.Track("x", x), IsOk());
  ASSERT_THAT(tuple.Track("0", x), IsOk());
  EXPECT_EQ(tuple.size(), 1u);
  EXPECT_EQ(tuple.at(0), tuple.Child("x"));
}

TEST(Dict, KeysAreInOrder) {
  Dict dict;
  const auto a = Object();
  ASSERT_THAT(dict.Track("z.z", Object()), IsOk());
  ASSERT_THAT(dict.Track("a", a), IsOk());
  EXPECT_THAT(dict.keys(), ElementsAre("z.z", "a"));
  EXPECT_EQ(dict.at("a"), a);
  EXPECT_EQ(dict.at("b"), nullptr);
}

TEST(Containers, CarryTensorFlowsLabels) {
  EXPECT_EQ(List().identifier(), "trackable_list_wrapper");
  EXPECT_EQ(Tuple().identifier(), "trackable_tuple_wrapper");
  EXPECT_EQ(Dict().identifier(), "trackable_dict_wrapper");
  EXPECT_EQ(Module().identifier(), "_generic_user_object");
  EXPECT_EQ(List().kind(), NodeKind::kUserObject);
  const List custom(UserObjectInfo{.identifier = "mine", .producer = 3, .min_consumer = 2, .metadata = "{}"});
  EXPECT_EQ(custom.identifier(), "mine");
  EXPECT_EQ(custom.producer(), 3);
  EXPECT_EQ(custom.min_consumer(), 2);
  EXPECT_EQ(custom.metadata(), "{}");
}

}  // namespace
}  // namespace savedmodel
