#include "savedmodel/object_graph/python_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;

class Text : public PythonState {
 public:
  StatusOr<std::string> Serialize() const override { return text; }
  Status Deserialize(std::string_view state) override {
    if (state == "refused") return Status(StatusCode::kUnavailable, "refused");
    text = state;
    return OkStatus();
  }
  std::string text = "old";
};

std::vector<std::optional<Tensor>> OneString(const std::string& text) {
  return {*Tensor::FromStrings({}, std::vector<std::string>{text})};
}

TEST(PythonState, IsOneStringInACheckpoint) {
  const std::vector<CheckpointValue> values = Text().CheckpointValues();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].name, "py_state");
  EXPECT_EQ(values[0].spec, (TensorSpec{DType::kString, Shape{}}));
  EXPECT_EQ(values[0].full_name, "") << "a checkpoint of names does not hold it";
  EXPECT_FALSE(values[0].optional);
}

TEST(PythonState, TakesAnyBytes) {
  Text state;
  const std::string bytes("a\0\xff", 3);
  ASSERT_THAT(state.RestoreValues(OneString(bytes)), IsOk());
  EXPECT_EQ(state.text, bytes);
}

TEST(PythonState, AnErrorIsTheRestores) {
  Text state;
  EXPECT_THAT(state.RestoreValues(OneString("refused")), StatusIs(StatusCode::kUnavailable));
  EXPECT_EQ(state.text, "old");
}

TEST(PythonState, WhatIsNotOneStringIsRefused) {
  Text state;
  EXPECT_THAT(state.RestoreValues({}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(state.RestoreValues({std::nullopt}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(state.RestoreValues({*Tensor::FromValues<float>({}, {1})}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(state.text, "old");
}

}  // namespace
}  // namespace savedmodel
