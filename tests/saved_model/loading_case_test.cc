// Runs the numbered cases of tests/cases/loading.json and field_loading.json: each row is a model, a load and what must
// come of it. tests/cases/README.md explains the fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

struct Case {
  std::string file;
  Json row;
};

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  for (const char* name : {"loading.json", "field_loading.json"}) {
    std::ifstream in(std::string(SAVEDMODEL_SOURCE_DIR) + "/tests/cases/" + name);
    for (Json& row : Json::parse(in)) cases.push_back({name, std::move(row)});
  }
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.row.at("case").get<std::string>() + "_" + info.param.row.at("title").get<std::string>();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
}

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
    EXPECT_EQ(std::string(NodeKindName(At(model, path)->kind())), kind) << path;
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

class LoadingCase : public ::testing::TestWithParam<Case> {};

TEST_P(LoadingCase, Holds) {
  const Json& row = GetParam().row;
  SCOPED_TRACE(GetParam().file + " case " + row.at("case").get<std::string>() + ": " +
               row.at("title").get<std::string>());
  const std::shared_ptr<MemoryFileSystem> files = BuildModel(row.at("model"));
  for (const Json& load : row.at("loads")) {
    SCOPED_TRACE(load.dump());
    OpenOptions open{.file_system = files};
    if (load.contains("tags")) open.tags = load["tags"].get<std::vector<std::string>>();
    const Json expected = load.contains("expected") ? load["expected"] : row.at("expected");
    BoundObjects objects;
    std::map<std::string, std::shared_ptr<Trackable>> bound;
    const Selection selection = SelectionOf(load, &objects, &bound);
    const std::string directory = load.value("directory", std::string(kModelDirectory));
    const StatusOr<LoadedModel> model = LoadPartial(directory, selection, OptionsOf(load), open);
    if (expected.contains("code")) {
      CheckFailure(model.status(), expected, objects);
      continue;
    }
    ASSERT_THAT(model, IsOk());
    CheckObjects(*model, expected);
    CheckValues(*model, expected.value("values", Json::object()));
    for (const auto& [path, object] : bound) {
      if (object) {
        EXPECT_EQ(At(*model, path), object) << path;
      }
    }
    if (expected.contains("unused_keys")) {
      EXPECT_EQ(model->report().unused_keys, expected["unused_keys"].get<size_t>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LoadingCase, ::testing::ValuesIn(ReadCases()), CaseName);

}  // namespace
}  // namespace savedmodel::testing
