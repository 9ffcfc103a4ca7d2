#include "savedmodel/saved_model/internal/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "savedmodel/proto/node_def.pb.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/wire_model.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::IndexOf;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

StatusOr<Tensor> Read(const proto::NodeDef& node) {
  return ReadConstNode(node.SerializeAsString(), "f.pb", "c");
}

TEST(ReadConstNode, GivesTheValue) {
  proto::NodeDef node;
  auto& value = *(*node.mutable_attr())["value"].mutable_tensor();
  value.set_dtype(proto::DT_INT32);
  value.mutable_tensor_shape()->add_dim()->set_size(2);
  value.add_int_val(7);
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Read(node));
  EXPECT_EQ(tensor.shape(), Shape({2}));
  EXPECT_EQ((*tensor.View<int32_t>())[1], 7) << "one value stands for all";
}

TEST(ReadConstNode, WithoutAValueIsDataLossThatNamesTheNode) {
  proto::NodeDef node;
  EXPECT_THAT(Read(node), StatusIs(StatusCode::kDataLoss, HasSubstr("no value")));
  (*node.mutable_attr())["value"].set_i(3);
  EXPECT_THAT(Read(node),
              StatusHasContext(AllOf(Field(&ErrorContext::file, "f.pb"), Field(&ErrorContext::found, "c"))));
  EXPECT_THAT(ReadConstNode("\x0a\x05", "f.pb", "c"), StatusIs(StatusCode::kDataLoss));
}

TEST(ReadConstNode, AValueThatCannotBeSaysWhichNode) {
  proto::NodeDef node;
  auto& value = *(*node.mutable_attr())["value"].mutable_tensor();
  value.set_dtype(proto::DT_FLOAT);
  value.set_tensor_content("abc");
  EXPECT_THAT(Read(node), StatusIs(StatusCode::kDataLoss));
  value.set_dtype(proto::DT_RESOURCE);
  value.clear_tensor_content();
  EXPECT_THAT(Read(node), AllOf(StatusIs(StatusCode::kUnimplemented),
                                StatusHasContext(Field(&ErrorContext::file, "f.pb"))));
}

class ObjectGraphConstant : public ::testing::Test {
 protected:
  proto::SavedModel model;
  proto::GraphDef& graph = *model.add_meta_graphs()->mutable_graph_def();

  proto::TensorProto& AddConst(const std::string& name, proto::DataType dtype) {
    proto::NodeDef& node = *graph.add_node();
    node.set_name(name);
    node.set_op("Const");
    auto& value = *(*node.mutable_attr())["value"].mutable_tensor();
    value.set_dtype(dtype);
    return value;
  }
  // An encoded object graph whose root has a value under `key`.
  static std::string Graph(const std::string& key) {
    proto::TrackableObjectGraph objects;
    objects.add_nodes()->add_attributes()->set_checkpoint_key(key);
    return objects.SerializeAsString();
  }
  StatusOr<ObjectGraph> Find() {
    const WireIndex index = IndexOf(model);
    return ObjectGraphFromConstants(index.meta_graphs()[0], "f.pb");
  }
};

TEST_F(ObjectGraphConstant, IsTheLargestStringThatReadsAsOne) {
  AddConst("small", proto::DT_STRING).add_string_val(Graph("k"));
  AddConst("large", proto::DT_STRING).add_string_val(Graph("a longer key"));
  AddConst("text", proto::DT_STRING)
      .add_string_val("not an object graph, and longer than both of the others");
  AddConst("vector", proto::DT_STRING).mutable_tensor_shape()->add_dim()->set_size(1);
  SM_ASSERT_OK_AND_ASSIGN(const ObjectGraph found, Find());
  EXPECT_EQ(found.node(0).attributes[0].checkpoint_key, "a longer key");
}

TEST_F(ObjectGraphConstant, AGraphThatNamesNoKeyIsNone) {
  AddConst("c", proto::DT_STRING).add_string_val(Graph(""));
  EXPECT_THAT(Find(), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Find(), StatusHasContext(Field(&ErrorContext::file, "f.pb")));
}

TEST_F(ObjectGraphConstant, BrokenConstantsAreNotInTheWay) {
  AddConst("broken", proto::DT_STRING).set_tensor_content(std::string(1000, '\xff'));
  graph.add_node()->set_op("Const");
  AddConst("c", proto::DT_STRING).add_string_val(Graph("k"));
  EXPECT_EQ(Find()->node(0).attributes[0].checkpoint_key, "k");
}

// A few bytes of a constant can stand for gigabytes of zeros: what cannot be the graph is not spelled out.
TEST_F(ObjectGraphConstant, OtherConstantsAreNotDecoded) {
  for (int i = 0; i < 1000; ++i) {
    AddConst("zeros" + std::to_string(i), proto::DT_FLOAT)
        .mutable_tensor_shape()
        ->add_dim()
        ->set_size(1 << 27);
  }
  AddConst("c", proto::DT_STRING).add_string_val(Graph("k"));
  EXPECT_EQ(Find()->node(0).attributes[0].checkpoint_key, "k");
}

}  // namespace
}  // namespace savedmodel::internal
