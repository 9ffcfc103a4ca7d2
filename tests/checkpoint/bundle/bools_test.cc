// Bytes that are stored as bools and are none: no way of reading hands them over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr int64_t kBool = 10;
constexpr int64_t kRows = 3000;  // of the large tensor, which takes several pages and chunks
constexpr int64_t kColumns = 200;
constexpr int64_t kBadRow = 1700;

// "small" has its bad byte at row 0, "large" and "parts" at row kBadRow, column 7.
BundleReader OpenBools() {
  BundleBuilder bundle;
  bundle.Add({.key = "good", .dtype = kBool, .shape = {3}, .payload = std::string("\1\0\1", 3)});
  bundle.Add({.key = "small", .dtype = kBool, .shape = {2}, .payload = "\2\1"});
  std::string bytes(kRows * kColumns, '\1');
  bytes[kBadRow * kColumns + 7] = '\2';
  bundle.Add({.key = "large", .dtype = kBool, .shape = {kRows, kColumns}, .payload = bytes});
  bundle.AddDirectory("parts", kBool, {kRows, kColumns});
  bundle.AddPart("parts", {{0, kBadRow}, {}}, EncodePlain(bytes.substr(0, kBadRow * kColumns)));
  bundle.AddPart("parts", {{kBadRow, kRows - kBadRow}, {}}, EncodePlain(bytes.substr(kBadRow * kColumns)));
  const auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "m");
  return *BundleReader::Open("m", {.file_system = files});
}

std::vector<ReadOptions> AllWaysOfReading() {
  std::vector<ReadOptions> all;
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    for (const Verify verify : {Verify::kAlways, Verify::kWholeReads, Verify::kNever}) {
      all.push_back({.mode = mode, .verify = verify});
    }
  }
  return all;
}

auto IsBadBool() { return StatusIs(StatusCode::kDataLoss, HasSubstr("bool")); }

TEST(Bools, AByteThatIsNoneIsNeverATensor) {
  const BundleReader reader = OpenBools();
  for (const ReadOptions& options : AllWaysOfReading()) {
    for (const char* key : {"small", "large", "parts"})
      EXPECT_THAT(reader.Read(key, options), IsBadBool()) << key;
    EXPECT_THAT(reader.Read("good", options), IsOk());
    for (const char* key : {"large", "parts"}) {
      EXPECT_THAT(reader.ReadRows(key, kBadRow - 1000, 2000, options), IsBadBool()) << key;
      EXPECT_THAT(reader.ReadRows(key, kBadRow, 1, options), IsBadBool()) << key;
      const TensorSlice column = *TensorSlice::Make({{0, kRows}, {7, 1}});
      EXPECT_THAT(reader.ReadSlice(key, column, options), IsBadBool()) << key;
    }
  }
}

TEST(Bools, AByteThatIsNoneDoesNotReachTheCallersMemory) {
  const BundleReader reader = OpenBools();
  for (const ReadOptions& options : AllWaysOfReading()) {
    for (const char* key : {"small", "large", "parts"}) {
      std::vector<std::byte> memory(reader.Find(key)->stored_bytes(), std::byte{0});
      const ReadRequest request{.key = key, .destination = memory};
      EXPECT_THAT(reader.ReadMany({&request, 1}, options), IsBadBool()) << key;
      for (const std::byte byte : memory) ASSERT_LE(byte, std::byte{1}) << key;
    }
  }
}

TEST(Bools, TheErrorSaysWhere) {
  const BundleReader reader = OpenBools();
  EXPECT_THAT(reader.Read("large", {.verify = Verify::kNever}),
              StatusHasContext(AllOf(Field(&ErrorContext::key, "large"), Field(&ErrorContext::found, "2"),
                                     Field(&ErrorContext::offset, 3 + 2 + kBadRow * kColumns + 7))));
}

TEST(Bools, WithoutChecksumsOnlyWhatIsWantedCounts) {
  const BundleReader reader = OpenBools();
  const TensorSlice beside = *TensorSlice::Make({{kBadRow, 2}, {8, 100}});
  for (const ReadOptions& options : AllWaysOfReading()) {
    const bool sound = options.verify != Verify::kAlways;
    const auto code = sound ? StatusCode::kOk : StatusCode::kDataLoss;
    EXPECT_THAT(reader.ReadSlice("large", beside, options), StatusIs(code));
    EXPECT_THAT(reader.ReadRows("large", 0, kBadRow, options), StatusIs(code));
    EXPECT_THAT(reader.ReadRows("large", kBadRow + 1, 5, options), StatusIs(code));
  }
}

TEST(Bools, VerifyingAgreesWithReading) {
  const BundleReader reader = OpenBools();
  SM_ASSERT_OK_AND_ASSIGN(const std::vector<VerifyResult> results, reader.Verify());
  ASSERT_EQ(results.size(), 4u);
  for (const VerifyResult& result : results) {
    EXPECT_THAT(result.status, StatusIs(reader.Read(result.key).status().code())) << result.key;
    const ReadRequest request{.key = result.key};
    EXPECT_THAT(reader.VerifyMany({&request, 1}), StatusIs(result.status.code())) << result.key;
  }
}

}  // namespace
}  // namespace savedmodel
