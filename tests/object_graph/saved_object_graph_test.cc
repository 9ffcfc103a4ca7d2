#include "savedmodel/object_graph/saved_object_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/wire_model.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IndexOf;
using ::savedmodel::testing::kWireModelFile;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Optional;

class SavedObjectGraphReader : public ::testing::Test {
 protected:
  proto::SavedModel model;
  proto::MetaGraphDef& meta_graph = *model.add_meta_graphs();
  proto::SavedObjectGraph& objects = *meta_graph.mutable_object_graph_def();

  proto::SavedObject& Add() { return *objects.add_nodes(); }
  static void Link(proto::SavedObject& from, const std::string& name, int to) {
    auto* child = from.add_children();
    child->set_local_name(name);
    child->set_node_id(to);
  }
  void Capture(const std::string& function, const std::vector<int>& ids) {
    auto& concrete = (*objects.mutable_concrete_functions())[function];
    for (const int id : ids) concrete.add_bound_inputs(id);
  }
  StatusOr<ObjectGraph> Read() {
    const WireIndex index = IndexOf(model);
    return ReadSavedObjectGraph(index.meta_graphs()[0], kWireModelFile);
  }
};

TEST_F(SavedObjectGraphReader, ReadsEdgesInOrderAndUserObjects) {
  proto::SavedObject& root = Add();
  Link(root, "b", 1);
  Link(root, "a", 1);
  Link(root, "b", 0);
  root.set_registered_name("pkg.Class");
  root.set_registered_saver("pkg.Saver");
  proto::SavedUserObject& user = *root.mutable_user_object();
  user.set_identifier("trackable_list_wrapper");
  user.mutable_version()->set_producer(2);
  user.mutable_version()->set_min_consumer(1);
  user.mutable_version()->add_bad_consumers(7);
  user.set_metadata("{}");
  Add();
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  ASSERT_EQ(graph.size(), 2u);
  const Node& node = graph.node(0);
  EXPECT_EQ(node.kind, NodeKind::kUserObject);
  EXPECT_THAT(node.children, ElementsAre(Edge{"b", 1}, Edge{"a", 1}, Edge{"b", 0}));
  EXPECT_EQ(node.registered_name, "pkg.Class");
  EXPECT_EQ(node.registered_saver, "pkg.Saver");
  ASSERT_NE(node.user_object(), nullptr);
  EXPECT_EQ(node.user_object()->identifier, "trackable_list_wrapper");
  EXPECT_EQ(node.user_object()->producer, 2);
  EXPECT_EQ(node.user_object()->min_consumer, 1);
  EXPECT_THAT(node.user_object()->bad_consumers, ElementsAre(7));
  EXPECT_EQ(node.user_object()->metadata, "{}");
  EXPECT_EQ(graph.node(1).kind, NodeKind::kNone) << "case 45: no kind is no error here";
}

TEST_F(SavedObjectGraphReader, ReadsVariables) {
  proto::SavedVariable& variable = *Add().mutable_variable();
  variable.set_dtype(proto::DT_FLOAT);
  variable.mutable_shape()->add_dim()->set_size(-1);
  variable.mutable_shape()->add_dim()->set_size(3);
  variable.set_name("dense/kernel");
  variable.set_trainable(true);
  variable.set_device("/gpu:0");
  variable.set_synchronization(proto::VARIABLE_SYNCHRONIZATION_ON_READ);
  variable.set_aggregation(proto::VARIABLE_AGGREGATION_MEAN);
  proto::SavedVariable& part = *variable.add_experimental_distributed_variable_components();
  part.set_name("part");
  part.set_dtype(static_cast<proto::DataType>(99));
  part.mutable_shape()->set_unknown_rank(true);
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  const VariableInfo& info = *graph.node(0).variable();
  EXPECT_EQ(info.spec.ToString(), "float32[?,3]");
  EXPECT_EQ(info.name, "dense/kernel");
  EXPECT_TRUE(info.trainable);
  EXPECT_EQ(info.device, "/gpu:0");
  EXPECT_EQ(info.synchronization, 3);
  EXPECT_EQ(info.aggregation, 2);
  ASSERT_EQ(info.components.size(), 1u);
  EXPECT_EQ(info.components[0].name, "part");
  EXPECT_EQ(static_cast<int>(info.components[0].spec.dtype), 99)
      << "an unknown dtype is for whoever needs it";
}

TEST_F(SavedObjectGraphReader, ReadsSlotsSaveFunctionsAndOtherKinds) {
  meta_graph.add_asset_file_def()->set_filename("a.txt");
  proto::SavedObject& optimizer = Add();
  auto* slot = optimizer.add_slot_variables();
  slot->set_original_variable_node_id(1);
  slot->set_slot_name("m");
  slot->set_slot_variable_node_id(2);
  auto& saveables = *optimizer.mutable_saveable_objects();
  saveables["z"].set_save_function(3);
  saveables["a"].set_restore_function(4);
  Add().mutable_asset()->set_asset_file_def_index(0);
  Add().mutable_constant()->set_operation("Const_3");
  Add().mutable_resource()->set_device("/cpu:0");
  Add().mutable_captured_tensor()->set_name("x:0");
  objects.mutable_nodes(4)->mutable_captured_tensor()->set_concrete_function("f");
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  EXPECT_THAT(graph.node(0).slots, ElementsAre(SlotReference{1, "m", 2}));
  ASSERT_EQ(graph.node(0).saveables.size(), 2u);
  EXPECT_EQ(graph.node(0).saveables[0].name, "a") << "sorted: maps have no order";
  EXPECT_EQ(graph.node(0).saveables[0].restore, 4);
  EXPECT_EQ(graph.node(0).saveables[1].save, 3);
  EXPECT_EQ(std::get<AssetInfo>(graph.node(1).detail).file_index, 0);
  EXPECT_EQ(std::get<ConstantInfo>(graph.node(2).detail).operation, "Const_3");
  EXPECT_EQ(std::get<ResourceInfo>(graph.node(3).detail).device, "/cpu:0");
  EXPECT_EQ(std::get<CapturedTensorInfo>(graph.node(4).detail).concrete_function, "f");
}

TEST_F(SavedObjectGraphReader, DependenciesAreTheFilesOwnCapturesAndCreators) {
  proto::SavedObject& function = Add();
  function.mutable_function()->add_concrete_functions("f");
  function.mutable_function()->add_concrete_functions("g");
  function.mutable_function()->add_concrete_functions("f");
  function.add_dependencies()->set_node_id(3);
  Add().mutable_bare_concrete_function()->set_concrete_function_name("g");
  proto::SavedObject& table = Add();
  table.mutable_resource();
  Link(table, "_create_resource", 1);
  Link(table, "_initialize", 0);
  Add();
  Capture("f", {2, 1, 2});
  Capture("g", {0});
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  EXPECT_THAT(graph.node(0).dependencies, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(std::get<FunctionInfo>(graph.node(0).detail).concrete_functions, ElementsAre("f", "g", "f"));
  EXPECT_THAT(graph.node(1).dependencies, ElementsAre(0));
  EXPECT_THAT(graph.node(2).dependencies, ElementsAre(1));
}

TEST_F(SavedObjectGraphReader, Case37_AFunctionWithoutTracesHasNoDependencies) {
  Add().mutable_function();
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  EXPECT_TRUE(graph.node(0).dependencies.empty());
}

TEST_F(SavedObjectGraphReader, AnEmptyGraphIsEmpty) {
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  EXPECT_EQ(graph.size(), 0u);
}

TEST_F(SavedObjectGraphReader, Case60_CapturesOutsideTheGraphAreDataLoss) {
  Add();
  Add().mutable_function()->add_concrete_functions("f");
  for (const int id : {-1, 2, INT32_MAX, INT32_MIN}) {
    objects.clear_concrete_functions();
    Capture("f", {0, id});
    const auto graph = Read();
    EXPECT_THAT(graph, StatusIs(StatusCode::kDataLoss, HasSubstr("object graph: node 1 has a dependency")));
    EXPECT_THAT(graph, StatusHasContext(AllOf(Field(&ErrorContext::file, kWireModelFile),
                                              Field(&ErrorContext::found, std::to_string(id)))));
  }
}

struct BadReference {
  const char* name;
  std::function<void(proto::SavedObject&)> set;
};
void PrintTo(const BadReference& bad, std::ostream* out) { *out << bad.name; }

class FileReferences : public SavedObjectGraphReader, public ::testing::WithParamInterface<BadReference> {};

TEST_P(FileReferences, Case60_IsDataLossThatNamesNodeAndField) {
  Add();
  GetParam().set(Add());
  const auto graph = Read();
  EXPECT_THAT(graph,
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("node 1 "), HasSubstr(GetParam().name))));
  EXPECT_THAT(graph, StatusHasContext(Field(&ErrorContext::file, kWireModelFile)));
}

INSTANTIATE_TEST_SUITE_P(
    EveryField, FileReferences,
    ::testing::Values(
        BadReference{"child", [](auto& node) { node.add_children()->set_node_id(9); }},
        BadReference{"child", [](auto& node) { node.add_children()->set_node_id(-1); }},
        BadReference{"dependency", [](auto& node) { node.add_dependencies()->set_node_id(-1); }},
        BadReference{"slot's variable",
                     [](auto& node) { node.add_slot_variables()->set_original_variable_node_id(9); }},
        BadReference{"slot variable",
                     [](auto& node) { node.add_slot_variables()->set_slot_variable_node_id(9); }},
        BadReference{"save function",
                     [](auto& node) { (*node.mutable_saveable_objects())["x"].set_save_function(9); }},
        BadReference{"restore function",
                     [](auto& node) { (*node.mutable_saveable_objects())["x"].set_restore_function(-9); }},
        BadReference{"asset", [](auto& node) { node.mutable_asset()->set_asset_file_def_index(0); }},
        BadReference{"asset", [](auto& node) { node.mutable_asset()->set_asset_file_def_index(-1); }},
        BadReference{"function", [](auto& node) { node.mutable_function()->add_concrete_functions("gone"); }},
        BadReference{"function", [](auto& node) { node.mutable_bare_concrete_function(); }},
        BadReference{"shape",
                     [](auto& node) { node.mutable_variable()->mutable_shape()->add_dim()->set_size(-2); }}));

TEST_F(SavedObjectGraphReader, ANodeThatCannotBeParsedSaysWhere) {
  Add().mutable_variable()->set_name("dense/kernel");
  std::string bytes = model.SerializeAsString();
  bytes[bytes.find("dense/kernel")] = '\xff';
  StatusOr<WireIndex> index = WireIndex::Build(Buffer::FromString(bytes), kWireModelFile);
  ASSERT_TRUE(index.ok()) << index.status();
  const auto graph = ReadSavedObjectGraph(index->meta_graphs()[0], kWireModelFile);
  EXPECT_THAT(graph, StatusIs(StatusCode::kDataLoss, HasSubstr("object graph node")));
  EXPECT_THAT(graph, StatusHasContext(Field(&ErrorContext::offset, Optional(bytes.find("\xff")))));
}

// 40 thousand nodes that each name a function of a thousand captures: half a megabyte that asks for 40
// million ids.
TEST_F(SavedObjectGraphReader, CapturesCannotTakeMemoryOutOfProportion) {
  std::vector<int> ids;
  for (int id = 0; id < 1000; ++id) ids.push_back(id);
  Capture("f", ids);
  for (int i = 0; i < 40'000; ++i) Add().mutable_function()->add_concrete_functions("f");
  EXPECT_THAT(Read(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("capture")));
}

TEST_F(SavedObjectGraphReader, AFunctionNamedAgainAndAgainCountsOnce) {
  Capture("f", std::vector<int>(10'000, 0));
  proto::SavedFunction& function = *Add().mutable_function();
  for (int i = 0; i < 100'000; ++i) function.add_concrete_functions("f");
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph graph, Read());
  EXPECT_THAT(graph.node(0).dependencies, ElementsAre(0));
}

}  // namespace
}  // namespace savedmodel
