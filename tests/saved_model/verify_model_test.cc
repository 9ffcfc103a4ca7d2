#include "savedmodel/saved_model/verify_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const fs::path kFixtures = fs::path(SAVEDMODEL_SOURCE_DIR) / "tests/fixtures";

StatusOr<VerifyReport> Verify(std::shared_ptr<const FileSystem> files) {
  return VerifyModel(kModelDirectory, {.file_system = std::move(files)});
}
StatusOr<VerifyReport> Verify(std::string_view description) {
  return Verify(BuildModel(Json::parse(description)));
}

// A fixture whose graph was changed.
template <class Change>
StatusOr<VerifyReport> VerifyChanged(const std::string& fixture, const Change& change) {
  auto files = BuildModel(Json{{"fixture", fixture}});
  proto::SavedModel model;
  EXPECT_TRUE(model.ParseFromString(ReadWholeFile(kFixtures / "data" / fixture / "saved_model.pb")));
  change(*model.mutable_meta_graphs(0));
  files->Add(std::string(kModelDirectory) + "/saved_model.pb", Buffer::FromString(model.SerializeAsString()));
  return Verify(files);
}

TEST(VerifyModel, EverySavedModelOfTensorFlowsIsSound) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(kFixtures / "golden")) {
    std::ifstream in(entry.path());
    const Json golden = Json::parse(in);
    const std::string name = golden.at("name");
    if (golden.at("format") != "saved_model" || name == "uninitialized_variable") continue;
    SCOPED_TRACE(name);
    SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyModel((kFixtures / "data" / name).string()));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.tensors.size(), golden.at("tensors").size());
    ++models;
  }
  EXPECT_GT(models, 10);
}

TEST(VerifyModel, AVariableExportedWithoutAValueIsTold) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report,
                          VerifyModel((kFixtures / "data/uninitialized_variable").string()));
  EXPECT_TRUE(report.ok());
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_THAT(report.notes[0], StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(report.notes[0], StatusHasContext(Field(&ErrorContext::path, "root.unset")));
}

constexpr char kOneVariable[] = R"({"nodes": [{"children": [["v", 1]]},
    {"kind": "variable", "dtype": "float32", "shape": [2], "value": [1, 2], "name": "v" %s}] %s})";

std::string OneVariable(const std::string& of_node, const std::string& of_model = "") {
  std::string text = kOneVariable;
  text.replace(text.rfind("%s"), 2, of_model);
  return text.replace(text.find("%s"), 2, of_node);
}

TEST(VerifyModel, AVariableAndItsValueThatDifferAreTold) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(OneVariable(R"(, "stored_dtype": "int32")")));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(report.problems[0], StatusHasContext(AllOf(Field(&ErrorContext::path, "root.v"),
                                                         Field(&ErrorContext::expected, "float32[2]"),
                                                         Field(&ErrorContext::found, "int32[2]"))));
}

TEST(VerifyModel, AKeyThatIsNotStoredIsToldOnce) {
  SM_ASSERT_OK_AND_ASSIGN(
      const VerifyReport report,
      Verify(OneVariable("", R"(, "checkpoint": {"omit_keys": ["v/.ATTRIBUTES/VARIABLE_VALUE"]})")));
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_THAT(report.notes[0],
              StatusHasContext(AllOf(Field(&ErrorContext::path, "root.v"),
                                     Field(&ErrorContext::key, "v/.ATTRIBUTES/VARIABLE_VALUE"))));
}

TEST(VerifyModel, AChangedByteIsToldWithItsPath) {
  SM_ASSERT_OK_AND_ASSIGN(
      const VerifyReport report,
      Verify(OneVariable("", R"(, "checkpoint": {"flips": {"v/.ATTRIBUTES/VARIABLE_VALUE": 3}})")));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(report.problems[0], StatusHasContext(Field(&ErrorContext::path, "root.v")));
}

TEST(VerifyModel, B01_AMissingIndexIsAProblemWhereThereAreVariables) {
  SM_ASSERT_OK_AND_ASSIGN(VerifyReport report, Verify(OneVariable("", R"(, "checkpoint": {"none": true})")));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kNotFound, HasSubstr("variables.index"))));
  // B05: without variables there is nothing to miss.
  SM_ASSERT_OK_AND_ASSIGN(report, Verify(R"({"nodes": [{}], "checkpoint": {"none": true}})"));
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST(VerifyModel, WithTheShardGoneTheRestIsStillChecked) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(R"({"fixture": "static_tables", "files": {
      "variables/variables.data-00000-of-00001": null, "assets/vocabulary.txt_1": null,
      "fingerprint.pb": {"hex": "ffff"}}})"));
  EXPECT_THAT(report.problems,
              UnorderedElementsAre(StatusIs(StatusCode::kNotFound, HasSubstr("data-00000-of-00001")),
                                   StatusIs(StatusCode::kNotFound, HasSubstr("assets/vocabulary.txt_1")),
                                   StatusIs(StatusCode::kDataLoss, HasSubstr("fingerprint.pb"))));
}

TEST(VerifyModel, B103_AnAssetOutsideOfTheModelIsTold) {
  for (const char* name : {"../../etc/passwd", "/etc/passwd", "a/../../b", ""}) {
    SCOPED_TRACE(name);
    SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyChanged("static_tables", [&](auto& meta_graph) {
                              meta_graph.mutable_asset_file_def(0)->set_filename(name);
                            }));
    EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("assets directory"))));
  }
}

TEST(VerifyModel, AssetsOfTensorFlow1AreLookedFor) {
  SM_ASSERT_OK_AND_ASSIGN(VerifyReport report, Verify(R"({"fixture": "v1_meta_graphs"})"));
  EXPECT_THAT(report.problems, IsEmpty());
  SM_ASSERT_OK_AND_ASSIGN(
      report, Verify(R"({"fixture": "v1_meta_graphs", "files": {"assets/vocabulary.txt": null}})"));
  EXPECT_FALSE(report.problems.empty());
  for (const Status& problem : report.problems) {
    EXPECT_THAT(problem, StatusIs(StatusCode::kNotFound, HasSubstr("assets/vocabulary.txt")));
  }
}

TEST(VerifyModel, AConstantWithoutItsNodeOrValueIsTold) {
  SM_ASSERT_OK_AND_ASSIGN(VerifyReport report, VerifyChanged("constants", [](auto& meta_graph) {
                            for (auto& node : *meta_graph.mutable_object_graph_def()->mutable_nodes()) {
                              if (node.has_constant())
                                return node.mutable_constant()->set_operation("nowhere");
                            }
                            FAIL() << "the fixture has no constant";
                          }));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("nowhere"))));
  SM_ASSERT_OK_AND_ASSIGN(report, VerifyChanged("constants", [](auto& meta_graph) {
                            for (const auto& object : meta_graph.object_graph_def().nodes()) {
                              for (auto& node : *meta_graph.mutable_graph_def()->mutable_node()) {
                                if (node.name() == object.constant().operation())
                                  return node.mutable_attr()->clear();
                              }
                            }
                          }));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("no value"))));
}

TEST(VerifyModel, AFunctionWithoutItsBodyIsTold) {
  SM_ASSERT_OK_AND_ASSIGN(
      const VerifyReport report, VerifyChanged("adder", [](auto& meta_graph) {
        const std::string name = meta_graph.object_graph_def().concrete_functions().begin()->first;
        for (auto& function : *meta_graph.mutable_graph_def()->mutable_library()->mutable_function()) {
          if (function.signature().name() == name) function.mutable_signature()->set_name("other");
        }
      }));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("function library"))));
}

TEST(VerifyModel, AReferenceOutsideTheGraphDoesNotKeepTensorsFromBeingChecked) {
  SM_ASSERT_OK_AND_ASSIGN(
      const VerifyReport report, VerifyChanged("nested_modules", [](auto& meta_graph) {
        meta_graph.mutable_object_graph_def()->mutable_nodes(0)->add_children()->set_node_id(999);
      }));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("999"))));
  EXPECT_THAT(report.tensors, SizeIs(9));
}

TEST(VerifyModel, AFaultInAPartThatLoadingSkipsIsFound) {
  auto files = BuildModel(Json{{"fixture", "adder"}});
  std::string bytes = ReadWholeFile(kFixtures / "data/adder/saved_model.pb");
  // A node's op, spelled with a byte that is not UTF-8: opening the model does not look at it.
  const size_t at = bytes.find("Placeholder");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\xff';
  files->Add(std::string(kModelDirectory) + "/saved_model.pb", Buffer::FromString(bytes));
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(files));
  ASSERT_FALSE(report.problems.empty());
  EXPECT_THAT(report.problems[0], StatusHasContext(Field(&ErrorContext::file, HasSubstr("saved_model.pb"))));
}

TEST(VerifyModel, OtherFilesInPlaceOfTheGraphAreNamed) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(R"({"fixture": "adder", "files": {
      "saved_model.pb": {"text": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"}}})"));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], StatusIs(StatusCode::kDataLoss, HasSubstr("Git-LFS")));
  EXPECT_GT(report.tensors.size(), 0u);  // the checkpoint is looked at all the same
}

TEST(VerifyModel, WhatCanNeverBeLoadedIsAProblem) {
  for (const char* graph : {"", "080112023a00"}) {  // no MetaGraph, an object graph without nodes
    const Json model = {{"files", {{"saved_model.pb", {{"hex", graph}}}}}};
    const std::shared_ptr<MemoryFileSystem> files = BuildModel(model);
    SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(files));
    const StatusOr<LoadedModel> loaded = Load(kModelDirectory, {}, {.file_system = files});
    EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kNotFound))) << graph;
    EXPECT_THAT(loaded, StatusIs(StatusCode::kNotFound)) << graph;
  }
}

TEST(VerifyModel, BrokenDebugInfoIsTold) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(R"({"fixture": "adder", "files": {
      "debug/saved_model_debug_info.pb": {"hex": "ff"}}})"));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("debug"))));
}

TEST(VerifyModel, NothingToLookAtIsAnError) {
  EXPECT_THAT(VerifyModel("no/such/place"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(VerifyModel((kFixtures / "golden").string()), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace savedmodel::testing
