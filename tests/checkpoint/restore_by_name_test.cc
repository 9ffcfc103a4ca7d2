// Checkpoints without an object graph, and those with one asked by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/tests/checkpoint/checkpoint_builder.h"
#include "savedmodel/tests/checkpoint/live_objects_for_tests.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

const std::string kData = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/";

std::shared_ptr<MemoryFileSystem> Named(
    const std::vector<std::pair<std::string, std::vector<float>>>& tensors) {
  BundleBuilder bundle;
  for (const auto& [name, values] : tensors) {
    bundle.Add(
        {.key = name, .shape = {static_cast<int64_t>(values.size())}, .payload = BytesOfFloats(values)});
  }
  auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "c");
  return files;
}

TEST(RestoreByName, ExistingAndLaterObjectsAreFoundByTheirNames) {
  auto bias = MakeFloats({-1}, "scope/bias"), later = MakeFloats({-1}, "scope/later"),
       deep = MakeFloats({-1}, "deep");
  auto root = MakeModule({{"anything", bias}});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Named({{"deep", {3}}, {"scope/bias", {1}}, {"scope/later", {2}}});
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Restore("c", {.file_system = files}));
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{1});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  EXPECT_TRUE(status.waits());
  ASSERT_THAT(root->Track("x", later), IsOk());
  ASSERT_THAT(root->Track("y", MakeModule({{"z", deep}})), IsOk());
  EXPECT_EQ(FloatsOf(later), std::vector<float>{2});
  EXPECT_EQ(FloatsOf(deep), std::vector<float>{3});
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  EXPECT_FALSE(status.waits());
}

TEST(RestoreByName, AVariableThatTheFileDoesNotNameKeepsItsValueAndIsTold) {
  auto bias = MakeFloats({-1}, "bias"), other = MakeFloats({1}, "not_in_name_checkpoint");
  auto root = MakeModule({{"bias", bias}});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Named({{"bias", {1}}, {"unused", {9}}});
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus first, checkpoint.Restore("c", {.file_system = files}));
  EXPECT_THAT(first.AssertConsumed(), IsOk());
  ASSERT_THAT(root->Track("other", other), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus second, checkpoint.Restore("c", {.file_system = files}));
  EXPECT_EQ(FloatsOf(other), std::vector<float>{1});
  EXPECT_THAT(second.AssertExistingObjectsMatched(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("not_in_name_checkpoint")));
  EXPECT_THAT(second.unrestored_objects(), ElementsAre(Field(&UnrestoredObject::path, "root.other")));
  EXPECT_THAT(second.unused_values(), ElementsAre(Field(&UnusedValue::key, "unused")));
}

class Configured : public Module {
 public:
  explicit Configured(bool optional) : optional_(optional) {}
  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "OBJECT_CONFIG_JSON", .spec = {DType::kString, Shape{}}, .optional = optional_}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>>) override { return OkStatus(); }

 private:
  bool optional_;
};

TEST(RestoreByName, AnAttributeWithoutANameFailsTheAssertionsUnlessItIsOptional) {
  const auto files = Named({{"bias", {1}}});
  for (bool optional : {false, true}) {
    auto root = std::make_shared<Configured>(optional);
    ASSERT_THAT(root->Track("bias", MakeFloats({-1}, "bias")), IsOk());
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
    SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Restore("c", {.file_system = files}));
    for (const Status& answer :
         {status.AssertConsumed(), status.AssertExistingObjectsMatched(), status.AssertNontrivialMatch()}) {
      if (optional) {
        EXPECT_THAT(answer, IsOk());
      } else {
        EXPECT_THAT(answer, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("OBJECT_CONFIG_JSON")));
      }
    }
  }
}

TEST(RestoreByName, WhatDoesNotFitChangesNothing) {
  auto a = MakeFloats({-1}, "a"), b = MakeFloats({-1, -1}, "b");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"a", a}, {"b", b}}));
  const auto files = Named({{"a", {1}}, {"b", {2}}});
  EXPECT_THAT(checkpoint.Restore("c", {.file_system = files}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("root.b")));
  EXPECT_EQ(FloatsOf(a), std::vector<float>{-1});
}

TEST(RestoreByName, B58_RenamesInBothDirections) {
  const auto files = Named({{"fc1/biases", {1}}, {"old/a/b", {2}}, {"same", {3}}});
  const NameMap by_live = NameMap::LiveToStored({{"dense/bias", "fc1/biases"}, {"new/", "old/"}});
  SM_ASSERT_OK_AND_ASSIGN(const NameMap by_stored,
                          NameMap::StoredToLive({{"fc1/biases", "dense/bias"}, {"old/", "new/"}}));
  for (const NameMap& names : {by_live, by_stored}) {
    auto bias = MakeFloats({-1}, "dense/bias"), nested = MakeFloats({-1}, "new/a/b"),
         same = MakeFloats({-1}, "same");
    SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint,
                            Checkpoint::Make({{"bias", bias}, {"nested", nested}, {"same", same}}));
    SM_ASSERT_OK_AND_ASSIGN(
        const RestoreStatus status,
        checkpoint.Restore("c", {.by = RestoreBy::kName, .names = names, .file_system = files}));
    EXPECT_EQ(FloatsOf(bias), std::vector<float>{1});
    EXPECT_EQ(FloatsOf(nested), std::vector<float>{2});
    EXPECT_EQ(FloatsOf(same), std::vector<float>{3});
    EXPECT_THAT(status.AssertConsumed(), IsOk());
  }
}

TEST(RestoreByName, Case38_AskedForByNameEveryNameMustBeThere) {
  auto a = MakeFloats({-1}, "dense/weights"), b = MakeFloats({-1}, "dense/bias");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"a", a}, {"b", b}}));
  const auto files = Named({{"dense/bias", {1}}, {"dense/weight", {2}}});
  EXPECT_THAT(checkpoint.Restore("c", {.by = RestoreBy::kName, .file_system = files}),
              StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("dense/weights"), HasSubstr("did you mean"))));
  EXPECT_EQ(FloatsOf(b), std::vector<float>{-1});
  ASSERT_THAT(checkpoint.Restore(
                  "c", {.by = RestoreBy::kName, .allow_partial_checkpoint = true, .file_system = files}),
              IsOk());
  EXPECT_EQ(FloatsOf(b), std::vector<float>{1});
}

TEST(RestoreByName, B59_AnObjectGraphIsAskedByFullNames) {
  CheckpointBuilder stored;
  const NodeId layer = stored.Add(kRootId, "layer_with_weights-0");
  stored.Floats(stored.Add(layer, "kernel"), {1}, "dense/kernel");
  stored.Floats(stored.Add(layer, "bias"), {2}, "dense/bias");
  stored.Floats(stored.Add(layer, "copy"), {3}, "twice");
  stored.Floats(stored.Add(layer, "copy_1"), {4}, "twice");
  const auto files = stored.Files("c");
  auto kernel = MakeFloats({-1}, "dense/kernel"), bias = MakeFloats({-1}, "mine/bias");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"k", kernel}, {"b", bias}}));
  RestoreOptions options{.by = RestoreBy::kName, .file_system = files};
  EXPECT_THAT(checkpoint.Restore("c", options), StatusIs(StatusCode::kNotFound, HasSubstr("mine/bias")));
  options.names = NameMap::LiveToStored({{"mine/", "dense/"}});
  ASSERT_THAT(checkpoint.Restore("c", options), IsOk());
  EXPECT_EQ(FloatsOf(kernel), std::vector<float>{1});
  EXPECT_EQ(FloatsOf(bias), std::vector<float>{2});

  SM_ASSERT_OK_AND_ASSIGN(Checkpoint other, Checkpoint::Make({{"t", MakeFloats({-1}, "twice")}}));
  EXPECT_THAT(other.Restore("c", {.by = RestoreBy::kName, .file_system = files}),
              StatusIs(StatusCode::kFailedPrecondition, AllOf(HasSubstr("several stored values"),
                                                              HasSubstr("node-4/"), HasSubstr("node-5/"))));
}

// B53, B56: only the index says what is a part of what.
TEST(RestoreByName, B53_APartitionedVariableIsRestoredWhole) {
  BundleBuilder bundle;
  bundle.AddDirectory("w", 1, {4});
  bundle.AddPart("w", {{0, 1}}, EncodePlain(BytesOfFloats({1})));
  bundle.AddPart("w", {{1, 3}}, EncodePlain(BytesOfFloats({2, 3, 4})));
  bundle.Add({.key = "part_0/kernel", .shape = {1}, .payload = BytesOfFloats({5})});
  auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "c");
  auto whole = MakeFloats({-1, -1, -1, -1}, "w"), plain = MakeFloats({-1}, "part_0/kernel");
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make({{"w", whole}, {"p", plain}}));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Restore("c", {.file_system = files}));
  EXPECT_EQ(FloatsOf(whole), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(FloatsOf(plain), std::vector<float>{5});
  EXPECT_THAT(status.AssertConsumed(), IsOk());

  SM_ASSERT_OK_AND_ASSIGN(Checkpoint parts, Checkpoint::Make({{"p", MakeFloats({-1}, "w/part_1")}}));
  EXPECT_THAT(parts.Restore("c", {.by = RestoreBy::kName, .file_system = files}),
              StatusIs(StatusCode::kNotFound, HasSubstr("w/part_1")));
}

TEST(RestoreByName, TwoRestoresInTurnLeaveOneWaiting) {
  auto root = MakeModule({{"a", MakeFloats({-1}, "a")}});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto first = Named({{"a", {1}}, {"later", {2}}}), second = Named({{"a", {3}}, {"later", {4}}});
  for (int i = 0; i < 4; ++i) {
    ASSERT_THAT(checkpoint.Restore("c", {.file_system = i % 2 == 0 ? first : second}), IsOk());
    EXPECT_EQ(checkpoint.num_waiting(), 1u);
  }
  auto later = MakeFloats({-1}, "later");
  ASSERT_THAT(root->Track("later", later), IsOk());
  EXPECT_EQ(FloatsOf(later), std::vector<float>{4});
}

// Counts how often it is asked for its values.
class Asked : public Module {
 public:
  std::vector<CheckpointValue> CheckpointValues() const override {
    return ++times, std::vector<CheckpointValue>();
  }
  mutable int times = 0;
};

// A link back to the parent does not lead a restore through the whole tree at every child.
TEST(RestoreByName, AChildWithALinkToItsParentCostsTheChildOnly) {
  auto root = std::make_shared<Asked>();
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Named({{"last", {1}}});
  ASSERT_THAT(checkpoint.Read("c", {.file_system = files}), IsOk());
  const int before = root->times;
  for (int i = 0; i < 50; ++i) {
    auto child = MakeModule({{"w", MakeFloats({-1}, i == 49 ? "last" : "other")}});
    ASSERT_THAT(child->TrackBack("parent", root), IsOk());
    ASSERT_THAT(root->Track("child" + std::to_string(i), child), IsOk());
  }
  EXPECT_EQ(root->times, before);
  EXPECT_EQ(FloatsOf(root->Child("child49")->ChildAs<Variable>("w")), std::vector<float>{1});
}

TEST(RestoreByName, SlotsThatAreMadeLaterAndThoseOfALaterOptimizerAreFound) {
  auto v = MakeFloats({-1}, "v");
  auto root = MakeModule({{"v", v}});
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(root));
  const auto files = Named({{"v", {1}}, {"v/m", {2}}, {"v/n", {3}}});
  ASSERT_THAT(checkpoint.Read("c", {.file_system = files}), IsOk());
  class Named : public Optimizer {
    StatusOr<std::shared_ptr<Variable>> MakeSlotFor(const Variable& variable, std::string_view slot_name,
                                                    const TensorSpec& spec) const override {
      auto slot = Optimizer::MakeSlotFor(variable, slot_name, spec);
      if (slot.ok()) (*slot)->set_name(variable.name() + "/" + std::string(slot_name));
      return slot;
    }
  };
  auto optimizer = std::make_shared<Named>();
  ASSERT_THAT(optimizer->GetOrMakeSlot(v, "m", v->spec()), IsOk());
  ASSERT_THAT(root->Track("optimizer", optimizer), IsOk());
  EXPECT_EQ(FloatsOf(optimizer->Slot(*v, "m")), std::vector<float>{2});
  ASSERT_THAT(optimizer->GetOrMakeSlot(v, "n", v->spec()), IsOk());
  EXPECT_EQ(FloatsOf(optimizer->Slot(*v, "n")), std::vector<float>{3});
}

TEST(RestoreByName, ATensorFlow1SaverFile) {
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(kData + "v1_saver/ckpt-7"));
  std::vector<NamedObject> objects;
  std::vector<std::pair<std::string, std::shared_ptr<Variable>>> variables;
  for (std::string_view key : reader.keys()) {
    SM_ASSERT_OK_AND_ASSIGN(const TensorInfo info, reader.Find(key));
    auto variable = *Variable::Make({info.dtype, info.shape});
    variable->set_name(std::string(key));
    objects.push_back({"v" + std::to_string(objects.size()), variable});
    variables.emplace_back(key, variable);
  }
  ASSERT_FALSE(variables.empty());
  SM_ASSERT_OK_AND_ASSIGN(Checkpoint checkpoint, Checkpoint::Make(objects));
  SM_ASSERT_OK_AND_ASSIGN(const RestoreStatus status, checkpoint.Restore(kData + "v1_saver/ckpt-7"));
  EXPECT_THAT(status.AssertConsumed(), IsOk());
  for (const auto& [key, variable] : variables) EXPECT_EQ(*variable->Read(), *reader.Read(key)) << key;
}

}  // namespace
}  // namespace savedmodel::testing
