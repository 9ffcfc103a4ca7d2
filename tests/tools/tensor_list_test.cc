#include "savedmodel/tools/tensor_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kData = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/";

StatusOr<std::vector<std::string>> Paths(const std::string& fixture, std::vector<std::string> filters) {
  const StatusOr<OpenedModel> model = OpenModel(kData + fixture);
  if (!model.ok()) return model.status();
  const auto tensors = TensorList(*model).Select(filters, false);
  if (!tensors.ok()) return tensors.status();
  std::vector<std::string> paths;
  for (const ListedTensor& tensor : *tensors) paths.push_back(tensor.path);
  return paths;
}

StatusOr<std::vector<std::string>> Keys(const std::string& fixture, std::string_view name) {
  const StatusOr<OpenedModel> model = OpenModel(kData + fixture);
  if (!model.ok()) return model.status();
  return TensorList(*model).Resolve(name);
}

TEST(TensorList, AFilterTakesANodeAndAllBelowIt) {
  EXPECT_THAT(*Paths("nested_modules", {"root.encoder.norm"}),
              ElementsAre("root.encoder.norm.bias", "root.encoder.norm.kernel"));
  EXPECT_THAT(*Paths("nested_modules", {"root.step", "root.decoder.layer.bias"}),
              ElementsAre("root.decoder.layer.bias", "root.step"));
  EXPECT_THAT(*Paths("nested_modules", {"root"}), SizeIs(8));
  EXPECT_THAT(*Paths("nested_modules", {}), SizeIs(9));  // the object graph's own too
}

TEST(TensorList, PatternsMatchComponents) {
  EXPECT_THAT(*Paths("nested_modules", {"root.*.layer.bias"}),
              ElementsAre("root.decoder.layer.bias", "root.encoder.layer.bias"));
  EXPECT_THAT(*Paths("nested_modules", {"root.**.bias"}), SizeIs(3));
}

TEST(TensorList, ASharedVariableIsFoundByAnyOfItsPaths) {
  const StatusOr<OpenedModel> model = OpenModel(kData + "shared_nodes");
  ASSERT_TRUE(model.ok());
  const auto all = *TensorList(*model).Select({}, true);
  size_t shared = 0;
  for (const ListedTensor& tensor : all) {
    if (tensor.paths.size() < 2) continue;
    ++shared;
    EXPECT_EQ(tensor.path, tensor.paths.front());
    for (const std::string& path : tensor.paths)
      EXPECT_THAT(*Paths("shared_nodes", {path}), ElementsAre(tensor.path));
  }
  EXPECT_GT(shared, 0u);
}

TEST(TensorList, AnOptimizerBringsItsSlotsAndASlotIsFoundByItsPath) {
  const std::vector<std::string> of_optimizer = *Paths("optimizer_slots_model", {"root.optimizer"});
  EXPECT_THAT(of_optimizer, ::testing::Contains("root.optimizer.slots.m.dense.bias"));
  EXPECT_THAT(of_optimizer, ::testing::Not(::testing::Contains("root.dense.bias")));
  EXPECT_THAT(*Paths("optimizer_slots_model", {"root.optimizer.slots.m.dense.bias"}),
              ElementsAre("root.optimizer.slots.m.dense.bias"));
  EXPECT_THAT(*Paths("optimizer_slots_model", {"root.optimizer.slots.m"}), SizeIs(2));
  EXPECT_THAT(*Paths("optimizer_slots_model", {"root.optimizer.slots.*.dense.kernel"}), SizeIs(3));
}

TEST(TensorList, AFilterThatLeadsToNothingIsAnError) {
  EXPECT_THAT(Paths("nested_modules", {"root.encodr"}),
              StatusIs(StatusCode::kNotFound, HasSubstr("\"encoder\"")));
  EXPECT_THAT(Paths("nested_modules", {"root.step", "root.*.nothing"}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Paths("nested_modules", {"encoder"}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Paths("nested_modules", {""}), StatusIs(StatusCode::kInvalidArgument));
}

TEST(TensorList, AnObjectWithoutValuesHasNone) {
  EXPECT_THAT(*Paths("nested_modules", {"root.signatures"}), IsEmpty());
  EXPECT_THAT(*Paths("adder", {"root.adder"}), IsEmpty());
}

TEST(TensorList, B62_FiltersOnModelsWithoutObjectsAreTheCallersFault) {
  EXPECT_THAT(Paths("v1_saver", {"root.a"}), StatusIs(StatusCode::kInvalidArgument, HasSubstr("names only")));
  EXPECT_THAT(Paths("v1_meta_graphs", {"root.a"}), StatusIs(StatusCode::kInvalidArgument));
}

TEST(TensorList, NamesAreKeysOrPaths) {
  EXPECT_THAT(*Keys("nested_modules", "root.encoder.scale"),
              ElementsAre("encoder/scale/.ATTRIBUTES/VARIABLE_VALUE"));
  EXPECT_THAT(*Keys("nested_modules", "encoder/scale/.ATTRIBUTES/VARIABLE_VALUE"), SizeIs(1));
  EXPECT_THAT(*Keys("optimizer_slots_model", "root.optimizer.slots.m.dense.bias"), SizeIs(1));
  EXPECT_THAT(*Keys("mutable_tables", "root.names"),
              ElementsAre("names/.ATTRIBUTES/table-keys", "names/.ATTRIBUTES/table-values"));
  EXPECT_THAT(*Keys("partitioned/ckpt", "rows/w"), ElementsAre("rows/w"));
}

TEST(TensorList, NamesThatLeadToNoValue) {
  EXPECT_THAT(Keys("nested_modules", "root.encoder"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no stored value")));
  EXPECT_THAT(Keys("nested_modules", "root.encoder.scal"),
              StatusIs(StatusCode::kNotFound, HasSubstr("\"scale\"")));
  EXPECT_THAT(Keys("nested_modules", "root..x"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Keys("partitioned/ckpt", "rows/w/part_1"),
              StatusIs(StatusCode::kNotFound, HasSubstr("rows/w")));
  EXPECT_THAT(Keys("partitioned/ckpt", "root.rows"), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace savedmodel::tools
