#include "savedmodel/proto/internal/text_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "savedmodel/proto/checkpoint_state.pb.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/proto/support/random_message.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::RandomMessages;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

// Parses `text` as a SavedModel and expects nothing on stderr, whatever comes of it.
Status ParseQuietly(std::string_view text, proto::SavedModel* model, const ParseLimits& limits = {}) {
  ::testing::internal::CaptureStderr();
  const Status status = ParseText(text, model, {.file = "m/saved_model.pbtxt"}, limits);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  return status;
}

Status ParseQuietly(std::string_view text) {
  proto::SavedModel model;
  return ParseQuietly(text, &model);
}

TEST(ParseText, ReadsEveryKindOfField) {
  proto::SavedModel model;
  ASSERT_THAT(ParseQuietly(R"(
    # a comment
    saved_model_schema_version: 1
    meta_graphs {
      meta_info_def { tags: "serve" tags: 'gpu' stripped_default_attrs: true }
      graph_def { node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } } versions < producer: 987 > }
      collection_def { key: "l" value { int64_list { value: [1, -2] } } }
      object_graph_def { nodes { user_object {} } }
    })",
                           &model),
              IsOk());
  const proto::MetaGraphDef& graph = model.meta_graphs(0);
  EXPECT_EQ(graph.meta_info_def().tags(1), "gpu");
  EXPECT_EQ(graph.graph_def().node(0).attr().at("dtype").type(), proto::DT_FLOAT);
  EXPECT_EQ(graph.graph_def().versions().producer(), 987);
  EXPECT_EQ(graph.collection_def().at("l").int64_list().value(1), -2);
  EXPECT_TRUE(graph.object_graph_def().nodes(0).has_user_object());
}

TEST(ParseText, ReadsAnyUnderTensorFlowsNames) {
  proto::SavedModel model;
  ASSERT_THAT(
      ParseQuietly(R"(meta_graphs { collection_def { key: "saved_model_assets" value { any_list { value {
      [type.googleapis.com/tensorflow.AssetFileDef] { tensor_info { name: "é:0" } filename: "f" } } } } } })",
                   &model),
      IsOk());
  const auto& any = model.meta_graphs(0).collection_def().at("saved_model_assets").any_list().value(0);
  EXPECT_EQ(any.type_url(), "type.googleapis.com/tensorflow.AssetFileDef");
  proto::AssetFileDef asset;
  ASSERT_TRUE(asset.ParseFromString(any.value()));
  EXPECT_EQ(asset.tensor_info().name(), "é:0");
  EXPECT_EQ(asset.filename(), "f");
}

TEST(ParseText, AnyMayHoldAMapAndBytesThatAreNotText) {
  proto::SavedModel model;
  ASSERT_THAT(
      ParseQuietly(R"(meta_graphs { meta_info_def { any_info { [type.googleapis.com/tensorflow.NodeDef] {
      name: "n" attr { key: "b" value { s: "\xff" } } attr { key: "a" value { i: 3 } } } } } })",
                   &model),
      IsOk());
  proto::NodeDef node;
  ASSERT_TRUE(node.ParseFromString(model.meta_graphs(0).meta_info_def().any_info().value()));
  EXPECT_EQ(node.attr().at("b").s(), "\xff");
  EXPECT_EQ(node.attr().at("a").i(), 3);
}

TEST(ParseText, BadStringsInsideAnyStayQuietUntilSomebodyParsesThem) {
  proto::SavedModel model;
  ASSERT_THAT(ParseQuietly(R"(meta_graphs { meta_info_def { any_info {
      [type.googleapis.com/tensorflow.AssetFileDef] { filename: "\377" } } } })",
                           &model),
              IsOk());
  proto::AssetFileDef asset;
  EXPECT_THAT(ParseBounded(model.meta_graphs(0).meta_info_def().any_info().value(), &asset, {}),
              StatusIs(StatusCode::kDataLoss));
}

TEST(ParseText, RefusesAnyOfTypesNobodyKnows) {
  EXPECT_THAT(
      ParseQuietly("meta_graphs { meta_info_def { any_info { [type.googleapis.com/other.Thing] {} } } }"),
      StatusIs(StatusCode::kDataLoss, HasSubstr("other.Thing")));
  EXPECT_THAT(ParseQuietly("meta_graphs { meta_info_def { any_info { [evil.com/tensorflow.NodeDef] {} } } }"),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(ParseQuietly("meta_graphs { [some.extension]: 1 }"), StatusIs(StatusCode::kDataLoss));
}

TEST(ParseText, NamesTheUnknownFieldWithLineAndColumn) {
  const Status status = ParseQuietly("saved_model_schema_version: 1\n  meta_grafs { }");
  EXPECT_THAT(status,
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("line 2, column "), HasSubstr("meta_grafs"),
                                                    HasSubstr("SavedModel"))));
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::file, "m/saved_model.pbtxt")));
}

TEST(ParseText, RefusesBrokenText) {
  for (const char* text :
       {"saved_model_schema_version: x", "saved_model_schema_version: 99999999999999999999", "meta_graphs {",
        "meta_graphs }", "meta_graphs { saver_def { version: V9 } }", "saved_model_schema_version: 1 \"",
        "\x01", "saved_model_schema_version: 1 saved_model_schema_version: 2",
        "meta_graphs { meta_info_def { tags: \"a\n\" } }", "meta_graphs { meta_info_def { tags: \"\\q\" } }",
        "version https://git-lfs.github.com/spec/v1"})
    EXPECT_THAT(ParseQuietly(text), StatusIs(StatusCode::kDataLoss)) << text;
}

TEST(ParseText, RefusesBytesThatAreNotUtf8AndSaysTheLine) {
  const Status status = ParseQuietly("saved_model_schema_version: 1\n# \xff");
  EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss, HasSubstr("line 2 is not UTF-8")));
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::offset, ::testing::Optional(32u))));
}

TEST(ParseText, RefusesEscapesThatMakeAStringNotUtf8) {
  EXPECT_THAT(ParseQuietly(R"(meta_graphs { meta_info_def { tags: "\377" } })"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("MetaInfoDef.tags")));
  EXPECT_THAT(ParseQuietly(R"(meta_graphs { collection_def { key: "\xff" } })"),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(ParseQuietly(R"(meta_graphs { meta_info_def { tags: "\303\251" } })"), IsOk());
}

TEST(ParseText, LimitsSizeAndDepth) {
  proto::SavedModel model;
  EXPECT_THAT(ParseQuietly("meta_graphs {}", &model, {.max_bytes = 13}),
              StatusIs(StatusCode::kResourceExhausted));
  std::string deep = "meta_graphs { graph_def { node { experimental_type { ";
  for (int i = 0; i < 200; ++i) deep += "args {";
  EXPECT_THAT(ParseQuietly(deep), StatusIs(StatusCode::kResourceExhausted));
}

TEST(ParseText, ManyBracesAreALimitAndNoStackOverflow) {
  const auto nested = [](const std::string& piece) {
    std::string text = "meta_graphs { object_graph_def { nodes { ";
    for (int i = 0; i < 200000; ++i) text += piece;
    return text;
  };
  EXPECT_FALSE(ParseQuietly(nested("children {")).ok());
  EXPECT_FALSE(ParseQuietly(nested("attributes {")).ok());  // a reserved name, whose value is skipped
  EXPECT_FALSE(ParseQuietly(nested("attributes: [")).ok());
  EXPECT_FALSE(ParseQuietly(nested("attributes <")).ok());
  EXPECT_FALSE(
      ParseQuietly(nested("serialized_user_proto { [type.googleapis.com/google.protobuf.Any] {")).ok());
}

TEST(ParseText, SkipsNamesOfRetiredFields) {
  proto::TrackableObjectGraph graph;
  ASSERT_THAT(ParseText("nodes { attributes { name: 'v' optional_restore: true } }", &graph, {}), IsOk());
  EXPECT_EQ(graph.nodes(0).attributes(0).name(), "v");
}

TEST(ParseText, ReadsACheckpointState) {
  proto::CheckpointState state;
  ASSERT_THAT(ParseText("model_checkpoint_path: \"ckpt-2\"\nall_model_checkpoint_paths: \"ckpt-1\"\n"
                        "all_model_checkpoint_timestamps: 1.5e9\n",
                        &state, {}),
              IsOk());
  EXPECT_EQ(state.model_checkpoint_path(), "ckpt-2");
  EXPECT_EQ(state.all_model_checkpoint_timestamps(0), 1.5e9);
}

TEST(PrintText, GivesWhatParseTextReads) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    proto::SavedModel model, back;
    RandomMessages(seed).Fill(&model, 100);
    // An Any of no known type, and numbers of enums that have no name, print in their raw form.
    ASSERT_THAT(ParseQuietly(PrintText(model), &back), IsOk()) << PrintText(model);
    EXPECT_EQ(*SerializeParsed(back), *SerializeParsed(model)) << "seed " << seed;
  }
}

TEST(PrintText, SpellsAnyOut) {
  proto::CollectionDef collection;
  auto* any = collection.mutable_any_list()->add_value();
  any->set_type_url("type.googleapis.com/tensorflow.AssetFileDef");
  any->set_value(
      "\x12\x01"
      "f");
  EXPECT_THAT(PrintText(collection), AllOf(HasSubstr("[type.googleapis.com/tensorflow.AssetFileDef]"),
                                           HasSubstr("filename: \"f\"")));
}

}  // namespace
}  // namespace savedmodel::internal
