#include "savedmodel/object_graph/trackable_object_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

StatusOr<ObjectGraph> Read(const std::string& bytes) {
  return ReadTrackableObjectGraph(bytes, "c.index", "_KEY");
}

class TrackableObjectGraphReader : public ::testing::Test {
 protected:
  proto::TrackableObjectGraph in;
  proto::TrackableObjectGraph::TrackableObject& Add() { return *in.add_nodes(); }
  StatusOr<ObjectGraph> ReadIt() { return Read(in.SerializeAsString()); }
};

TEST_F(TrackableObjectGraphReader, ReadsEveryField) {
  auto& root = Add();
  auto* child = root.add_children();
  child->set_local_name("v");
  child->set_node_id(1);
  auto* slot = root.add_slot_variables();
  slot->set_original_variable_node_id(1);
  slot->set_slot_name("m");
  slot->set_slot_variable_node_id(2);
  root.mutable_registered_saver()->set_name("Saver");
  root.mutable_registered_saver()->set_object_name("object");
  auto& variable = Add();
  auto* attribute = variable.add_attributes();
  attribute->set_name("VARIABLE_VALUE");
  attribute->set_full_name("v:0");
  attribute->set_checkpoint_key("v/.ATTRIBUTES/VARIABLE_VALUE");
  variable.mutable_has_checkpoint_values()->set_value(true);
  Add().mutable_has_checkpoint_values();
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, ReadIt());
  ASSERT_EQ(graph.size(), 3u);
  for (const Node& node : graph.nodes()) EXPECT_EQ(node.kind, NodeKind::kTrackable);
  EXPECT_THAT(graph.node(0).children, ElementsAre(Edge{"v", 1}));
  EXPECT_THAT(graph.node(0).slots, ElementsAre(SlotReference{1, "m", 2}));
  EXPECT_EQ(graph.node(0).registered_saver, "Saver");
  EXPECT_EQ(graph.node(0).registered_saver_object, "object");
  EXPECT_EQ(graph.node(0).has_checkpoint_values, std::nullopt);
  EXPECT_THAT(graph.node(1).attributes,
              ElementsAre(Attribute{"VARIABLE_VALUE", "v:0", "v/.ATTRIBUTES/VARIABLE_VALUE"}));
  EXPECT_EQ(graph.node(1).has_checkpoint_values, std::optional(true));
  EXPECT_EQ(graph.node(2).has_checkpoint_values, std::optional(false)) << "present and false";
}

TEST_F(TrackableObjectGraphReader, ARetiredFieldIsNoFault) {
  Add().add_attributes()->set_name("a");
  std::string bytes = in.SerializeAsString();
  // optional_restore = true, behind the name in the attribute, with both lengths above it adjusted.
  bytes += std::string("\x20\x01", 2);
  bytes[1] = static_cast<char>(bytes[1] + 2);
  bytes[3] = static_cast<char>(bytes[3] + 2);
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read(bytes));
  EXPECT_EQ(graph.node(0).attributes[0].name, "a");
}

TEST_F(TrackableObjectGraphReader, BrokenBytesAreDataLossWithFileAndKey) {
  for (const std::string& bytes : {std::string("\x0a\x05x"), std::string("\xff"), std::string()}) {
    EXPECT_THAT(Read(bytes), StatusIs(StatusCode::kDataLoss, HasSubstr("checkpoint object graph")));
    EXPECT_THAT(Read(bytes), StatusHasContext(AllOf(Field(&ErrorContext::file, "c.index"),
                                                    Field(&ErrorContext::key, "_KEY"))));
  }
}

TEST_F(TrackableObjectGraphReader, Case60_IdsOutsideTheGraphAreDataLossWithFileAndKey) {
  for (const int id : {-1, 1, INT32_MAX, INT32_MIN}) {
    for (int field = 0; field < 3; ++field) {
      in.Clear();
      auto& node = Add();
      if (field == 0) node.add_children()->set_node_id(id);
      if (field == 1) node.add_slot_variables()->set_original_variable_node_id(id);
      if (field == 2) node.add_slot_variables()->set_slot_variable_node_id(id);
      EXPECT_THAT(ReadIt(),
                  StatusIs(StatusCode::kDataLoss, HasSubstr("checkpoint object graph: node 0 has a")));
      EXPECT_THAT(ReadIt(), StatusHasContext(AllOf(Field(&ErrorContext::file, "c.index"),
                                                   Field(&ErrorContext::key, "_KEY"),
                                                   Field(&ErrorContext::found, std::to_string(id)))));
    }
  }
}

TEST_F(TrackableObjectGraphReader, AnyTruncationIsReadOrRefused) {
  for (int i = 0; i < 4; ++i) Add().add_children()->set_node_id(3 - i);
  const std::string sound = in.SerializeAsString();
  for (size_t size = 0; size < sound.size(); ++size) {
    const auto graph = Read(sound.substr(0, size));
    EXPECT_THAT(graph, StatusIs(StatusCode::kDataLoss)) << size << " bytes: the first node names the last";
  }
}

}  // namespace
}  // namespace savedmodel
