// Small bundles with every byte changed and cut at every length: each read ends in a value or an allowed
// error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
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
using ::savedmodel::testing::BytesOf;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::FileMap;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;

constexpr std::string_view kIndex = "m.index";

constexpr bool kHostIsBig = std::endian::native == std::endian::big;

// In this machine's byte order: variants of the other are not looked into.
BundleBuilder SmallBundle(bool snappy) {
  BundleBuilder bundle(2, kHostIsBig);
  bundle.table = {.block_size = 60, .snappy = snappy};
  bundle.Add(
      {.key = "a", .dtype = 1, .shape = {2, 3}, .payload = BytesOf<float>({0, 1, 2, 3, 4, 5}, kHostIsBig)});
  bundle.AddStrings("s", {2}, {"hello", ""}, 1);
  bundle.AddVariants("v", {1}, {"\x0a\x03int"});
  bundle.AddDirectory("p", 3, {2, 2});
  bundle.AddPart("p", {{}, {0, 1}}, EncodePlain(BytesOf<int32_t>({1, 3}, kHostIsBig)), 0);
  bundle.AddPart("p", {{}, {1, 1}}, EncodePlain(BytesOf<int32_t>({2, 4}, kHostIsBig)), 1);
  bundle.Add({.key = "b", .dtype = 10, .shape = {3}, .payload = std::string("\1\0\1", 3)});
  return bundle;
}

bool IsAllowed(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
    case StatusCode::kDataLoss:
    case StatusCode::kUnimplemented:
    case StatusCode::kNotFound:
    case StatusCode::kOutOfRange:
    case StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

struct Outcome {
  bool opened = false;
  std::vector<Status> statuses;  // of everything that was tried
  size_t good = 0;               // tensors that verify
};

Outcome ReadEverything(const FileMap& file_map) {
  auto files = std::make_shared<MemoryFileSystem>();
  savedmodel::testing::WriteFiles(file_map, *files);
  Outcome outcome;
  const StatusOr<BundleReader> reader = BundleReader::Open("m", {.file_system = files});
  outcome.statuses.push_back(reader.status());
  if (!reader.ok()) return outcome;
  outcome.opened = true;
  const Control here{.threads = 1};
  for (std::string_view key : reader->keys()) {
    outcome.statuses.push_back(reader->Read(key, {.control = here}).status());
    outcome.statuses.push_back(
        reader->Read(key, {.mode = ReadMode::kCopied, .verify = Verify::kNever, .control = here}).status());
    outcome.statuses.push_back(
        reader->ReadSlice(key, TensorSlice::Rows(0, 1, 1).value(), {.control = here}).status());
  }
  const StatusOr<std::vector<VerifyResult>> results = reader->Verify(here);
  outcome.statuses.push_back(results.status());
  if (!results.ok()) return outcome;
  for (const VerifyResult& result : *results) outcome.good += result.status.ok();
  return outcome;
}

void ExpectAllowed(const Outcome& outcome, const std::string& what) {
  for (const Status& status : outcome.statuses) {
    // A rank that is not the slice's is the caller's mistake: rows of a scalar or a matrix.
    EXPECT_TRUE(IsAllowed(status) || absl::IsInvalidArgument(status)) << what << ": " << status;
  }
}

class BrokenFiles : public ::testing::TestWithParam<bool> {};

TEST_P(BrokenFiles, TheWholeOneIsGood) {
  const Outcome outcome = ReadEverything(SmallBundle(GetParam()).Files("m"));
  EXPECT_TRUE(outcome.opened);
}

TEST_P(BrokenFiles, B11_AnIndexCutAnywhereIsRefused) {
  const FileMap files = SmallBundle(GetParam()).Files("m");
  const std::string& index = files.at(std::string(kIndex));
  for (size_t size = 0; size < index.size(); ++size) {
    FileMap cut = files;
    cut[std::string(kIndex)] = index.substr(0, size);
    const Outcome outcome = ReadEverything(cut);
    EXPECT_FALSE(outcome.opened) << size;
    EXPECT_THAT(outcome.statuses.front(), StatusIs(StatusCode::kDataLoss)) << size;
  }
}

TEST_P(BrokenFiles, Case6_AShardCutAnywhereLosesSomeTensor) {
  const FileMap files = SmallBundle(GetParam()).Files("m");
  const size_t good = ReadEverything(files).good;
  for (const auto& [name, bytes] : files) {
    if (name == kIndex) continue;
    for (size_t size = 0; size < bytes.size(); ++size) {
      FileMap cut = files;
      cut[name] = bytes.substr(0, size);
      const Outcome outcome = ReadEverything(cut);
      EXPECT_LT(outcome.good, good) << name << " cut to " << size;
      ExpectAllowed(outcome, name);
    }
  }
}

// Footer padding is the only part of a bundle that no checksum covers.
TEST_P(BrokenFiles, Case5_AnyChangedByteIsNoticedOrHarmless) {
  const FileMap files = SmallBundle(GetParam()).Files("m");
  const size_t good = ReadEverything(files).good;
  for (const auto& [name, bytes] : files) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const int change : {0x01, 0x80, 0xff}) {
        FileMap broken = files;
        broken[name][at] = static_cast<char>(bytes[at] ^ change);
        const Outcome outcome = ReadEverything(broken);
        ExpectAllowed(outcome, name + " at " + std::to_string(at));
        const bool in_footer = name == kIndex && at + 48 >= bytes.size();
        if (!in_footer) {
          EXPECT_TRUE(!outcome.opened || outcome.good < good) << name << " at " << at << " xor " << change;
        }
      }
    }
  }
}

TEST_P(BrokenFiles, AnIndexWithBytesTakenOutOrPutInIsRefused) {
  const FileMap files = SmallBundle(GetParam()).Files("m");
  const std::string& index = files.at(std::string(kIndex));
  for (size_t at = 0; at + 49 < index.size();
       ++at) {  // a byte between the last block and the footer is a gap
    for (const bool insert : {false, true}) {
      FileMap broken = files;
      std::string& bytes = broken[std::string(kIndex)];
      insert ? bytes.insert(at, 1, bytes[at]) : bytes.erase(at, 1);
      EXPECT_FALSE(ReadEverything(broken).opened) << at;
    }
  }
}

std::string Name(const ::testing::TestParamInfo<bool>& info) { return info.param ? "Snappy" : "Plain"; }
INSTANTIATE_TEST_SUITE_P(Index, BrokenFiles, ::testing::Bool(), Name);

}  // namespace
}  // namespace savedmodel
