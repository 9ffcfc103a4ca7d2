#include "savedmodel/proto/internal/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/proto/meta_graph.pb.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

TEST(Serialize, GivesTheSameBytesInWhateverOrderAMapWasFilled) {
  proto::MetaGraphDef up, down;
  for (int i = 0; i < 100; ++i) (*up.mutable_collection_def())[std::to_string(i)];
  for (int i = 99; i >= 0; --i) (*down.mutable_collection_def())[std::to_string(i)];
  SM_ASSERT_OK_AND_ASSIGN(const std::string bytes, SerializeDeterministic(up));
  EXPECT_EQ(bytes, *SerializeDeterministic(down));
  proto::MetaGraphDef parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(parsed.collection_def_size(), 100);
}

TEST(Serialize, NamesTheFieldThatIsNotUtf8AndStaysQuiet) {
  proto::MetaGraphDef graph;
  (*graph.mutable_signature_def())["s"].set_method_name("\xff");
  ::testing::internal::CaptureStderr();
  const auto bytes = SerializeDeterministic(graph);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(bytes, StatusIs(StatusCode::kInvalidArgument, HasSubstr("SignatureDef.method_name")));
}

TEST(Serialize, FindsBadKeysOfMapsAndBadElementsOfLists) {
  proto::MetaGraphDef key, element;
  (*key.mutable_collection_def())["\xc3"];
  EXPECT_EQ(FindInvalidUtf8(key), "CollectionDefEntry.key");
  element.mutable_meta_info_def()->add_tags("serve");
  EXPECT_EQ(FindInvalidUtf8(element), std::nullopt);
  element.mutable_meta_info_def()->add_tags("\xc3");
  EXPECT_EQ(FindInvalidUtf8(element), "MetaInfoDef.tags");
}

TEST(Serialize, BytesNeedNotBeUtf8) {
  proto::CollectionDef collection;
  collection.mutable_bytes_list()->add_value("\xff");
  EXPECT_EQ(*SerializeDeterministic(collection), "\x12\x03\x0a\x01\xff");
}

}  // namespace
}  // namespace savedmodel::internal
