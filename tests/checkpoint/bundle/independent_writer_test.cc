// Bundles of tests/fixtures/independent_writer.py, which shares no code with the reader: values for good
// ones, codes for bad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "savedmodel/base/dtype.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel {
namespace {

using nlohmann::json;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::TempDir;

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string ToHostOrder(std::string little_endian, size_t unit) {
  if (std::endian::native == std::endian::little) return little_endian;
  for (auto at = little_endian.begin(); at != little_endian.end(); at += static_cast<ptrdiff_t>(unit)) {
    std::reverse(at, at + static_cast<ptrdiff_t>(unit));
  }
  return little_endian;
}

class IndependentWriter : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    const std::string command = "python3 '" + std::string(SAVEDMODEL_SOURCE_DIR) +
                                "/tests/fixtures/independent_writer.py' '" + dir_->path() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    manifest_ = json::parse(dir_->ReadFile("manifest.json"));
  }
  static void TearDownTestSuite() {
    delete dir_;
    dir_ = nullptr;
  }
  static StatusOr<BundleReader> Open(const json& row) {
    return BundleReader::Open(dir_->Path(row["prefix"].get<std::string>()));
  }

  static TempDir* dir_;
  static json manifest_;
};

TempDir* IndependentWriter::dir_ = nullptr;
json IndependentWriter::manifest_;

void ExpectValue(const Tensor& tensor, const json& row) {
  EXPECT_EQ(DTypeName(tensor.dtype()), row["dtype"].get<std::string>());
  EXPECT_EQ(std::vector<int64_t>(tensor.shape().dims().begin(), tensor.shape().dims().end()),
            row["shape"].get<std::vector<int64_t>>());
  if (row.contains("little_endian")) {
    EXPECT_EQ(tensor.buffer().view(),
              ToHostOrder(FromHex(row["little_endian"]), DTypeSwapUnit(tensor.dtype())));
    return;
  }
  ASSERT_EQ(static_cast<size_t>(tensor.num_elements()), row["elements"].size());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    EXPECT_EQ(tensor.StringAt(i).value(), FromHex(row["elements"][static_cast<size_t>(i)]));
  }
}

TEST_F(IndependentWriter, GoodBundlesHoldWhatWasWritten) {
  ASSERT_GE(manifest_["good"].size(), 8u);
  for (const json& row : manifest_["good"]) {
    SCOPED_TRACE(row["prefix"].get<std::string>());
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, Open(row));
    EXPECT_EQ(reader.big_endian(), row["big_endian"].get<bool>());
    EXPECT_EQ(reader.num_shards(), row["num_shards"].get<int>());
    ASSERT_EQ(reader.keys().size(), row["tensors"].size());
    for (size_t i = 0; i < reader.keys().size(); ++i) {
      const json& expected = row["tensors"][i];
      ASSERT_EQ(reader.keys()[i], FromHex(expected["key"]));
      SCOPED_TRACE(std::string(reader.keys()[i]));
      const bool foreign = reader.big_endian() != (std::endian::native == std::endian::big);
      if (foreign && expected["dtype"] == "variant") continue;
      SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, reader.Read(reader.keys()[i]));
      ExpectValue(tensor, expected);
    }
  }
}

TEST_F(IndependentWriter, EveryStorableDTypeIsAmongThem) {
  std::map<std::string, int> seen;
  for (const json& row : manifest_["good"]) {
    for (const json& tensor : row["tensors"]) ++seen[tensor["dtype"].get<std::string>()];
  }
  for (const DType dtype : AllDTypes()) {
    if (!IsStorable(dtype)) continue;
    EXPECT_GT(seen[std::string(DTypeName(dtype))], 0) << DTypeName(dtype);
  }
}

std::string ExpectedCode(const json& row) {
  const std::string host = std::endian::native == std::endian::big ? "big" : "little";
  const bool foreign = row["variant_order"].is_string() && row["variant_order"] != host;
  return foreign ? "UNIMPLEMENTED" : row["code"].get<std::string>();
}

TEST_F(IndependentWriter, BadBundlesGiveTheirCode) {
  ASSERT_GE(manifest_["bad"].size(), 40u);
  for (const json& row : manifest_["bad"]) {
    const StatusOr<BundleReader> reader = Open(row);
    Status status = reader.status();
    if (row["do"] == "read") {
      ASSERT_THAT(reader, IsOk()) << row["prefix"];
      status = reader->Read(FromHex(row["key"])).status();
    }
    EXPECT_EQ(absl::StatusCodeToString(status.code()), ExpectedCode(row)) << row["prefix"] << status;
  }
}

}  // namespace
}  // namespace savedmodel
