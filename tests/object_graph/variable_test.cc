#include "savedmodel/object_graph/variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PartialShape Unknown(std::vector<int64_t> dims) { return *PartialShape::Make(dims); }

std::vector<float> Floats(const Tensor& tensor) {
  const Tensor aligned = *tensor.Aligned();
  const auto view = *aligned.View<float>();
  return {view.begin(), view.end()};
}

TEST(Variable, HasNoValueUntilOneIsAssigned) {
  SM_ASSERT_OK_AND_ASSIGN(const auto v, Variable::Make({DType::kFloat32, Shape{2}}));
  EXPECT_FALSE(v->initialized());
  v->set_name("dense/kernel");
  EXPECT_THAT(v->Read(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("dense/kernel float32[2]")));
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({2}, {1, 2})), IsOk());
  EXPECT_TRUE(v->initialized());
  EXPECT_THAT(Floats(*v->Read()), ElementsAre(1, 2));
}

TEST(Variable, TakesOnlyWhatFits) {
  SM_ASSERT_OK_AND_ASSIGN(const auto v, Variable::Make({DType::kFloat32, Shape{2}}));
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({2}, {1, 2})), IsOk());
  EXPECT_THAT(
      v->Assign(*Tensor::FromValues<float>({3}, {1, 2, 3})),
      StatusIs(StatusCode::kInvalidArgument, AllOf(HasSubstr("float32[2]"), HasSubstr("float32[3]"))));
  EXPECT_THAT(v->Assign(*Tensor::FromValues<int32_t>({2}, {1, 2})), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(v->Assign(*Tensor::FromValues<float>({2, 1}, {1, 2})), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Floats(*v->Read()), ElementsAre(1, 2)) << "a refused value changes nothing";
}

TEST(Variable, Case13_AnUnknownShapeTakesEveryShapeItStandsFor) {
  SM_ASSERT_OK_AND_ASSIGN(const auto some, Variable::Make({DType::kFloat32, Unknown({-1, 2})}));
  EXPECT_THAT(some->Assign(*Tensor::FromValues<float>({1, 2}, {1, 2})), IsOk());
  EXPECT_THAT(some->Assign(*Tensor::FromValues<float>({2, 1}, {1, 2})),
              StatusIs(StatusCode::kInvalidArgument));
  SM_ASSERT_OK_AND_ASSIGN(const auto any, Variable::Make({DType::kFloat32, PartialShape()}));
  EXPECT_THAT(any->Assign(*Tensor::FromValues<float>({1, 1, 1}, {4})), IsOk());
  EXPECT_EQ(any->shape(), PartialShape()) << "as declared";
}

TEST(Variable, NeedsADType) {
  EXPECT_THAT(Variable::Make({}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Variable::Make({static_cast<DType>(99), Shape{}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Variable::Make({DType::kString, PartialShape()}), IsOk());
}

TEST(Variable, HoldsStrings) {
  SM_ASSERT_OK_AND_ASSIGN(const auto v, Variable::Make({DType::kString, Shape{1}}));
  const std::vector<std::string> words = {std::string("a\0b", 3)};
  ASSERT_THAT(v->Assign(*Tensor::FromStrings({1}, words)), IsOk());
  const Tensor value = *v->Read();
  EXPECT_EQ(*value.StringAt(0), words[0]);
}

TEST(Variable, AValueReadOutlivesTheVariableAndTheNextAssignment) {
  SM_ASSERT_OK_AND_ASSIGN(auto v, Variable::Make({DType::kFloat32, Shape{1}}));
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({1}, {1})), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(const Tensor value, v->Read());
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({1}, {2})), IsOk());
  v.reset();
  EXPECT_THAT(Floats(value), ElementsAre(1));
}

TEST(WrappedVariable, WritesIntoTheCallersMemory) {
  std::vector<float> memory = {7, 8};
  SM_ASSERT_OK_AND_ASSIGN(
      const auto v, Variable::Wrap({DType::kFloat32, Shape{2}}, std::as_writable_bytes(std::span(memory))));
  EXPECT_TRUE(v->wraps_memory());
  EXPECT_EQ(v->wrapped_memory().size(), 8u);
  EXPECT_THAT(v->Read(), StatusIs(StatusCode::kFailedPrecondition)) << "what was there counts as no value";
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({2}, {1, 2})), IsOk());
  EXPECT_THAT(memory, ElementsAre(1, 2));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor value, v->Read());
  memory[0] = 5;
  EXPECT_THAT(Floats(value), ElementsAre(1, 2)) << "Read copies";
  EXPECT_THAT(Floats(*v->Read()), ElementsAre(5, 2));
  v->MarkInitialized(false);
  EXPECT_THAT(v->Read(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(WrappedVariable, AnyAlignmentWillDo) {
  std::array<std::byte, 9> memory{};
  SM_ASSERT_OK_AND_ASSIGN(const auto v,
                          Variable::Wrap({DType::kFloat32, Shape{2}}, std::span(memory).subspan(1)));
  ASSERT_THAT(v->Assign(*Tensor::FromValues<float>({2}, {1, 2})), IsOk());
  EXPECT_THAT(Floats(*v->Read()), ElementsAre(1, 2));
}

TEST(WrappedVariable, ZeroElementsNeedNoMemory) {
  SM_ASSERT_OK_AND_ASSIGN(const auto v, Variable::Wrap({DType::kFloat32, Shape{0, 3}}, {}));
  EXPECT_TRUE(v->wraps_memory());
  EXPECT_THAT(v->Assign(*Tensor::FromValues<float>({0, 3}, {})), IsOk());
  EXPECT_EQ(v->Read()->num_elements(), 0);
}

TEST(WrappedVariable, MemoryMustFit) {
  std::array<std::byte, 8> memory{};
  for (const size_t size : {size_t{0}, size_t{4}, size_t{7}}) {
    EXPECT_THAT(Variable::Wrap({DType::kFloat32, Shape{2}}, std::span(memory).first(size)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::to_string(size) + " bytes")));
  }
  // Bytes of so many elements do not fit 64 bits.
  EXPECT_THAT(Variable::Wrap({DType::kFloat32, Shape{int64_t{1} << 62}}, memory),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Variable::Wrap({DType::kFloat32, Unknown({-1})}, memory),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Variable::Wrap({DType::kString, Shape{1}}, memory), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Variable::Wrap({DType::kInvalid, Shape{1}}, memory), StatusIs(StatusCode::kInvalidArgument));
}

TEST(WrappedVariable, ARefusedValueLeavesTheMemoryAlone) {
  std::vector<float> memory = {7, 8};
  SM_ASSERT_OK_AND_ASSIGN(
      const auto v, Variable::Wrap({DType::kFloat32, Shape{2}}, std::as_writable_bytes(std::span(memory))));
  EXPECT_THAT(v->Assign(*Tensor::FromValues<double>({2}, {1, 2})), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(memory, ElementsAre(7, 8));
  EXPECT_FALSE(v->initialized());
}

TEST(Variable, IsAVariableNode) {
  SM_ASSERT_OK_AND_ASSIGN(const auto v, Variable::Make({DType::kFloat32, Shape{}}));
  EXPECT_EQ(v->kind(), NodeKind::kVariable);
  EXPECT_TRUE(v->identifier().empty());
  EXPECT_TRUE(v->trainable());
  v->set_trainable(false);
  EXPECT_FALSE(v->trainable());
  EXPECT_FALSE(v->wraps_memory());
  EXPECT_TRUE(v->wrapped_memory().empty());
}

}  // namespace
}  // namespace savedmodel
