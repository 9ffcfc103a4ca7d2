// Real checkpoints, when the folder with them lies beside the project; else these tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using nlohmann::json;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;

std::filesystem::path Corpus() {
  return std::filesystem::path(SAVEDMODEL_SOURCE_DIR).parent_path() / "shared" / "corpus";
}

// One row per checkpoint: each key with [dtype, shape, shard, offset, size, masked crc32c].
std::vector<json> Expected() {
  std::vector<json> rows;
  std::ifstream file(Corpus() / "EXPECTED.jsonl");
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

void ExpectEntry(const TensorInfo& info, const json& entry) {
  EXPECT_EQ(DTypeName(info.dtype), entry[0].get<std::string>());
  EXPECT_EQ(std::vector<int64_t>(info.shape.dims().begin(), info.shape.dims().end()),
            entry[1].get<std::vector<int64_t>>());
  EXPECT_EQ(info.bytes, (StoredBytes{entry[2].get<int32_t>(), entry[3].get<uint64_t>(),
                                     entry[4].get<uint64_t>(), entry[5].get<uint32_t>()}));
}

TEST(Corpus, EveryIndexSaysWhatIsExpected) {
  const std::vector<json> rows = Expected();
  if (rows.empty()) GTEST_SKIP() << "no corpus";
  for (const json& row : rows) {
    SCOPED_TRACE(row["path"].get<std::string>());
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open((Corpus() / row["path"]).string()));
    EXPECT_EQ(reader.num_shards(), row["num_shards"].get<int>());
    ASSERT_EQ(reader.keys().size(), row["tensors"].size());
    for (std::string_view key : reader.keys()) {
      SM_ASSERT_OK_AND_ASSIGN(const TensorInfo info, reader.Find(key));
      ExpectEntry(info, row["tensors"][std::string(key)]);
    }
  }
}

TEST(Corpus, EveryTensorWhoseShardIsThereVerifies) {
  const std::vector<json> rows = Expected();
  if (rows.empty()) GTEST_SKIP() << "no corpus";
  int without_data = 0;
  for (const json& row : rows) {
    SCOPED_TRACE(row["path"].get<std::string>());
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open((Corpus() / row["path"]).string()));
    SM_ASSERT_OK_AND_ASSIGN(const std::vector<VerifyResult> results, reader.Verify());
    for (const VerifyResult& result : results) {
      SM_ASSERT_OK_AND_ASSIGN(const TensorInfo info, reader.Find(result.key));
      if (std::filesystem::exists(reader.ShardName(info.bytes.shard))) {
        EXPECT_THAT(result.status, IsOk());
      } else {
        EXPECT_THAT(result.status, StatusIs(StatusCode::kNotFound));
        ++without_data;
      }
    }
  }
  EXPECT_GT(without_data, 0) << "some items lack their shard on purpose";
}

}  // namespace
}  // namespace savedmodel
