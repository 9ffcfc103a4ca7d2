#include "savedmodel/object_graph/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "savedmodel/object_graph/attach_listener.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::Field;

const TensorSpec kScalar = {DType::kFloat32, Shape{}};

Tensor Scalar(float value) { return *Tensor::FromValues<float>({}, {value}); }

TEST(Module, HasTheLabelsOfItsWriter) {
  EXPECT_EQ(Module().identifier(), "_generic_user_object");
  const Module layer({.identifier = "_tf_keras_layer", .producer = 3, .min_consumer = 2, .metadata = "{}"});
  EXPECT_EQ(layer.identifier(), "_tf_keras_layer");
  EXPECT_EQ(layer.producer(), 3);
  EXPECT_EQ(layer.min_consumer(), 2);
  EXPECT_EQ(layer.metadata(), "{}");
  EXPECT_EQ(layer.kind(), NodeKind::kUserObject);
}

TEST(ModuleAddVariable, MakesATrackedVariableOfThatNameWithItsInitialValue) {
  Module module;
  SM_ASSERT_OK_AND_ASSIGN(const auto v, module.AddVariable("v", kScalar, [] { return Scalar(5); }));
  EXPECT_EQ(module.Child("v"), v);
  EXPECT_EQ(v->name(), "v");
  EXPECT_EQ(*v->Read(), Scalar(5));
}

TEST(ModuleAddVariable, WithoutAnInitializerThereIsNoValue) {
  Module module;
  SM_ASSERT_OK_AND_ASSIGN(const auto v, module.AddVariable("v", kScalar));
  EXPECT_THAT(v->Read(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(ModuleAddVariable, ANameThatIsTakenStays) {
  Module module;
  const auto child = std::make_shared<Module>();
  ASSERT_THAT(module.Track("a b", child), IsOk());
  const auto added = module.AddVariable("a b", kScalar);
  EXPECT_THAT(added, StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(added, StatusHasContext(Field(&ErrorContext::path, "\"a b\"")));
  EXPECT_EQ(module.Child("a b"), child);
}

TEST(ModuleAddVariable, WhatFailsIsNotTracked) {
  Module module;
  EXPECT_THAT(module.AddVariable("v", {}), StatusIs(StatusCode::kInvalidArgument));
  const auto failing = []() -> StatusOr<Tensor> { return Status(StatusCode::kUnavailable, "later"); };
  EXPECT_THAT(module.AddVariable("v", kScalar, failing), StatusIs(StatusCode::kUnavailable));
  const auto misfit = [] { return Tensor::FromValues<float>({1}, {1}); };
  EXPECT_THAT(module.AddVariable("v", kScalar, misfit), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(module.num_children(), 0u);
  EXPECT_THAT(module.AddVariable("v", kScalar), IsOk());
}

// Gives every new variable a value.
class Giver : public AttachListener {
 public:
  uint64_t issue() const override { return 1; }
  void OnChild(int32_t, const std::string&, const std::shared_ptr<Trackable>& child) override {
    EXPECT_THAT(dynamic_cast<Variable&>(*child).Assign(Scalar(9)), IsOk());
  }
  void OnSlot(int32_t, const std::shared_ptr<Trackable>&) override {}
};

TEST(ModuleAddVariable, AValueThatWaitedComesBeforeTheInitializerIsCalled) {
  Module module;
  const auto giver = std::make_shared<Giver>();
  module.AddListener(giver, 0);
  int calls = 0;
  SM_ASSERT_OK_AND_ASSIGN(const auto v, module.AddVariable("v", kScalar, [&]() -> StatusOr<Tensor> {
    ++calls;
    return Scalar(1);
  }));
  EXPECT_EQ(*v->Read(), Scalar(9));
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace savedmodel
