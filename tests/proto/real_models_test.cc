// The wire index over models that real writers made: the fixtures, and the corpus where there is one
// (SAVEDMODEL_CORPUS, by default ../shared/corpus beside the source tree).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "savedmodel/proto/fingerprint.pb.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/text_format.h"
#include "savedmodel/proto/keras_metadata.pb.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/wire_index.h"
#include "savedmodel/tests/proto/support/compare_index.h"

namespace savedmodel::testing {
namespace {

namespace fs = std::filesystem;

struct Counts {
  int models = 0, meta_graphs = 0, object_graphs = 0, joined = 0;
};

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> FilesNamed(const fs::path& root, const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == name) files.push_back(entry.path());
  return files;
}

void Count(const WireIndex& index, Counts* counts) {
  ++counts->models;
  for (const MetaGraphIndex& graph : index.meta_graphs()) {
    ++counts->meta_graphs;
    counts->object_graphs += graph.has_object_graph();
    counts->joined += !graph.offsets_are_file;
  }
}

template <class M>
int CountParsed(const fs::path& root, const std::string& name) {
  int parsed = 0;
  for (const fs::path& path : FilesNamed(root, name)) {
    M message;
    const Status status = internal::ParseBounded(Read(path), &message, {.file = path.native()});
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty()) << path;
    ++parsed;
  }
  return parsed;
}

void CheckBinary(const fs::path& path, Counts* counts) {
  const std::string bytes = Read(path);
  EXPECT_EQ(CheckAgreement(bytes), "") << path;
  const auto index = WireIndex::Build(Buffer::FromString(bytes), path.string());
  if (index.ok()) Count(*index, counts);
}

void CheckText(const fs::path& path, Counts* counts) {
  const std::string text = Read(path);
  const auto index = WireIndex::BuildFromText(text, path.string());
  ASSERT_TRUE(index.ok()) << index.status();
  proto::SavedModel model;
  ASSERT_TRUE(internal::ParseText(text, &model, {}).ok());
  EXPECT_EQ(CompareIndex(*index, model), "") << path;
  Counts text_counts;  // nothing of a text is "joined"
  Count(*index, &text_counts);
  counts->models += text_counts.models;
  counts->meta_graphs += text_counts.meta_graphs;
  counts->object_graphs += text_counts.object_graphs;
}

Counts CheckAll(const fs::path& root) {
  Counts counts;
  for (const fs::path& path : FilesNamed(root, "saved_model.pb")) CheckBinary(path, &counts);
  for (const fs::path& path : FilesNamed(root, "saved_model.pbtxt")) CheckText(path, &counts);
  return counts;
}

TEST(RealModels, FixturesAreIndexedAsTheyParse) {
  const Counts counts = CheckAll(SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data");
  EXPECT_GE(counts.models, 20);
  EXPECT_GE(counts.object_graphs, 15);
  EXPECT_EQ(counts.joined, 0);
}

fs::path Corpus() {
  const char* named = std::getenv("SAVEDMODEL_CORPUS");
  return named != nullptr ? named : SAVEDMODEL_SOURCE_DIR "/../shared/corpus";
}

TEST(RealModels, CorpusIsIndexedAsItParses) {
  const fs::path root = Corpus();
  if (!fs::is_directory(root)) GTEST_SKIP() << "no corpus in " << root;
  const Counts counts = CheckAll(root);
  RecordProperty("models", counts.models);
  std::cout << counts.models << " models, " << counts.meta_graphs << " MetaGraphs, " << counts.object_graphs
            << " object graphs\n";
  EXPECT_GE(counts.models, 50);
  EXPECT_EQ(counts.joined, 0);
}

TEST(RealModels, SideFilesOfTheCorpusParse) {
  const fs::path root = Corpus();
  if (!fs::is_directory(root)) GTEST_SKIP() << "no corpus in " << root;
  EXPECT_GE(CountParsed<proto::FingerprintDef>(root, "fingerprint.pb"), 1);
  EXPECT_GE(CountParsed<proto::keras::SavedMetadata>(root, "keras_metadata.pb"), 1);
  EXPECT_GE(CountParsed<proto::GraphDebugInfo>(root, "saved_model_debug_info.pb"), 1);
}

}  // namespace
}  // namespace savedmodel::testing
