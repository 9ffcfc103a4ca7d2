// The table reader against LevelDB, which wrote the first tables of this format.
#include <gtest/gtest.h>

#if __has_include(<leveldb/table.h>)
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "savedmodel/checkpoint/bundle/internal/table_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::EncodeTable;
using ::savedmodel::testing::Records;

constexpr TableLimits kAmple{uint64_t{1} << 30, uint64_t{1} << 24};

class StringSink : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    return bytes.append(data.data(), data.size()), leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  std::string bytes;
};

class StringSource : public leveldb::RandomAccessFile {
 public:
  explicit StringSource(const std::string& bytes) : bytes_(bytes) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* /*scratch*/) const override {
    if (offset > bytes_.size()) return leveldb::Status::IOError("offset");
    *result =
        leveldb::Slice(bytes_.data() + offset, std::min(n, bytes_.size() - static_cast<size_t>(offset)));
    return leveldb::Status::OK();
  }

 private:
  const std::string& bytes_;
};

// As TensorFlow writes: blocks of 256 KiB, a whole key every 16 entries.
leveldb::Options TensorFlowOptions() {
  leveldb::Options options;
  options.block_size = 262144;
  options.block_restart_interval = 16;
  options.compression = leveldb::kNoCompression;
  return options;
}

std::string WriteTable(const Records& records, const leveldb::Options& options) {
  StringSink sink;
  leveldb::TableBuilder builder(options, &sink);
  for (const auto& [key, value] : records) builder.Add(key, value);
  EXPECT_TRUE(builder.Finish().ok());
  return sink.bytes;
}

Records ScanTable(const std::string& bytes) {
  const StringSource source(bytes);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* opened = nullptr;
  EXPECT_TRUE(leveldb::Table::Open(options, const_cast<StringSource*>(&source), bytes.size(), &opened).ok());
  const std::unique_ptr<leveldb::Table> table(opened);
  Records records;
  if (table == nullptr) return records;
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
  for (it->SeekToFirst(); it->Valid(); it->Next())
    records.emplace_back(it->key().ToString(), it->value().ToString());
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return records;
}

void ExpectReads(const std::string& bytes, const Records& records) {
  SM_ASSERT_OK_AND_ASSIGN(const Table table, ReadTable(Buffer::FromString(bytes), "m.index", kAmple));
  ASSERT_EQ(table.entries().size(), records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(table.entries()[i].key, records[i].first);
    ASSERT_EQ(table.entries()[i].value, records[i].second);
  }
}

Records Bundle(int keys) {
  Records records{{"", savedmodel::testing::EncodeHeader({})}};
  for (int i = 0; i < keys; ++i) {
    records.emplace_back(
        "model/layer_" + std::to_string(1'000'000 + i) + "/kernel/.ATTRIBUTES/VARIABLE_VALUE",
        savedmodel::testing::EncodeEntry(
            {.dtype = 1, .shape = {i}, .offset = i * 4, .size = i * 4, .crc32c = 1}));
  }
  return records;
}

TEST(LevelDb, FiftyThousandKeysAreTheSame) {
  const Records records = Bundle(50'000);
  const std::string bytes = WriteTable(records, TensorFlowOptions());
  ExpectReads(bytes, records);
}

TEST(LevelDb, Case13_TwentyThousandAndOneKeysInFiveBlocks) {
  Records records{{"", savedmodel::testing::EncodeHeader({})}};
  for (int i = 0; i < 20'000; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "tensor_%05d_with_a_long_name", i);
    records.emplace_back(key, std::string(45, static_cast<char>('a' + i % 26)));
  }
  const std::string bytes = WriteTable(records, TensorFlowOptions());
  EXPECT_GT(bytes.size(), 4 * 262144u);
  ExpectReads(bytes, records);
}

TEST(LevelDb, Case14_AValueOverTwoBlocks) {
  const Records records{{"", "h"}, {"a", "1"}, {"b", std::string(600'000, 'b')}, {"c", "3"}};
  ExpectReads(WriteTable(records, TensorFlowOptions()), records);
  // With the cut before it that TensorFlow makes and LevelDB does not.
  StringSink sink;
  leveldb::TableBuilder builder(TensorFlowOptions(), &sink);
  for (const auto& [key, value] : records) {
    if (value.size() >= 2 * 262144) builder.Flush();
    builder.Add(key, value);
  }
  ASSERT_TRUE(builder.Finish().ok());
  ExpectReads(sink.bytes, records);
}

TEST(LevelDb, RandomTablesOfAnyOptionsAreTheSame) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> keys;
    for (int i = pick(0, 200); i > 0; --i) {
      std::string key(static_cast<size_t>(pick(0, 12)), 'x');
      for (char& c : key) c = static_cast<char>("abc\0\xff"[pick(0, 4)]);
      keys.insert(std::move(key));
    }
    Records records;
    for (const std::string& key : keys)
      records.emplace_back(key, std::string(static_cast<size_t>(pick(0, 60)), 'v'));
    leveldb::Options options;
    options.block_size = static_cast<size_t>(pick(64, 2000));
    options.block_restart_interval = pick(1, 20);
    options.compression = pick(0, 1) == 1 ? leveldb::kSnappyCompression : leveldb::kNoCompression;
    ExpectReads(WriteTable(records, options), records);
  }
}

// What the tests' own writer makes is what LevelDB takes for a table, too.
TEST(LevelDb, ReadsTheTestsOwnTables) {
  const Records records = Bundle(300);
  for (const bool snappy : {false, true}) {
    EXPECT_EQ(ScanTable(EncodeTable(records, {.block_size = 1000, .snappy = snappy})), records);
  }
}

}  // namespace
}  // namespace savedmodel::internal

#else
TEST(LevelDb, IsNotInstalled) { GTEST_SKIP() << "LevelDB, the oracle of these tests, is not installed"; }
#endif
