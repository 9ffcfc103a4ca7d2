// Runs the numbered cases about models, the rows of tests/cases with "loads": each is a model, a load and what must come of
// it. tests/cases/README.md explains the fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/case_rows.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

StatusCode CodeNamed(const std::string& name) {
  static const auto& codes = *new std::map<std::string, StatusCode>{
      {"NOT_FOUND", StatusCode::kNotFound},          {"INVALID_ARGUMENT", StatusCode::kInvalidArgument},
      {"DATA_LOSS", StatusCode::kDataLoss},          {"FAILED_PRECONDITION", StatusCode::kFailedPrecondition},
      {"UNIMPLEMENTED", StatusCode::kUnimplemented}, {"RESOURCE_EXHAUSTED", StatusCode::kResourceExhausted},
      {"OUT_OF_RANGE", StatusCode::kOutOfRange}};
  return codes.at(name);
}

// The caller's objects of a row's "bind", and what they held before.
class BoundObjects {
 public:
  std::shared_ptr<Trackable> Make(const Json& in) {
    if (in.is_null()) return nullptr;
    if (in.contains("module")) {
      auto module = std::make_shared<Module>();
      for (const auto& [name, child] : in["module"].items())
        EXPECT_THAT(module->Track(name, Make(child)), IsOk());
      return module;
    }
    return MakeVariable(in);
  }

  // After an error every variable holds what it held.
  void ExpectUnchanged() const {
    for (const auto& [variable, before] : variables_) {
      ASSERT_TRUE(variable->initialized());
      EXPECT_EQ(ValuesOf(*variable->Read()), before);
    }
  }

 private:
  std::shared_ptr<Trackable> MakeVariable(const Json& in) {
    TensorSpec spec{*DTypeFromName(in.at("dtype").get<std::string>()), PartialShape()};
    if (!in.at("shape").is_null()) spec.shape = *PartialShape::Make(in["shape"].get<std::vector<int64_t>>());
    std::shared_ptr<Variable> variable;
    if (in.value("wrap", false)) {
      memory_.push_back(std::make_unique<std::string>(
          static_cast<size_t>(spec.shape.ToShape()->num_elements()) * DTypeSize(spec.dtype), '\0'));
      variable = *Variable::Wrap(spec, std::as_writable_bytes(std::span(*memory_.back())));
    } else {
      variable = *Variable::Make(spec);
    }
    if (in.contains("value")) {
      Json initial = in;
      if (in.contains("value_shape")) initial["shape"] = in["value_shape"];
      EXPECT_THAT(variable->Assign(TensorFromJson(initial)), IsOk());
      variables_.emplace_back(variable, in["value"]);
    }
    return variable;
  }

  std::vector<std::pair<std::shared_ptr<Variable>, Json>> variables_;
  std::vector<std::unique_ptr<std::string>> memory_;
};

Selection SelectionOf(const Json& load, BoundObjects* objects,
                      std::map<std::string, std::shared_ptr<Trackable>>* bound) {
  if (load.value("all", false)) return Selection::All();
  Selection selection;
  const BindMode mode = load.value("mode", "") == "node" ? BindMode::kNode : BindMode::kDefault;
  for (const Json& path : load.value("filters", Json::array())) selection.Add(path.get<std::string>());
  for (const Json bind_fields = load.value("bind", Json::object());
       const auto& [path, object] : bind_fields.items()) {
    (*bound)[path] = objects->Make(object);
    selection.Bind(path, (*bound)[path], mode);
  }
  return selection;
}

LoadOptions OptionsOf(const Json& load) {
  LoadOptions options;
  options.include_dependencies = load.value("include_dependencies", false);
  options.skip_checkpoint = load.value("skip_checkpoint", false);
  options.allow_partial_checkpoint = load.value("allow_partial_checkpoint", false);
  options.require_all_consumed = load.value("require_all_consumed", false);
  return options;
}

std::shared_ptr<Trackable> At(const LoadedModel& model, const std::string& path) {
  StatusOr<std::shared_ptr<Trackable>> object = model.Get<Trackable>(path);
  EXPECT_THAT(object, IsOk()) << path;
  return object.ok() ? *object : nullptr;
}

void CheckValues(const LoadedModel& model, const Json& values) {
  for (const auto& [path, value] : values.items()) {
    auto object = At(model, path);
    if (auto variable = std::dynamic_pointer_cast<Variable>(object)) {
      StatusOr<Tensor> tensor = variable->Read();
      ASSERT_THAT(tensor, IsOk()) << path;
      EXPECT_EQ(ValuesOf(*tensor), value) << path;
    } else if (auto constant = std::dynamic_pointer_cast<Constant>(object)) {
      StatusOr<Tensor> tensor = constant->Read();
      ASSERT_THAT(tensor, IsOk()) << path;
      EXPECT_EQ(ValuesOf(*tensor), value) << path;
    } else {
      ADD_FAILURE() << path << " has no value";
    }
  }
}

void CheckObjects(const LoadedModel& model, const Json& expected) {
  Json kinds = Json::object();
  for (const auto& [key, object] : model.objects()) kinds[key] = std::string(NodeKindName(object->kind()));
  if (expected.contains("returned")) {
    EXPECT_EQ(kinds, expected["returned"]);
  }
  for (const Json kinds_fields = expected.value("kinds", Json::object());
       const auto& [path, kind] : kinds_fields.items()) {
    EXPECT_EQ(Json(std::string(NodeKindName(At(model, path)->kind()))), kind) << path;
  }
  for (const Json& group : expected.value("same", Json::array())) {
    for (const Json& path : group) EXPECT_EQ(At(model, path), At(model, group[0])) << path;
  }
  for (const Json& path : expected.value("absent", Json::array())) {
    EXPECT_THAT(model.Get<Trackable>(path.get<std::string>()), StatusIs(StatusCode::kNotFound)) << path;
  }
  for (const Json& path : expected.value("without_value", Json::array())) {
    const auto variable = std::dynamic_pointer_cast<Variable>(At(model, path));
    ASSERT_TRUE(variable) << path;
    EXPECT_THAT(variable->Read(), StatusIs(StatusCode::kFailedPrecondition)) << path;
  }
  for (const Json constants = expected.value("unreadable", Json::object());
       const auto& [path, texts] : constants.items()) {
    const auto constant = std::dynamic_pointer_cast<Constant>(At(model, path));
    ASSERT_TRUE(constant) << path;
    const Status status = constant->Read().status();
    EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss)) << path;
    for (const Json& text : texts)
      EXPECT_THAT(std::string(Message(status)), ::testing::HasSubstr(text.get<std::string>()));
  }
  for (const Json list_fields = expected.value("list", Json::object());
       const auto& [path, kinds_of] : list_fields.items()) {
    const auto list = std::dynamic_pointer_cast<List>(At(model, path));
    ASSERT_TRUE(list) << path;
    Json found = Json::array();
    for (size_t i = 0; i < list->size(); ++i) {
      found.push_back(list->at(i) ? Json(std::string(NodeKindName(list->at(i)->kind()))) : Json());
    }
    EXPECT_EQ(found, kinds_of) << path;
  }
  // Walks attributes of live objects, where a repeated name means its last edge.
  for (const Json attribute_values_fields = expected.value("attribute_values", Json::object());
       const auto& [path, value] : attribute_values_fields.items()) {
    auto object = FindObject(model.root(), *NodePath::Parse(path));
    ASSERT_THAT(object, IsOk()) << path;
    EXPECT_EQ(ValuesOf(*std::dynamic_pointer_cast<Variable>(*object)->Read()), value) << path;
  }
}

void CheckFailure(const Status& status, const Json& expected, const BoundObjects& objects) {
  EXPECT_EQ(status.code(), CodeNamed(expected["code"])) << status;
  for (const Json& text : expected.value("contains", Json::array())) {
    EXPECT_THAT(std::string(Message(status)), ::testing::HasSubstr(text.get<std::string>()));
  }
  objects.ExpectUnchanged();
}

// The model's files as one load meets them: some not there yet, read in pieces.
std::shared_ptr<FaultFileSystem> FilesFor(const Json& model, const Json& load) {
  const std::shared_ptr<MemoryFileSystem> files = BuildModel(model);
  for (const Json& name : load.value("without", Json::array()))
    files->Remove(std::string(kModelDirectory) + "/" + name.get<std::string>());
  auto watched = std::make_shared<FaultFileSystem>(files);
  watched->ReadInPieces(load.value("in_pieces", false));
  return watched;
}

// A checkpoint opened with the graph of its objects, through the row's "object_checkpoint".
void CheckObjectCheckpoint(const std::string& path, const std::shared_ptr<const FileSystem>& files,
                           const Json& expected) {
  const StatusOr<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open(path, {.file_system = files});
  ASSERT_THAT(checkpoint, IsOk());
  EXPECT_THAT(checkpoint->graph_status(), IsOk());
  for (const auto& [key, values] : expected.at("tensors").items()) {
    const StatusOr<Tensor> tensor = checkpoint->reader().Read(key);
    ASSERT_THAT(tensor, IsOk()) << key;
    EXPECT_EQ(ValuesOf(*tensor), values) << key;
  }
}

class LoadingCase : public ::testing::TestWithParam<CaseRow> {};

void CheckLoad(const Json& load, const Json& expected, const std::shared_ptr<const FileSystem>& files) {
  OpenOptions open{.file_system = files};
  if (load.contains("tags")) open.tags = load["tags"].get<std::vector<std::string>>();
  BoundObjects objects;
  std::map<std::string, std::shared_ptr<Trackable>> bound;
  const Selection selection = SelectionOf(load, &objects, &bound);
  const std::string directory = load.value("directory", std::string(kModelDirectory));
  const StatusOr<LoadedModel> model = LoadPartial(directory, selection, OptionsOf(load), open);
  if (expected.contains("code")) return CheckFailure(model.status(), expected, objects);
  ASSERT_THAT(model, IsOk());
  CheckObjects(*model, expected);
  CheckValues(*model, expected.value("values", Json::object()));
  for (const auto& [path, object] : bound) {
    if (object) {
      EXPECT_EQ(At(*model, path), object) << path;
    }
  }
  if (expected.contains("unmatched")) {
    EXPECT_EQ(Json(model->report().unmatched_objects), expected["unmatched"]);
  }
  if (expected.contains("unused_keys")) {
    EXPECT_EQ(model->report().unused_keys, std::optional(expected["unused_keys"].get<size_t>()));
  }
}

TEST_P(LoadingCase, Holds) {
  const Json& row = GetParam().row;
  for (const Json& load : row.at("loads")) {
    SCOPED_TRACE(load.dump());
    const Json expected = load.contains("expected") ? load["expected"] : row.at("expected");
    const std::shared_ptr<FaultFileSystem> files = FilesFor(row.at("model"), load);
    if (load.contains("object_checkpoint")) {
      CheckObjectCheckpoint(load["object_checkpoint"], files, expected);
    } else {
      CheckLoad(load, expected, files);
    }
    for (const Json& name : expected.value("unread", Json::array()))
      EXPECT_EQ(files->bytes_read(name.get<std::string>()), 0u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Loading, LoadingCase, ::testing::ValuesIn(CaseRows("loading.json", "loads")),
                         CaseTestName);
INSTANTIATE_TEST_SUITE_P(Checkpoint, LoadingCase, ::testing::ValuesIn(CaseRows("checkpoint.json", "loads")),
                         CaseTestName);
INSTANTIATE_TEST_SUITE_P(Field, LoadingCase, ::testing::ValuesIn(CaseRows("field.json", "loads")),
                         CaseTestName);

}  // namespace
}  // namespace savedmodel::testing
