#include "savedmodel/saved_model/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/proto/internal/text_format.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/saved_model/case_model.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kFixtures = fs::path(SAVEDMODEL_SOURCE_DIR) / "tests/fixtures";

Json Model(std::string_view text) { return Json::parse(text); }

Json TwoLayers() {
  return Model(R"({"nodes": [
    {"children": [["a", 1], ["b", 2]]},
    {"children": [["w", 3]]},
    {"children": [["w", 4]]},
    {"kind": "variable", "dtype": "float32", "shape": [2], "value": [1, 2], "name": "a/w"},
    {"kind": "variable", "dtype": "float32", "shape": [2], "value": [3, 4], "name": "b/w"}]})");
}

StatusOr<Loader> OpenModel(const Json& description) {
  return Loader::Open(kModelDirectory, {.file_system = BuildModel(description)});
}

Json ValueAt(const LoadedModel& model, std::string_view path) {
  return ValuesOf(*(*model.Get<Variable>(path))->Read());
}

void ExpectSameModel(const Loader& a, const Loader& b) {
  ASSERT_EQ(a.meta_graphs().size(), b.meta_graphs().size());
  for (size_t i = 0; i < a.meta_graphs().size(); ++i) {
    const MetaGraphInfo &one = a.meta_graphs()[i], &other = b.meta_graphs()[i];
    EXPECT_EQ(one.tags, other.tags);
    EXPECT_EQ(one.assets, other.assets);
    EXPECT_EQ(one.tensorflow_git_version, other.tensorflow_git_version);
    EXPECT_EQ(one.counts.functions, other.counts.functions);
    EXPECT_TRUE(one.signatures == other.signatures);
  }
  if (!b.has_object_graph()) return;
  ASSERT_EQ(a.graph().size(), b.graph().size());
  const LoadOptions options{.allow_partial_checkpoint = true};
  const StatusOr<LoadPlan> plan = a.Plan(Selection::All(), options),
                           expected = b.Plan(Selection::All(), options);
  ASSERT_EQ(plan.status().code(), expected.status().code());
  if (plan.ok()) {
    EXPECT_EQ(plan->ToString(), expected->ToString());
  }
}

// The bytes of a key as goldens print it; the escapes are those of a quoted path component.
std::string KeyBytes(std::string printed) {
  for (size_t at = 0; (at = printed.find('"', at)) != std::string::npos; at += 2) printed.insert(at, 1, '\\');
  return NodePath::Parse("root.\"" + printed + "\"")->components()[0];
}

TEST(Loader, LoadsEveryValueThatTensorFlowNamesInTheFixtures) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(kFixtures / "golden")) {
    std::ifstream in(entry.path());
    const Json golden = Json::parse(in);
    if (golden.at("format") != "saved_model" || golden.at("meta_graphs").size() != 1) continue;
    if (!golden["meta_graphs"][0].at("has_object_graph")) continue;
    const std::string name = golden.at("name");
    SCOPED_TRACE(name);
    SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open((kFixtures / "data" / name).string()));
    SM_ASSERT_OK_AND_ASSIGN(
        LoadedModel model,
        loader.Load(Selection::All(), {.allow_partial_checkpoint = name == "uninitialized_variable"}));
    SM_ASSERT_OK_AND_ASSIGN(BundleReader reader, loader.checkpoint());
    size_t variables = 0;
    for (const Json& tensor : golden.at("tensors")) {
      if (tensor.at("path").is_null() || tensor.value("attribute", "") != "VARIABLE_VALUE") continue;
      SCOPED_TRACE(tensor.dump());
      SM_ASSERT_OK_AND_ASSIGN(auto variable, model.Get<Variable>(tensor["path"].get<std::string>()));
      SM_ASSERT_OK_AND_ASSIGN(Tensor loaded, variable->Read());
      SM_ASSERT_OK_AND_ASSIGN(Tensor stored, reader.Read(KeyBytes(tensor.at("key"))));
      EXPECT_EQ(loaded, stored);
      ++variables;
    }
    const auto restored = std::count_if(model.report().variables.begin(), model.report().variables.end(),
                                        [](const LoadedVariable& v) { return v.restored; });
    EXPECT_EQ(static_cast<size_t>(restored), variables);
    ++models;
  }
  EXPECT_GE(models, 20);
}

TEST(Loader, Case3_ATextGraphIsTheSameModelAsTheBinaryOne) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(kFixtures / "data")) {
    if (!fs::exists(entry.path() / "saved_model.pb")) continue;
    SCOPED_TRACE(entry.path().filename());
    const Json as_text = {{"fixture", entry.path().filename()}, {"files", {{"saved_model.pb", nullptr}}}};
    const std::shared_ptr<MemoryFileSystem> files = BuildModel(as_text);
    proto::SavedModel model;
    ASSERT_TRUE(model.ParseFromString(ReadWholeFile(entry.path() / "saved_model.pb")));
    files->Add("model/saved_model.pbtxt", Buffer::FromString(internal::PrintText(model)));
    SM_ASSERT_OK_AND_ASSIGN(const Loader binary, Loader::Open(entry.path().string()));
    SM_ASSERT_OK_AND_ASSIGN(const Loader text, Loader::Open(kModelDirectory, {.file_system = files}));
    ExpectSameModel(text, binary);
    ++models;
  }
  EXPECT_GE(models, 20);
}

TEST(Loader, RootAsAPartialLoadEqualsAWholeOne) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel whole, loader.Load());
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel part, loader.Load({"root"}));
  EXPECT_EQ(whole.report().nodes, part.report().nodes);
  ASSERT_EQ(whole.report().variables.size(), part.report().variables.size());
  for (size_t i = 0; i < whole.report().variables.size(); ++i) {
    EXPECT_EQ(whole.report().variables[i].path, part.report().variables[i].path);
    EXPECT_EQ(*whole.report().variables[i].variable->Read(), *part.report().variables[i].variable->Read());
  }
}

TEST(Loader, OpensAndLoadsWithoutParsingAFunctionBody) {
  // 5,000 bodies that cannot be parsed: a node's name is not UTF-8.
  Json description = TwoLayers();
  const std::shared_ptr<MemoryFileSystem> files = BuildModel(description);
  auto directory = *files->OpenDirectory(kModelDirectory);
  auto file = *directory->OpenFile("saved_model.pb");
  std::string bytes(file->size(), '\0');
  ASSERT_THAT(file->ReadAt(0, std::as_writable_bytes(std::span(bytes))), IsOk());
  proto::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(bytes));
  for (int i = 0; i < 5000; ++i) {
    auto* function = model.mutable_meta_graphs(0)->mutable_graph_def()->mutable_library()->add_function();
    function->mutable_signature()->set_name("f" + std::to_string(i));
    function->add_node_def()->set_name("placeholder");
  }
  bytes = model.SerializeAsString();
  for (size_t at = bytes.find("placeholder"); at != std::string::npos; at = bytes.find("placeholder", at))
    bytes[at] = '\xff';
  files->Add("model/saved_model.pb", Buffer::FromString(bytes));

  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open(kModelDirectory, {.file_system = files}));
  EXPECT_EQ(loader.meta_graph()->counts.functions, 5000u);
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel loaded, loader.Load({"root.a"}));
  EXPECT_EQ(ValueAt(loaded, "root.a.w"), Json({1, 2}));
}

TEST(Loader, ReadsOnlyTheSelectedTensorsAndTheirGraph) {
  auto files = std::make_shared<FaultFileSystem>(BuildModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open(kModelDirectory, {.file_system = files}));
  EXPECT_EQ(files->bytes_read(".index"), 0u) << "the checkpoint is opened when a value is wanted";
  SM_ASSERT_OK_AND_ASSIGN(LoadPlan plan, loader.Plan({"root.a"}));
  EXPECT_EQ(plan.bytes(), 8u);
  const uint64_t graph_bytes = files->bytes_read(".data-00000-of-00001");
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load({"root.a"}));
  EXPECT_EQ(files->bytes_read(".data-00000-of-00001"), graph_bytes + 8);
  EXPECT_EQ(model.report().bytes_read, 8u);
  EXPECT_EQ(model.report().bytes_selected, 8u);
  EXPECT_EQ(model.report().unused_keys, 1u);
}

TEST(Loader, PlanNamesEveryNodeAndWhy) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(LoadPlan plan, loader.Plan({"root.a"}));
  ASSERT_EQ(plan.nodes.size(), 2u);
  EXPECT_EQ(plan.nodes[0].reason, SelectionReason::kRequested);
  EXPECT_EQ(plan.nodes[1].reason, SelectionReason::kDescendant);
  EXPECT_THAT(plan.ToString(), HasSubstr("root.a.w <- a/w/.ATTRIBUTES/VARIABLE_VALUE float32[2], 8 bytes"));
}

TEST(Loader, PatternsGiveOneResultPerMatch) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load({"root.*.w"}));
  std::vector<std::string> keys;
  for (const auto& [key, object] : model.objects()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("root.a.w", "root.b.w"));
}

TEST(Loader, B43_EveryVariableIsListedWithPathNameAndTrainable) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
  ASSERT_EQ(model.report().variables.size(), 2u);
  EXPECT_EQ(model.report().variables[0].path, "root.a.w");
  EXPECT_EQ(model.report().variables[0].variable->name(), "a/w");
  EXPECT_TRUE(model.report().variables[0].variable->trainable());
}

TEST(Loader, B44_AKeptVariableOutlivesModelAndLoader) {
  std::shared_ptr<Variable> kept;
  std::weak_ptr<Variable> other;
  Tensor value;
  {
    SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
    SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
    kept = *model.Get<Variable>("root.a.w");
    other = *model.Get<Variable>("root.b.w");
    value = *(*model.Get<Variable>("root.b.w"))->Read();
  }
  EXPECT_EQ(ValuesOf(*kept->Read()), Json({1, 2}));
  EXPECT_TRUE(other.expired()) << "one variable keeps another alive";
  EXPECT_EQ(ValuesOf(value), Json({3, 4}));
}

TEST(Loader, B44_AKeptChildOfACycleKeepsTheCycleAndNothingLeaks) {
  const Json cycle = Model(R"({"nodes": [{"children": [["foo", 1]]}, {"children": [["bar", 2]]},
      {"children": [["parent", 1], ["v", 3]]}, {"kind": "variable", "dtype": "int32", "shape": [], "value": [4]}]})");
  std::weak_ptr<Trackable> foo;
  {
    std::shared_ptr<Trackable> bar;
    {
      SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(cycle));
      SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
      bar = *model.Get<Trackable>("root.foo.bar");
      foo = *model.Get<Trackable>("root.foo");
    }
    ASSERT_NE(bar->Child("parent"), nullptr);
    EXPECT_EQ(bar->Child("parent")->Child("bar"), bar);
  }
  EXPECT_TRUE(foo.expired());
}

TEST(Loader, ABoundObjectInACycleIsNotKeptByIt) {
  const Json cycle = Model(R"({"nodes": [{"children": [["foo", 1]]}, {"children": [["bar", 2]]},
      {"children": [["parent", 1]]}]})");
  auto mine = std::make_shared<Module>();
  std::weak_ptr<Module> watch = mine;
  {
    SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(cycle));
    SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load(Selection().Bind("root.foo", mine)));
    EXPECT_EQ(mine->Child("bar")->Child("parent"), mine);
  }
  ASSERT_NE(mine->Child("bar"), nullptr) << "the bound object owns what was loaded below it";
  mine.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Loader, SlotVariablesAreFoundByTheirPath) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open((kFixtures / "data/optimizer_slots_model").string()));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
  SM_ASSERT_OK_AND_ASSIGN(auto slot, model.Get<Variable>("root.optimizer.slots.m.dense.bias"));
  SM_ASSERT_OK_AND_ASSIGN(BundleReader reader, loader.checkpoint());
  EXPECT_EQ(*slot->Read(), *reader.Read("dense/bias/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"));
}

TEST(Loader, B47_AnOptimizerAloneNamesTheVariablesItNeeds) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open((kFixtures / "data/optimizer_slots_model").string()));
  EXPECT_THAT(loader.Load({"root.optimizer"}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("root.dense.bias")));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load({"root.optimizer"}, {.include_dependencies = true}));
  EXPECT_THAT(model.Get<Variable>("root.dense.bias"), IsOk());
}

TEST(Loader, B40_ARenamedCheckpointIsMissingUnderItsStandardName) {
  TempDir dir;
  fs::copy(kFixtures / "data/nested_modules", dir.Path("m"), fs::copy_options::recursive);
  fs::rename(dir.Path("m/variables/variables.index"), dir.Path("m/variables/belly.index"));
  fs::rename(dir.Path("m/variables/variables.data-00000-of-00001"),
             dir.Path("m/variables/belly.data-00000-of-00001"));
  EXPECT_THAT(Load(dir.Path("m")), StatusIs(StatusCode::kNotFound, HasSubstr("variables.index")));
  EXPECT_THAT(BundleReader::Open(dir.Path("m/variables/belly")), IsOk());
}

TEST(Loader, ADirectoryReplacedAfterOpenIsReadAsItWas) {
  TempDir dir;
  fs::copy(kFixtures / "data/nested_modules", dir.Path("old"), fs::copy_options::recursive);
  fs::copy(kFixtures / "data/shared_nodes", dir.Path("new"), fs::copy_options::recursive);
  fs::create_directory_symlink(dir.Path("old"), dir.Path("current"));
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open(dir.Path("current")));
  fs::remove(dir.Path("current"));
  fs::create_directory_symlink(dir.Path("new"), dir.Path("current"));
  SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
  EXPECT_THAT(model.Get<Variable>("root.encoder.scale"), IsOk());
}

TEST(Loader, Case56_AMissingFingerprintIsNotFoundWhenAskedFor) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  EXPECT_THAT(loader.ReadFingerprint(), StatusIs(StatusCode::kNotFound, HasSubstr("fingerprint.pb")));
}

TEST(Loader, ReadsAFingerprintThatTensorFlowWrote) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open((kFixtures / "data/nested_modules").string()));
  SM_ASSERT_OK_AND_ASSIGN(Fingerprint fingerprint, loader.ReadFingerprint());
  EXPECT_NE(fingerprint.saved_model_checksum, 0u);
  EXPECT_NE(fingerprint.uuid, "");
}

TEST(Loader, ConstantsOutliveTheLoader) {
  std::shared_ptr<Constant> constant;
  {
    SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open((kFixtures / "data/constants").string()));
    SM_ASSERT_OK_AND_ASSIGN(LoadedModel model, loader.Load());
    for (NodeId id = 0; loader.graph().Contains(id) && !constant; ++id) {
      if (loader.graph().node(id).kind != NodeKind::kConstant) continue;
      const ShortestPaths paths(loader.graph());
      if (paths.Reaches(id)) constant = *model.Get<Constant>(paths.PathTo(id));
    }
  }
  ASSERT_NE(constant, nullptr);
  EXPECT_THAT(constant->Read(), IsOk());
}

TEST(Loader, ManyThreadsLoadFromOneLoader) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&loader] {
      for (int i = 0; i < 20; ++i) {
        StatusOr<LoadedModel> model = loader.Load({"root.a"});
        ASSERT_THAT(model, IsOk());
        EXPECT_EQ(ValueAt(*model, "root.a.w"), Json({1, 2}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Loader, ACancelledLoadChangesNothing) {
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, OpenModel(TwoLayers()));
  auto mine = *Variable::Make({DType::kFloat32, Shape{2}});
  ASSERT_THAT(mine->Assign(*Tensor::FromValues<float>({2}, {8, 9})), IsOk());
  LoadOptions options;
  options.control.cancellation.Cancel();
  EXPECT_THAT(loader.Load(Selection().Bind("root.a.w", mine), options), StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(ValuesOf(*mine->Read()), Json({8, 9}));
  EXPECT_THAT(loader.Plan({"root.a"}, options), StatusIs(StatusCode::kCancelled));
}

TEST(Loader, OptionsThatMeanNothingAreInvalidArgument) {
  SM_ASSERT_OK_AND_ASSIGN(const Loader loader, OpenModel(TwoLayers()));
  LoadOptions options;
  options.control.threads = -1;
  EXPECT_THAT(loader.Load(Selection::All(), options), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(loader.Plan(Selection::All(), options), StatusIs(StatusCode::kInvalidArgument));
  options = {.restore_mode = static_cast<RestoreMode>(77)};
  EXPECT_THAT(loader.Load(Selection::All(), options), StatusIs(StatusCode::kInvalidArgument));
}

// A chain of objects, long enough that what grows with a model is told from what every load needs.
Json LongChain(int length) {
  Json nodes = Json::array();
  for (int i = 0; i < length; ++i) nodes.push_back({{"children", Json::array({Json::array({"n", i + 1})})}});
  nodes.push_back(
      Json::parse(R"({"kind": "variable", "dtype": "float32", "shape": [], "value": [5], "key": "v"})"));
  return {{"nodes", nodes}};
}

// Of allocations that are small whatever the model, protobuf makes some from which it knows no way back.
TEST(Loader, RunningOutOfMemoryForAModelIsAnErrorWhereverItHappens) {
  if (!kCanFailAllocations) GTEST_SKIP() << "a sanitizer has its own operator new";
  constexpr size_t kLarge = 16 << 10;
  const std::shared_ptr<MemoryFileSystem> files = BuildModel(LongChain(2000));
  bool happened = true;
  for (uint64_t n = 1; happened; ++n) {
    const LoadOptions options;  // has a flag of its own, which is allocated
    AllocationFaults faults(n, /*and_all_later=*/n % 2 == 0, kLarge);
    const StatusCode code = Load(kModelDirectory, options, {.file_system = files}).status().code();
    faults.Stop();
    happened = faults.happened();
    ASSERT_EQ(code, happened ? StatusCode::kResourceExhausted : StatusCode::kOk) << "allocation " << n;
    ASSERT_TRUE(happened || n > 10) << n;
  }
}

TEST(Loader, ALimitOnTheBytesOfACallIsKeptBeforeAnyIsRead) {
  auto files = std::make_shared<FaultFileSystem>(BuildModel(TwoLayers()));
  SM_ASSERT_OK_AND_ASSIGN(Loader loader, Loader::Open(kModelDirectory, {.file_system = files}));
  SM_ASSERT_OK_AND_ASSIGN(const LoadPlan plan, loader.Plan());
  const uint64_t before = files->bytes_read(".data-00000-of-00001");
  LoadOptions options;
  options.max_tensor_bytes = plan.bytes() - 1;
  EXPECT_THAT(loader.Load(Selection::All(), options), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(files->bytes_read(".data-00000-of-00001"), before);
  options.max_tensor_bytes = plan.bytes();
  EXPECT_THAT(loader.Load(Selection::All(), options), IsOk());
}

TEST(Loader, ALimitOnNodesIsKept) {
  const std::shared_ptr<MemoryFileSystem> files = BuildModel(TwoLayers());
  SM_ASSERT_OK_AND_ASSIGN(const Loader loader, Loader::Open(kModelDirectory, {.file_system = files}));
  const uint64_t nodes = loader.graph().size();
  EXPECT_THAT(Loader::Open(kModelDirectory, {.file_system = files, .max_nodes = nodes}), IsOk());
  EXPECT_THAT(Loader::Open(kModelDirectory, {.file_system = files, .max_nodes = nodes - 1}),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace savedmodel::testing
