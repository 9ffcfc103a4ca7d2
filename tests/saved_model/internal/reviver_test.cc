#include "savedmodel/saved_model/internal/reviver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

// A model whose root has every node it is given as a child n1, n2, ...
class ReviverTest : public ::testing::Test {
 protected:
  ReviverTest() { graph.add_nodes()->mutable_user_object()->set_identifier("_generic_user_object"); }

  proto::SavedObject& Add() {
    const int id = graph.nodes_size();
    auto* child = graph.mutable_nodes(0)->add_children();
    child->set_node_id(id);
    child->set_local_name("n" + std::to_string(id));
    return *graph.add_nodes();
  }
  proto::SavedUserObject& AddUserObject(const std::string& identifier) {
    proto::SavedUserObject& object = *Add().mutable_user_object();
    object.set_identifier(identifier);
    object.mutable_version()->set_producer(1);
    object.mutable_version()->set_min_consumer(1);
    return object;
  }

  // The objects of the nodes that `selection` wants.
  StatusOr<std::vector<std::shared_ptr<Trackable>>> ReviveAll(const Selection& selection = {"root"}) {
    const auto files = std::make_shared<MemoryFileSystem>();
    files->Add("m/saved_model.pb", Buffer::FromString(file.SerializeAsString()));
    StatusOr<std::shared_ptr<const Model>> opened = OpenModel("m", {.file_system = files});
    if (!opened.ok()) return opened.status();
    model = *opened;
    StatusOr<SelectedNodes> selected = Select(*model->graph, selection);
    if (!selected.ok()) return selected.status();
    const NodeNames names(*model->graph);
    StatusOr<Bindings> bindings = Bind(*model->graph, *selected, names);
    if (!bindings.ok()) return bindings.status();
    return Revive(*model, *selected, *bindings, names);
  }
  std::shared_ptr<Trackable> ReviveOne() {
    auto objects = ReviveAll();
    EXPECT_THAT(objects, IsOk());
    return objects.ok() ? objects->back() : nullptr;
  }

  proto::SavedModel file;
  proto::MetaGraphDef& meta_graph = *file.add_meta_graphs();
  proto::SavedObjectGraph& graph = *meta_graph.mutable_object_graph_def();
  std::shared_ptr<const Model> model;
};

TEST_F(ReviverTest, ContainersAreOfTheirOwnClasses) {
  AddUserObject("trackable_list_wrapper");
  AddUserObject("trackable_tuple_wrapper");
  AddUserObject("trackable_dict_wrapper");
  SM_ASSERT_OK_AND_ASSIGN(const auto objects, ReviveAll());
  EXPECT_NE(std::dynamic_pointer_cast<List>(objects[1]), nullptr);
  EXPECT_NE(std::dynamic_pointer_cast<Tuple>(objects[2]), nullptr);
  EXPECT_NE(std::dynamic_pointer_cast<Dict>(objects[3]), nullptr);
}

TEST_F(ReviverTest, Case50_WhatIsUnknownOrNewerIsAModuleThatKeepsItsLabels) {
  AddUserObject("_tf_keras_layer").set_metadata("{}");
  AddUserObject("trackable_list_wrapper").mutable_version()->set_min_consumer(2);
  AddUserObject("trackable_list_wrapper").mutable_version()->add_bad_consumers(1);
  AddUserObject("");
  SM_ASSERT_OK_AND_ASSIGN(const auto objects, ReviveAll());
  const auto keras = std::dynamic_pointer_cast<Module>(objects[1]);
  ASSERT_NE(keras, nullptr);
  EXPECT_EQ(keras->identifier(), "_tf_keras_layer");
  EXPECT_EQ(keras->metadata(), "{}");
  EXPECT_EQ(std::dynamic_pointer_cast<List>(objects[2]), nullptr);
  EXPECT_EQ(std::dynamic_pointer_cast<Module>(objects[2])->min_consumer(), 2);
  EXPECT_EQ(std::dynamic_pointer_cast<List>(objects[3]), nullptr);
  EXPECT_EQ(std::dynamic_pointer_cast<Module>(objects[4])->identifier(), "");
}

TEST_F(ReviverTest, VariablesAreAsDeclaredAndWithoutAValue) {
  proto::SavedVariable& in = *Add().mutable_variable();
  in.set_dtype(proto::DT_BFLOAT16);
  in.mutable_shape()->add_dim()->set_size(-1);
  in.set_name("v");
  const auto variable = std::dynamic_pointer_cast<Variable>(ReviveOne());
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(variable->spec().ToString(), "bfloat16[?]");
  EXPECT_EQ(variable->name(), "v");
  EXPECT_FALSE(variable->trainable());
  EXPECT_FALSE(variable->initialized());
}

TEST_F(ReviverTest, AVariableOfAnUnknownDTypeIsUnimplemented) {
  Add().mutable_variable()->set_dtype(static_cast<proto::DataType>(99));
  EXPECT_THAT(ReviveAll(), AllOf(StatusIs(StatusCode::kUnimplemented, HasSubstr("99")),
                                 StatusHasContext(Field(&ErrorContext::path, "root.n1"))));
  Add().mutable_user_object();
  EXPECT_THAT(ReviveAll({"root.n2"}), IsOk()) << "only where it is wanted";
}

TEST_F(ReviverTest, Case44_AnAssetIsBelowTheDirectoryThatWasOpened) {
  meta_graph.add_asset_file_def()->set_filename("other");
  meta_graph.add_asset_file_def()->set_filename("sub/words.txt");
  Add().mutable_asset()->set_asset_file_def_index(1);
  const auto asset = std::dynamic_pointer_cast<Asset>(ReviveOne());
  ASSERT_NE(asset, nullptr);
  EXPECT_EQ(asset->filename(), "sub/words.txt");
  EXPECT_EQ(asset->path(), "m/assets/sub/words.txt");
}

TEST_F(ReviverTest, AnAssetThatLeavesTheModelIsDataLoss) {
  for (const char* name : {"../secret", "/etc/passwd", "a/../../b", "", "a//b", "."}) {
    meta_graph.clear_asset_file_def();
    meta_graph.add_asset_file_def()->set_filename(name);
    graph.mutable_nodes()->DeleteSubrange(1, graph.nodes_size() - 1);
    graph.mutable_nodes(0)->clear_children();
    Add().mutable_asset();
    EXPECT_THAT(ReviveAll(), StatusIs(StatusCode::kDataLoss, HasSubstr("leads out"))) << name;
  }
}

TEST_F(ReviverTest, ConstantsAreReadWhenTheModelIsGone) {
  auto* node = meta_graph.mutable_graph_def()->add_node();
  node->set_name("Const_1");
  node->set_op("Const");
  auto& value = *(*node->mutable_attr())["value"].mutable_tensor();
  value.set_dtype(proto::DT_FLOAT);
  value.add_float_val(4);
  Add().mutable_constant()->set_operation("Const_1");
  const auto constant = std::dynamic_pointer_cast<Constant>(ReviveOne());
  ASSERT_NE(constant, nullptr);
  model.reset();
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, constant->Read());
  EXPECT_EQ((*tensor.View<float>())[0], 4);
}

TEST_F(ReviverTest, Case45_AConstantThatIsNotThereIsDataLossWhenItIsRead) {
  Add().mutable_constant()->set_operation("gone");
  const auto constant = std::dynamic_pointer_cast<Constant>(ReviveOne());
  ASSERT_NE(constant, nullptr);
  EXPECT_THAT(constant->Read(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(constant->Read(), StatusHasContext(AllOf(Field(&ErrorContext::path, "root.n1"),
                                                       Field(&ErrorContext::found, "gone"),
                                                       Field(&ErrorContext::file, "m/saved_model.pb"))));
}

TEST_F(ReviverTest, ABrokenConstantSaysWhichItIs) {
  auto* node = meta_graph.mutable_graph_def()->add_node();
  node->set_name("Const");
  node->set_op("Const");
  Add().mutable_constant()->set_operation("Const");
  const auto constant = std::dynamic_pointer_cast<Constant>(ReviveOne());
  EXPECT_THAT(constant->Read(), AllOf(StatusIs(StatusCode::kDataLoss, HasSubstr("no value")),
                                      StatusHasContext(Field(&ErrorContext::path, "root.n1"))));
}

TEST_F(ReviverTest, OtherKindsAreKeptAsTheyAre) {
  (*graph.mutable_concrete_functions())["f"];
  Add().mutable_function()->add_concrete_functions("f");
  Add().mutable_bare_concrete_function()->set_concrete_function_name("f");
  Add().mutable_captured_tensor()->set_name("x:0");
  Add().set_registered_name("newer.Kind");
  Add().mutable_resource()->set_device("/cpu:0");
  SM_ASSERT_OK_AND_ASSIGN(const auto objects, ReviveAll());
  const NodeKind kinds[] = {NodeKind::kFunction, NodeKind::kBareConcreteFunction, NodeKind::kCapturedTensor,
                            NodeKind::kNone};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NE(std::dynamic_pointer_cast<OpaqueNode>(objects[i + 1]), nullptr);
    EXPECT_EQ(objects[i + 1]->kind(), kinds[i]);
  }
  EXPECT_EQ(std::dynamic_pointer_cast<Resource>(objects[5])->device(), "/cpu:0");
}

TEST_F(ReviverTest, OnlySelectedNodesAreMadeAndBoundOnesAreTheCallers) {
  Add().mutable_user_object();
  Add().mutable_user_object();
  const auto mine = std::make_shared<Module>();
  SM_ASSERT_OK_AND_ASSIGN(const auto objects, ReviveAll(Selection({{"root.n2", mine}})));
  EXPECT_EQ(objects[0], nullptr);
  EXPECT_EQ(objects[1], nullptr);
  EXPECT_EQ(objects[2], mine);
  EXPECT_EQ(mine->num_children(), 0u) << "no edge yet";
}

}  // namespace
}  // namespace savedmodel::internal
