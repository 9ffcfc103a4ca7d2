#include "savedmodel/checkpoint/bundle/internal/table_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/bundle/internal/table_format.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::EncodeBlock;
using ::savedmodel::testing::EncodeTable;
using ::savedmodel::testing::EncodeVarint;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::RawTable;
using ::savedmodel::testing::Records;
using ::savedmodel::testing::SnappyCompress;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr TableLimits kAmple{uint64_t{1} << 30, uint64_t{1} << 24};

StatusOr<Table> Read(const std::string& bytes, const TableLimits& limits = kAmple) {
  return ReadTable(Buffer::FromString(bytes), "m.index", limits);
}

Records Entries(const Table& table) {
  Records records;
  for (const TableEntry& entry : table.entries()) records.emplace_back(entry.key, entry.value);
  return records;
}

Records ManyRecords(int count) {
  Records records;
  for (int i = 0; i < count; ++i) {
    records.emplace_back("layer/" + std::to_string(100'000 + i) + "/kernel",
                         std::string(static_cast<size_t>(i % 40), 'v'));
  }
  return records;
}

TEST(TableReader, ReadsWhatWasWrittenHoweverItIsCut) {
  const Records records = ManyRecords(500);
  for (const size_t block_size : {size_t{1}, size_t{100}, size_t{5000}, size_t{262144}}) {
    for (const int restart_interval : {1, 2, 16, 1000}) {
      for (const bool snappy : {false, true}) {
        SM_ASSERT_OK_AND_ASSIGN(const Table table,
                                Read(EncodeTable(records, {block_size, restart_interval, snappy})));
        ASSERT_EQ(Entries(table), records) << block_size << " " << restart_interval << " " << snappy;
      }
    }
  }
}

TEST(TableReader, FindsEachKeyAndNoOther) {
  const Records records = ManyRecords(100);
  SM_ASSERT_OK_AND_ASSIGN(const Table table, Read(EncodeTable(records)));
  for (const auto& [key, value] : records) {
    ASSERT_NE(table.Find(key), nullptr);
    EXPECT_EQ(table.Find(key)->value, value);
    EXPECT_EQ(table.Find(key + "x"), nullptr);
  }
  EXPECT_EQ(table.Find(""), nullptr);
}

TEST(TableReader, UncompressedValuesAreNotCopied) {
  const Buffer file = Buffer::FromString(EncodeTable({{"a", "value"}}));
  SM_ASSERT_OK_AND_ASSIGN(const Table table, ReadTable(file, "m.index", kAmple));
  const char* value = table.entries().front().value.data();
  EXPECT_TRUE(value > file.view().data() && value < file.view().data() + file.size());
}

TEST(TableReader, KeysAndValuesMayBeAnyBytes) {
  const Records records{{"", ""},
                        {std::string("\0", 1), "x"},
                        {std::string("\0\0", 2), ""},
                        {"\xff", "\xff"},
                        {"\xff\xff", ""}};
  SM_ASSERT_OK_AND_ASSIGN(const Table table, Read(EncodeTable(records)));
  EXPECT_EQ(Entries(table), records);
}

TEST(TableReader, ErrorsNameFileAndOffset) {
  std::string bytes = EncodeTable(ManyRecords(100), {.block_size = 500});
  bytes[600] = static_cast<char>(bytes[600] ^ 1);
  EXPECT_THAT(Read(bytes), StatusHasContext(AllOf(
                               Field(&ErrorContext::file, "m.index"),
                               Field(&ErrorContext::offset, AllOf(::testing::Gt(0u), ::testing::Le(600u))))));
}

TEST(TableReader, LimitOfEntries) {
  const std::string bytes = EncodeTable(ManyRecords(100));
  EXPECT_THAT(Read(bytes, {1 << 20, 100}), IsOk());
  EXPECT_THAT(Read(bytes, {1 << 20, 99}), StatusIs(StatusCode::kResourceExhausted, HasSubstr("entries")));
}

TEST(TableReader, LimitOfDecompressedBytes) {
  Records records;
  for (int i = 0; i < 100; ++i) records.emplace_back("k" + std::to_string(100 + i), std::string(1000, 'v'));
  const std::string bytes = EncodeTable(records, {.block_size = 10'000, .snappy = true});
  ASSERT_LT(bytes.size(), 20'000u);
  EXPECT_THAT(Read(bytes, {200'000, 1000}), IsOk());
  EXPECT_THAT(Read(bytes, {50'000, 1000}), StatusIs(StatusCode::kResourceExhausted, HasSubstr("limit")));
}

// A block whose keys each share all of a long key would otherwise grow with the square of its size.
TEST(TableReader, KeysThatRepeatEachOtherBeyondReasonAreRefused) {
  std::string key(20'000, 'a');
  Records records{{key, ""}};
  for (int i = 0; i < 5000; ++i) records.emplace_back(key += 'a', "");
  EXPECT_THAT(Read(EncodeTable(records, {.block_size = 1 << 30, .restart_interval = 10'000})),
              StatusIs(StatusCode::kResourceExhausted));
}

TEST(TableReader, LongKeysWrittenAsUsualAreRead) {
  Records records;
  for (int i = 0; i < 300; ++i) records.emplace_back(std::string(3000, 'a') + std::to_string(1000 + i), "");
  SM_ASSERT_OK_AND_ASSIGN(const Table table, Read(EncodeTable(records)));
  EXPECT_EQ(Entries(table), records);
}

TEST(TableReader, SnappyMayGrowAsMuchAsItCan) {
  RawTable table;
  table.AddBlock(SnappyCompress(EncodeBlock({{"a", std::string(1 << 20, 'x')}})), "b", 1);
  EXPECT_THAT(Read(table.Finish()), IsOk());
}

TEST(TableReader, SnappyThatEndsEarlyIsRefused) {
  const std::string packed = SnappyCompress(EncodeBlock({{"a", std::string(1000, 'x')}}));
  for (size_t size = 0; size < packed.size(); ++size) {
    RawTable table;
    table.AddBlock(packed.substr(0, size), "b", 1);
    EXPECT_THAT(Read(table.Finish()), StatusIs(StatusCode::kDataLoss)) << size;
  }
}

TEST(TableReader, BlocksOfOneTableMayDifferInType) {
  RawTable raw;
  raw.AddBlock(EncodeBlock({{"a", "1"}}), "a");
  raw.AddBlock(SnappyCompress(EncodeBlock({{"b", "2"}})), "b", 1);
  SM_ASSERT_OK_AND_ASSIGN(const Table table, Read(raw.Finish()));
  EXPECT_EQ(Entries(table), (Records{{"a", "1"}, {"b", "2"}}));
}

TEST(TableReader, TheMetaindexMustBeSoundToo) {
  std::string bytes = EncodeTable({{"a", "1"}});
  const size_t metaindex = EncodeBlock({{"a", "1"}}).size() + kBlockTrailerSize;
  bytes[metaindex] = 1;
  EXPECT_THAT(Read(bytes), StatusIs(StatusCode::kDataLoss, HasSubstr("checksum")));
}

TEST(TableReader, ManyEntriesInOneBlockAreWalkedWithoutRecursion) {
  Records records;
  for (int i = 0; i < 300'000; ++i) records.emplace_back(std::to_string(1'000'000 + i), "");
  SM_ASSERT_OK_AND_ASSIGN(const Table table, Read(EncodeTable(records, {.block_size = 1 << 30})));
  EXPECT_EQ(table.entries().size(), records.size());
}

}  // namespace
}  // namespace savedmodel::internal
