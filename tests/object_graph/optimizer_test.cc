#include "savedmodel/object_graph/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/attach_listener.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TensorSpec kSpec = {DType::kFloat32, Shape{2}};

std::shared_ptr<Variable> NewVariable() { return *Variable::Make(kSpec); }

Variable::Initializer Giving(float value, int* calls = nullptr) {
  return [value, calls]() -> StatusOr<Tensor> {
    if (calls) ++*calls;
    return Tensor::FromValues<float>({2}, {value, value});
  };
}

// Notes slots, and may do something to them.
class SlotListener : public AttachListener {
 public:
  uint64_t issue() const override { return 1; }
  void OnChild(int32_t, const std::string&, const std::shared_ptr<Trackable>&) override { FAIL(); }
  void OnSlot(int32_t token, const std::shared_ptr<Trackable>& slot) override {
    tokens.push_back(token);
    slots.push_back(slot);
    if (when_told) when_told(slot);
  }

  std::vector<int32_t> tokens;
  std::vector<std::shared_ptr<Trackable>> slots;
  std::function<void(const std::shared_ptr<Trackable>&)> when_told;
};

TEST(Optimizer, HasNoSlotsAtFirst) {
  const Optimizer optimizer;
  EXPECT_EQ(optimizer.Slot(*NewVariable(), "m"), nullptr);
  EXPECT_THAT(optimizer.slot_names(), IsEmpty());
}

TEST(Optimizer, MakesASlotOnDemandAndOnce) {
  Optimizer optimizer;
  const auto v = NewVariable();
  int calls = 0;
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec, Giving(3, &calls)));
  EXPECT_EQ(*slot->Read(), *Tensor::FromValues<float>({2}, {3, 3}));
  EXPECT_EQ(optimizer.Slot(*v, "m"), slot);
  SM_ASSERT_OK_AND_ASSIGN(const auto again, optimizer.GetOrMakeSlot(v, "m", kSpec, Giving(4, &calls)));
  EXPECT_EQ(again, slot);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(optimizer.num_children(), 0u) << "a slot is nobody's child";
}

TEST(Optimizer, SlotsAreOfOneVariableAndOneName) {
  Optimizer optimizer;
  const auto a = NewVariable(), b = NewVariable();
  SM_ASSERT_OK_AND_ASSIGN(const auto m, optimizer.GetOrMakeSlot(a, "m", kSpec));
  EXPECT_EQ(optimizer.Slot(*a, "v"), nullptr);
  EXPECT_EQ(optimizer.Slot(*b, "m"), nullptr);
  SM_ASSERT_OK_AND_ASSIGN(const auto v, optimizer.GetOrMakeSlot(a, "v", kSpec));
  SM_ASSERT_OK_AND_ASSIGN(const auto of_b, optimizer.GetOrMakeSlot(b, "m", kSpec));
  EXPECT_NE(m, v);
  EXPECT_NE(m, of_b);
  EXPECT_THAT(optimizer.slot_names(), ElementsAre("m", "v"));
}

TEST(Optimizer, WithoutAnInitializerASlotHasNoValue) {
  Optimizer optimizer;
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(NewVariable(), "m", kSpec));
  EXPECT_FALSE(slot->initialized());
}

TEST(Optimizer, ASlotThatCannotBeMadeIsNotThere) {
  Optimizer optimizer;
  const auto v = NewVariable();
  EXPECT_THAT(optimizer.GetOrMakeSlot(nullptr, "m", kSpec), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(optimizer.GetOrMakeSlot(v, "m", {}), StatusIs(StatusCode::kInvalidArgument));
  const auto failing = []() -> StatusOr<Tensor> { return Status(StatusCode::kUnavailable, "later"); };
  EXPECT_THAT(optimizer.GetOrMakeSlot(v, "m", kSpec, failing), StatusIs(StatusCode::kUnavailable));
  const auto misfit = [] { return Tensor::FromValues<float>({1}, {1}); };
  EXPECT_THAT(optimizer.GetOrMakeSlot(v, "m", kSpec, misfit), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(optimizer.Slot(*v, "m"), nullptr);
  EXPECT_THAT(optimizer.slot_names(), IsEmpty());
  EXPECT_THAT(optimizer.GetOrMakeSlot(v, "m", kSpec, Giving(1)), IsOk());
}

TEST(Optimizer, ForgetsAVariableOnDemand) {
  Optimizer optimizer;
  const auto a = NewVariable(), b = NewVariable();
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(a, "m", kSpec));
  EXPECT_FALSE(optimizer.RemoveSlots(*b));
  EXPECT_TRUE(optimizer.RemoveSlots(*a));
  EXPECT_FALSE(optimizer.RemoveSlots(*a));
  EXPECT_EQ(optimizer.Slot(*a, "m"), nullptr);
}

TEST(Optimizer, ASlotGoesWithItsVariable) {
  Optimizer optimizer;
  auto v = NewVariable();
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec));
  v.reset();
  EXPECT_THAT(optimizer.slot_names(), IsEmpty());
}

TEST(Optimizer, WhatIsKeptForVariablesThatAreGoneDoesNotGrow) {
  Optimizer optimizer;
  std::vector<std::weak_ptr<Variable>> slots;
  for (int i = 0; i < 10'000; ++i) {
    SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(NewVariable(), "m", kSpec));
    slots.push_back(slot);
  }
  int living = 0;
  for (const auto& slot : slots) living += !slot.expired();
  EXPECT_LE(living, 64);
}

TEST(Optimizer, KeepsTheSlotsOfManyLivingVariables) {
  Optimizer optimizer;
  std::vector<std::shared_ptr<Variable>> variables;
  for (int i = 0; i < 1000; ++i) {
    variables.push_back(NewVariable());
    ASSERT_THAT(optimizer.GetOrMakeSlot(variables.back(), "m", kSpec), IsOk());
  }
  for (const auto& v : variables) EXPECT_NE(optimizer.Slot(*v, "m"), nullptr);
}

TEST(Optimizer, DoesNotKeepVariablesAlive) {
  Optimizer optimizer;
  auto v = NewVariable();
  ASSERT_THAT(optimizer.GetOrMakeSlot(v, "m", kSpec), IsOk());
  const std::weak_ptr<Variable> watch = v;
  v.reset();
  EXPECT_TRUE(watch.expired());
}

// ---- What restores use ----

TEST(Optimizer, AnAdoptedSlotIsTheSlotUnlessThereIsOne) {
  Optimizer optimizer;
  const auto v = NewVariable(), first = NewVariable(), second = NewVariable();
  optimizer.AdoptSlot(v, "m", first);
  EXPECT_EQ(optimizer.Slot(*v, "m"), first);
  optimizer.AdoptSlot(v, "m", second);
  EXPECT_EQ(optimizer.Slot(*v, "m"), first);
  int calls = 0;
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec, Giving(1, &calls)));
  EXPECT_EQ(slot, first);
  EXPECT_EQ(calls, 0);
}

TEST(Optimizer, MakesWhatTakesAStoredSlotValue) {
  Optimizer optimizer;
  const auto v = NewVariable();
  SM_ASSERT_OK_AND_ASSIGN(const auto made, optimizer.MakeSlotFor(*v, "m", {DType::kFloat64, Shape{}}));
  EXPECT_EQ(made->dtype(), DType::kFloat64);
  EXPECT_EQ(optimizer.Slot(*v, "m"), nullptr) << "not a slot yet";
  EXPECT_THAT(optimizer.MakeSlotFor(*v, "m", {}), StatusIs(StatusCode::kInvalidArgument));
}

// An optimizer that names its slots, and makes none for integers.
class Naming : public Optimizer {
 public:
  StatusOr<std::shared_ptr<Variable>> MakeSlotFor(const Variable& variable, std::string_view slot_name,
                                                  const TensorSpec& spec) const override {
    if (spec.dtype == DType::kInt32) return std::shared_ptr<Variable>();
    auto slot = Optimizer::MakeSlotFor(variable, slot_name, spec);
    if (slot.ok()) (*slot)->set_name(variable.name() + "/" + std::string(slot_name));
    return slot;
  }
};

TEST(Optimizer, AClassSaysWhatItsSlotsAre) {
  Naming optimizer;
  const auto v = NewVariable();
  v->set_name("v");
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec));
  EXPECT_EQ(slot->name(), "v/m");
  EXPECT_THAT(optimizer.GetOrMakeSlot(v, "n", {DType::kInt32, Shape{}}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(optimizer.slot_names(), ElementsAre("m"));
}

TEST(Optimizer, TellsListenersOfNewSlotsOnly) {
  Optimizer optimizer;
  const auto listener = std::make_shared<SlotListener>();
  optimizer.AddListener(listener, 7);
  const auto v = NewVariable();
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec));
  ASSERT_THAT(optimizer.GetOrMakeSlot(v, "m", kSpec), IsOk());
  optimizer.AdoptSlot(v, "v", NewVariable());
  EXPECT_THAT(listener->tokens, ElementsAre(7));
  EXPECT_THAT(listener->slots, ElementsAre(slot));
}

TEST(Optimizer, AValueThatAListenerGivesComesBeforeTheInitializers) {
  Optimizer optimizer;
  const auto listener = std::make_shared<SlotListener>();
  optimizer.AddListener(listener, 0);
  const auto v = NewVariable();
  listener->when_told = [&](const std::shared_ptr<Trackable>& slot) {
    EXPECT_EQ(optimizer.Slot(*v, "m"), slot) << "it is the slot already";
    EXPECT_THAT(dynamic_cast<Variable&>(*slot).Assign(*Tensor::FromValues<float>({2}, {8, 9})), IsOk());
  };
  int calls = 0;
  SM_ASSERT_OK_AND_ASSIGN(const auto slot, optimizer.GetOrMakeSlot(v, "m", kSpec, Giving(1, &calls)));
  EXPECT_EQ(*slot->Read(), *Tensor::FromValues<float>({2}, {8, 9}));
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace savedmodel
