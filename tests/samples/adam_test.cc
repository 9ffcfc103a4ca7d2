#include "adam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace samples {
namespace {

using ::savedmodel::StatusCode;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::FloatEq;

Tensor Vector(float a, float b) { return *Tensor::FromValues<float>({2}, {a, b}); }
Tensor Scalar(float a) { return *Tensor::FromValues<float>({}, {a}); }

std::shared_ptr<Variable> Holding(const Tensor& value, const std::string& name) {
  auto variable = *Variable::Make({value.dtype(), value.shape()});
  EXPECT_THAT(variable->Assign(value), IsOk());
  variable->set_name(name);
  return variable;
}

std::vector<float> Values(const std::shared_ptr<Variable>& variable) {
  return variable ? ReadFloats(*variable).value().values : std::vector<float>();
}

class AdamTest : public ::testing::Test {
 protected:
  std::shared_ptr<Variable> v = Holding(Vector(1, 2), "v"), w = Holding(Scalar(3), "w");
  Adam adam;
};

// Numbers of tf.compat.v1.train.AdamOptimizer with its default options.
TEST_F(AdamTest, ComputesWhatTensorFlowDoes) {
  ASSERT_THAT(adam.Step({{v, Vector(0.5f, -4)}, {w, Scalar(2)}}), IsOk());
  EXPECT_THAT(Values(v), ElementsAre(FloatEq(0.9990000128746033f), FloatEq(2.000999927520752f)));
  EXPECT_THAT(Values(w), ElementsAre(FloatEq(2.999000072479248f)));
  EXPECT_THAT(Values(adam.Slot(*v, "m")),
              ElementsAre(FloatEq(0.050000011920928955f), FloatEq(-0.40000009536743164f)));
  EXPECT_THAT(Values(adam.Slot(*v, "v")),
              ElementsAre(FloatEq(0.00024999678134918213f), FloatEq(0.015999794006347656f)));
  EXPECT_THAT(Values(adam.ChildAs<Variable>("beta1_power")), ElementsAre(FloatEq(0.809999942779541f)));
  EXPECT_THAT(Values(adam.ChildAs<Variable>("beta2_power")), ElementsAre(FloatEq(0.9980010390281677f)));
  ASSERT_THAT(adam.Step({{v, Vector(0.25f, 8)}}), IsOk());
  EXPECT_THAT(Values(v), ElementsAre(FloatEq(0.9980678558349609f), FloatEq(2.000633716583252f)));
  EXPECT_THAT(Values(w), ElementsAre(FloatEq(2.999000072479248f)));
  for (int i = 0; i < 10; ++i)
    ASSERT_THAT(adam.Step({{v, Vector(1, static_cast<float>(i) - 5)}, {w, Scalar(-0.5f)}}), IsOk());
  EXPECT_THAT(Values(v), ElementsAre(FloatEq(0.9882352948188782f), FloatEq(2.0027012825012207f)));
  EXPECT_THAT(Values(w), ElementsAre(FloatEq(3.000605821609497f)));
  EXPECT_THAT(Values(adam.ChildAs<Variable>("beta1_power")), ElementsAre(FloatEq(0.2541864812374115f)));
}

TEST_F(AdamTest, KeepsNothingBeforeTheFirstStep) {
  EXPECT_EQ(adam.num_children(), 0u);
  EXPECT_EQ(adam.Slot(*v, "m"), nullptr);
}

TEST_F(AdamTest, ItsStateHasTheNamesOfTensorFlows) {
  ASSERT_THAT(adam.Step({{v, Vector(1, 1)}}), IsOk());
  EXPECT_THAT(adam.slot_names(), ElementsAre("m", "v"));
  EXPECT_EQ(adam.Slot(*v, "m")->name(), "v/Adam");
  EXPECT_EQ(adam.Slot(*v, "v")->name(), "v/Adam_1");
  EXPECT_EQ(adam.Child("beta1_power"), adam.ChildAs<Variable>("beta1_power"));
  EXPECT_EQ(adam.ChildAs<Variable>("beta1_power")->name(), "beta1_power");
}

TEST_F(AdamTest, AGradientThatDoesNotSuitItsVariableIsRefused) {
  EXPECT_THAT(adam.Step({{v, Scalar(1)}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(adam.Step({{nullptr, Scalar(1)}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(adam.Step({{w, *Tensor::FromValues<double>({}, {1})}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Values(v), ElementsAre(1, 2));
  EXPECT_THAT(Values(w), ElementsAre(3));
}

}  // namespace
}  // namespace samples
