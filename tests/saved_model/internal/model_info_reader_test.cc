#include "savedmodel/saved_model/internal/model_info_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/wire_model.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::GraphBuilder;
using ::savedmodel::testing::IndexOf;
using ::savedmodel::testing::kWireModelFile;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelInfo : public ::testing::Test {
 protected:
  StatusOr<MetaGraphInfo> Read() {
    const WireIndex index = IndexOf(model);
    return ReadMetaGraphInfo(index.meta_graphs()[0], kWireModelFile);
  }
  proto::SavedModel model;
  proto::MetaGraphDef& meta_graph = *model.add_meta_graphs();
};

TEST_F(ModelInfo, ReadsWhatTheMetaGraphSays) {
  auto& info = *meta_graph.mutable_meta_info_def();
  info.add_tags("serve");
  info.set_meta_graph_version("mine");
  info.set_tensorflow_version("2.20.0");
  info.set_tensorflow_git_version("v2");
  info.set_stripped_default_attrs(true);
  meta_graph.add_asset_file_def()->set_filename("b");
  meta_graph.add_asset_file_def()->set_filename("a");
  (*meta_graph.mutable_signature_def())["serving_default"].set_method_name("m");
  meta_graph.mutable_object_graph_def()->add_nodes();
  meta_graph.mutable_graph_def()->mutable_library()->add_function()->mutable_signature()->set_name("f");
  SM_ASSERT_OK_AND_ASSIGN(const MetaGraphInfo read, Read());
  EXPECT_THAT(read.tags, ElementsAre("serve"));
  EXPECT_EQ(read.meta_graph_version, "mine");
  EXPECT_EQ(read.tensorflow_version, "2.20.0");
  EXPECT_EQ(read.tensorflow_git_version, "v2");
  EXPECT_TRUE(read.stripped_default_attrs);
  EXPECT_TRUE(read.has_object_graph);
  EXPECT_THAT(read.assets, ElementsAre("b", "a")) << "by index";
  EXPECT_EQ(read.signatures.at("serving_default").method_name, "m");
  EXPECT_EQ(read.counts.nodes, 1u);
  EXPECT_EQ(read.counts.functions, 1u);
}

TEST_F(ModelInfo, NothingIsSaidWhereTheFileSaysNothing) {
  SM_ASSERT_OK_AND_ASSIGN(const MetaGraphInfo read, Read());
  EXPECT_THAT(read.tags, IsEmpty());
  EXPECT_EQ(read.tensorflow_version, "");
  EXPECT_FALSE(read.has_object_graph);
}

TEST_F(ModelInfo, APresentButEmptyObjectGraphIsOne) {
  meta_graph.mutable_object_graph_def();
  SM_ASSERT_OK_AND_ASSIGN(const MetaGraphInfo read, Read());
  EXPECT_TRUE(read.has_object_graph);
  EXPECT_EQ(read.counts.nodes, 0u);
}

TEST_F(ModelInfo, PartsThatCannotBeParsedSayWhere) {
  meta_graph.add_asset_file_def()->set_filename("name of an asset");
  std::string bytes = model.SerializeAsString();
  bytes[bytes.find("name of")] = '\xff';
  StatusOr<WireIndex> index = WireIndex::Build(Buffer::FromString(bytes), kWireModelFile);
  ASSERT_TRUE(index.ok());
  const auto read = ReadMetaGraphInfo(index->meta_graphs()[0], kWireModelFile);
  EXPECT_THAT(read, StatusIs(StatusCode::kDataLoss, HasSubstr("AssetFileDef")));
  EXPECT_THAT(read, StatusHasContext(AllOf(Field(&ErrorContext::file, kWireModelFile),
                                           Field(&ErrorContext::offset, ::testing::Ne(std::nullopt)))));
}

TEST(CountNodes, ASlotVariableIsNoVariable) {
  GraphBuilder b(7);
  b.Link(0, "opt", 1).Link(0, "v", 2).Slot(1, 2, "m", 3).Slot(1, 2, "v", 3);
  b.Kind(2, NodeKind::kVariable).Kind(3, NodeKind::kVariable).Kind(4, NodeKind::kResource);
  b.Kind(5, NodeKind::kConstant).Kind(6, NodeKind::kConstant);
  MetaGraphInfo::Counts counts;
  CountNodes(b.Build(), &counts);
  EXPECT_EQ(counts.variables, 1u);
  EXPECT_EQ(counts.slots, 2u);
  EXPECT_EQ(counts.tables, 1u);
  EXPECT_EQ(counts.constants, 2u);
}

}  // namespace
}  // namespace savedmodel::internal
