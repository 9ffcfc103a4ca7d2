#include "savedmodel/checkpoint/verify_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kFloat = 1;
const std::string kData = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/";

// root.a and root.b, stored in two shards, with their object graph in the first.
BundleBuilder TwoShards(const std::string& key_of_b = "b") {
  proto::TrackableObjectGraph graph;
  for (const char* name : {"a", "b"}) {
    auto* root = graph.nodes_size() == 0 ? graph.add_nodes() : graph.mutable_nodes(0);
    auto* edge = root->add_children();
    edge->set_local_name(name);
    edge->set_node_id(graph.nodes_size());
    auto* attribute = graph.add_nodes()->add_attributes();
    attribute->set_name("VARIABLE_VALUE");
    attribute->set_checkpoint_key(name[0] == 'a' ? "a" : key_of_b);
  }
  BundleBuilder bundle(2);
  bundle.AddStrings(std::string(kObjectGraphKey), {}, {graph.SerializeAsString()});
  bundle.Add({.key = "a", .dtype = kFloat, .shape = {2}, .payload = BytesOf<float>({1, 2})});
  bundle.Add({.key = "b", .dtype = kFloat, .shape = {3}, .payload = BytesOf<float>({3, 4, 5}), .shard = 1});
  bundle.Add({.key = "c", .dtype = kFloat, .shape = {1}, .payload = BytesOf<float>({6}), .shard = 1});
  return bundle;
}

std::shared_ptr<MemoryFileSystem> Write(const BundleBuilder& bundle) {
  auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "m/ckpt");
  return files;
}

StatusOr<VerifyReport> VerifyIn(std::shared_ptr<const FileSystem> files) {
  return VerifyCheckpoint("m/ckpt", {.file_system = std::move(files)});
}

std::vector<std::string> BadKeys(const VerifyReport& report) {
  std::vector<std::string> keys;
  for (const VerifiedTensor& tensor : report.tensors) {
    if (!tensor.status.ok()) keys.push_back(tensor.key);
  }
  return keys;
}

TEST(VerifyCheckpoint, EveryCheckpointOfTensorFlowsIsSound) {
  for (const char* name :
       {"dtypes_checkpoint/ckpt", "optimizer_slots/ckpt", "partitioned/ckpt", "strings/ckpt",
        "sharded_saver/ckpt", "iterator_state/ckpt", "checkpoint_manager/ckpt-3"}) {
    SCOPED_TRACE(name);
    SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyCheckpoint(kData + name));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_GT(report.tensors.size(), 0u);
    EXPECT_GT(report.bytes, 0u);
  }
}

TEST(VerifyCheckpoint, CountsAndNamesWhatIsFine) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(TwoShards())));
  EXPECT_TRUE(report.ok());
  ASSERT_THAT(report.tensors, SizeIs(4));
  EXPECT_EQ(report.tensors[1].path, "root.a");
  EXPECT_EQ(report.tensors[2].bytes, 12u);
  EXPECT_EQ(report.tensors[3].path, "");
}

TEST(VerifyCheckpoint, AChangedByteIsToldWithItsPlace) {
  BundleBuilder bundle = TwoShards();
  bundle.shards[1][0] ^= 1;  // in "b"
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(bundle)));
  EXPECT_THAT(BadKeys(report), ElementsAre("b"));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(report.problems[0],
              StatusHasContext(AllOf(Field(&ErrorContext::file, HasSubstr("data-00001-of-00002")),
                                     Field(&ErrorContext::offset, 0), Field(&ErrorContext::key, "b"),
                                     Field(&ErrorContext::path, "root.b"))));
}

TEST(VerifyCheckpoint, OneBadTensorDoesNotHideAnother) {
  BundleBuilder bundle = TwoShards();
  bundle.Entry("a").dtype = 999;
  bundle.shards[1].back() ^= 1;
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(bundle)));
  EXPECT_THAT(BadKeys(report), ElementsAre("a", "c"));
  EXPECT_THAT(report.problems, SizeIs(2));
}

TEST(VerifyCheckpoint, AMissingShardIsOneProblem) {
  auto files = Write(TwoShards());
  files->Remove("m/ckpt.data-00001-of-00002");
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(files));
  EXPECT_THAT(BadKeys(report), ElementsAre("b", "c"));
  EXPECT_THAT(report.problems,
              ElementsAre(StatusIs(StatusCode::kNotFound,
                                   AllOf(HasSubstr("data-00001-of-00002"), HasSubstr("2 tensors")))));
}

TEST(VerifyCheckpoint, AMillionShardsThatHoldNothingAreOneProblem) {
  BundleBuilder bundle;
  bundle.Add({.key = "a", .dtype = kFloat, .shape = {2}, .payload = BytesOf<float>({1, 2})});
  bundle.header.num_shards = 1 << 20;
  const auto counted = std::make_shared<FaultFileSystem>(Write(bundle));
  SM_ASSERT_OK_AND_ASSIGN(VerifyReport report, VerifyIn(counted));
  EXPECT_LT(counted->calls(FaultFileSystem::Call::kOpenFile), 100);
  EXPECT_THAT(report.problems,
              ElementsAre(StatusIs(StatusCode::kNotFound, HasSubstr("1 tensors")),
                          StatusIs(StatusCode::kNotFound,
                                   AllOf(HasSubstr("at least 64"), HasSubstr(": 1, 2, 3, 4, 5, ...")))));
}

TEST(VerifyCheckpoint, AMissingShardThatHoldsNothingIsTold) {
  BundleBuilder bundle = TwoShards();
  bundle.header.num_shards = 4;
  auto files = std::make_shared<MemoryFileSystem>();
  for (const auto& [name, bytes] : bundle.Files("ckpt")) files->Add("m/" + name, Buffer::FromString(bytes));
  for (const char* shard : {"00000", "00001"}) {
    const std::string name = "m/ckpt.data-" + std::string(shard) + "-of-0000";
    files->Add(name + "4", Buffer::FromString(bundle.shards[shard[4] == '0' ? 0 : 1]));
  }
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(files));
  EXPECT_THAT(BadKeys(report), IsEmpty());
  EXPECT_THAT(report.problems,
              ElementsAre(StatusIs(StatusCode::kNotFound,
                                   AllOf(HasSubstr("data-00002-of-00004"), HasSubstr("no tensor is stored"),
                                         HasSubstr(" 2 cannot be opened: 2, 3")))));
}

TEST(VerifyCheckpoint, ThousandsOfMissingShardsAreNotListedOneByOne) {
  constexpr int kShards = 3000;
  BundleBuilder bundle;
  for (int i = 0; i < kShards; ++i) {
    EntryFields& entry = bundle.Add({.key = "k" + std::to_string(i), .dtype = kFloat, .shape = {0}});
    entry.shard = i;
  }
  bundle.header.num_shards = kShards;
  const auto counted = std::make_shared<FaultFileSystem>(Write(bundle));
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(counted));
  EXPECT_EQ(BadKeys(report).size(), size_t{kShards});
  ASSERT_THAT(report.problems, SizeIs(101));
  EXPECT_THAT(report.problems.back(), StatusIs(StatusCode::kNotFound, HasSubstr("2900 more")));
  EXPECT_LT(counted->calls(FaultFileSystem::Call::kList), 200)
      << "each listing costs what is in the directory";
}

TEST(VerifyCheckpoint, NowhereToReportToIsTheCallersFault) {
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader,
                          BundleReader::Open("m/ckpt", {.file_system = Write(TwoShards())}));
  EXPECT_THAT(VerifyTensors(reader, nullptr, OkStatus(), {}, nullptr),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST(VerifyCheckpoint, OptionsOutOfRangeAreRefused) {
  EXPECT_THAT(VerifyCheckpoint("m/ckpt", {.file_system = Write(TwoShards())}, {.threads = -1}),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST(VerifyCheckpoint, WithTheGraphsShardGoneTheRestIsStillChecked) {
  BundleBuilder bundle = TwoShards();
  bundle.shards[1].back() ^= 1;
  auto files = Write(bundle);
  files->Remove("m/ckpt.data-00000-of-00002");
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(files));
  EXPECT_THAT(BadKeys(report), ElementsAre(kObjectGraphKey, "a", "c"));
  EXPECT_THAT(report.problems, SizeIs(2));
}

TEST(VerifyCheckpoint, B02_AShardThatWasCutIsToldByTensor) {
  BundleBuilder bundle = TwoShards();
  bundle.shards[1].resize(12);  // "b" is whole
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(bundle)));
  EXPECT_THAT(BadKeys(report), ElementsAre("c"));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss)));
}

TEST(VerifyCheckpoint, B52_AKeyThatOnlyTheGraphKnowsIsTold) {
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(TwoShards("gone"))));
  EXPECT_THAT(BadKeys(report), IsEmpty());
  EXPECT_TRUE(report.ok());
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_THAT(report.notes[0], StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(report.notes[0], StatusHasContext(AllOf(Field(&ErrorContext::key, "gone"),
                                                      Field(&ErrorContext::path, "root.b"))));
}

TEST(VerifyCheckpoint, ABrokenGraphIsAProblemOnce) {
  BundleBuilder bundle;
  bundle.AddStrings(std::string(kObjectGraphKey), {}, {"\n\x7f"});
  SM_ASSERT_OK_AND_ASSIGN(VerifyReport report, VerifyIn(Write(bundle)));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss, HasSubstr("object graph"))));
  EXPECT_THAT(BadKeys(report), IsEmpty());  // its bytes are those that were written

  bundle.shards[0].back() ^= 1;
  SM_ASSERT_OK_AND_ASSIGN(report, VerifyIn(Write(bundle)));
  EXPECT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(BadKeys(report), ElementsAre(kObjectGraphKey));
}

TEST(VerifyCheckpoint, ABrokenIndexIsAProblem) {
  BundleBuilder bundle = TwoShards();
  bundle.index = "no table";
  SM_ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyIn(Write(bundle)));
  EXPECT_THAT(report.problems, ElementsAre(StatusIs(StatusCode::kDataLoss)));
  EXPECT_THAT(report.tensors, IsEmpty());
}

TEST(VerifyCheckpoint, NothingToLookAtIsAnError) {
  EXPECT_THAT(VerifyIn(std::make_shared<MemoryFileSystem>()), StatusIs(StatusCode::kNotFound));
}

TEST(VerifyCheckpoint, CanBeCancelled) {
  Control control;
  control.cancellation.Cancel();
  EXPECT_THAT(VerifyCheckpoint("m/ckpt", {.file_system = Write(TwoShards())}, control),
              StatusIs(StatusCode::kCancelled));
}

}  // namespace
}  // namespace savedmodel::testing
