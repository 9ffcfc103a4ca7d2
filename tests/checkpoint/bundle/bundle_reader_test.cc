#include "savedmodel/checkpoint/bundle/bundle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::BytesOf;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::FaultFileSystem;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::savedmodel::testing::TempDir;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using Outcome = ReadReport::Outcome;

constexpr bool kHostIsBig = std::endian::native == std::endian::big;
constexpr int64_t kFloat = 1;
constexpr int64_t kInt32 = 3;

std::string Pattern(size_t size, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::string bytes(size + 3, '\0');
  for (size_t at = 0; at < size; at += 4) {
    const auto word = static_cast<uint32_t>(random());
    std::memcpy(bytes.data() + at, &word, 4);
  }
  bytes.resize(size);
  return bytes;
}

// `bytes` with each unit reversed: what a file of the other byte order holds.
std::string Reversed(std::string bytes, size_t unit) {
  for (size_t at = 0; at + unit <= bytes.size(); at += unit) {
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(at),
                 bytes.begin() + static_cast<ptrdiff_t>(at + unit));
  }
  return bytes;
}

// A bundle in memory, seen through a file system that counts.
class Files {
 public:
  Files()
      : memory_(std::make_shared<MemoryFileSystem>()), counted_(std::make_shared<FaultFileSystem>(memory_)) {}

  void Write(const BundleBuilder& bundle, std::string_view prefix = "d/m") {
    bundle.WriteTo(*memory_, prefix);
  }
  MemoryFileSystem& memory() { return *memory_; }
  FaultFileSystem& counted() { return *counted_; }
  std::shared_ptr<const FileSystem> shared() const { return counted_; }
  StatusOr<BundleReader> Open(std::string_view prefix = "d/m") const {
    return BundleReader::Open(prefix, {.file_system = counted_});
  }

 private:
  std::shared_ptr<MemoryFileSystem> memory_;
  std::shared_ptr<FaultFileSystem> counted_;
};

std::vector<std::byte> Memory(size_t size) { return std::vector<std::byte>(size, std::byte{0x5a}); }
std::string_view View(const std::vector<std::byte>& memory) {
  return {reinterpret_cast<const char*>(memory.data()), memory.size()};
}

// ---- Opening ----

TEST(BundleReader, OpensByPathOrWithinADirectory) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  bundle.Add({.key = "w", .dtype = kFloat, .shape = {2}, .payload = BytesOf<float>({1, 2}, kHostIsBig)});
  files.Write(bundle, "d/variables/variables");
  EXPECT_THAT(files.Open("d/variables/variables"), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, files.counted().OpenDirectory("d"));
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(directory, "variables/variables"));
  EXPECT_EQ(reader.index_name(), "d/variables/variables.index");
  EXPECT_EQ(reader.ShardName(0), "d/variables/variables.data-00000-of-00001");
  EXPECT_EQ(reader.num_shards(), 1);
  EXPECT_EQ(reader.ShardSize(0).value(), 8u);
  EXPECT_THAT(reader.ShardSize(1), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(reader.ShardSize(-1), StatusIs(StatusCode::kOutOfRange));
}

TEST(BundleReader, NoDirectoryIsTheCallersMistake) {
  EXPECT_THAT(BundleReader::Open(nullptr, "m"), StatusIs(StatusCode::kInvalidArgument));
}

TEST(BundleReader, PrefixesAreLiteral) {
  TempDir dir;
  for (const std::string prefix : {"run[1]", "a*b?", "sp ace", "back\\slash",
                                   "gr\xc3\xbc\xc3\x9f"
                                   "e",
                                   "\xff"}) {
    BundleBuilder bundle;
    bundle.Add({.key = "w", .dtype = 4, .shape = {1}, .payload = "x"});
    for (const auto& [name, content] : bundle.Files(prefix)) dir.WriteFile(name, content);
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(dir.Path(prefix)));
    EXPECT_THAT(reader.Read("w"), IsOk()) << prefix;
  }
}

TEST(BundleReader, FilesOnDiskReadTheSame) {
  TempDir dir;
  BundleBuilder bundle(2, kHostIsBig);
  const std::string large = Pattern(3 << 20);
  bundle.Add({.key = "a", .dtype = 4, .shape = {3 << 20}, .payload = large, .shard = 1});
  bundle.AddStrings("s", {2}, {"x", "yy"});
  for (const auto& [name, content] : bundle.Files("m")) dir.WriteFile(name, content);
  std::optional<Tensor> kept;
  {
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(dir.Path("m")));
    SM_ASSERT_OK_AND_ASSIGN(kept, reader.Read("a"));
    SM_ASSERT_OK_AND_ASSIGN(const Tensor strings, reader.Read("s"));
    EXPECT_EQ(strings.StringAt(1).value(), "yy");
  }
  EXPECT_TRUE(kept->buffer().view() == large) << "a tensor outlives its reader";
}

TEST(BundleReader, ADirectoryInPlaceOfAPrefixIsExplained) {
  Files files;
  files.Write(BundleBuilder(), "d/run/ckpt-1");
  EXPECT_THAT(files.Open("d/run/"), StatusIs(StatusCode::kNotFound, HasSubstr("ckpt-1")));
  EXPECT_THAT(files.Open("d/run"), StatusIs(StatusCode::kNotFound, HasSubstr("\"d/run/ckpt-1\"")));
  EXPECT_THAT(files.Open("d/nowhere/x"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(files.Open("d/run/ckpt-2"), StatusIs(StatusCode::kNotFound, HasSubstr("ckpt-1")));
}

TEST(BundleReader, LimitsAreOfTheIndex) {
  Files files;
  BundleBuilder bundle;
  for (int i = 0; i < 50; ++i)
    bundle.Add({.key = "k" + std::to_string(i), .dtype = 4, .shape = {1}, .payload = "x"});
  files.Write(bundle);
  const auto open = [&](const BundleLimits& limits) {
    return BundleReader::Open("d/m", {.limits = limits, .file_system = files.shared()});
  };
  EXPECT_THAT(open({}), IsOk());
  EXPECT_THAT(open({.max_index_bytes = 1000}),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("m.index")));
  EXPECT_THAT(open({.max_entries = 50}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(open({.max_entries = 51}), IsOk());
}

TEST(BundleReader, Case44_OpenReadsTheIndexOnceAndNoShard) {
  Files files;
  BundleBuilder bundle(3);
  for (int i = 0; i < 3000; ++i) {
    bundle.Add({.key = "k" + std::to_string(i),
                .dtype = 4,
                .shape = {1000},
                .payload = std::string(1000, 'x'),
                .shard = i % 3});
  }
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  for (std::string_view key : reader.keys()) EXPECT_THAT(reader.Find(key), IsOk());
  EXPECT_EQ(files.counted().bytes_read(".data-00000-of-00003"), 0u);
  EXPECT_EQ(files.counted().calls(FaultFileSystem::Call::kOpenFile), 1);
  const uint64_t index_size = bundle.Files("m").at("m.index").size();
  EXPECT_LE(files.counted().bytes_read("m.index"), index_size + 8);
}

TEST(BundleReader, ShardsAreOpenedWhenFirstReadAndOnce) {
  Files files;
  BundleBuilder bundle(3);
  for (int i = 0; i < 6; ++i) {
    bundle.Add({.key = "k" + std::to_string(i), .dtype = 4, .shape = {1}, .payload = "x", .shard = i % 3});
  }
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  files.counted().ResetCounts();
  EXPECT_THAT(reader.Read("k1"), IsOk());
  EXPECT_THAT(reader.Read("k4"), IsOk());
  EXPECT_EQ(files.counted().calls(FaultFileSystem::Call::kOpenFile), 1);
  const BundleReader copy = reader;
  EXPECT_THAT(copy.Read("k1"), IsOk());
  EXPECT_EQ(files.counted().calls(FaultFileSystem::Call::kOpenFile), 1);
  EXPECT_THAT(reader.Read("k0"), IsOk());
  EXPECT_EQ(files.counted().calls(FaultFileSystem::Call::kOpenFile), 2);
}

TEST(BundleReader, AShardThatFailedToOpenIsTriedAgain) {
  Files files;
  BundleBuilder bundle;
  bundle.Add({.key = "w", .dtype = 4, .shape = {1}, .payload = "x"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  files.counted().FailNth(FaultFileSystem::Call::kOpenFile, 1, absl::UnavailableError("busy"));
  EXPECT_THAT(reader.Read("w"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(reader.Read("w"), IsOk());
}

TEST(BundleReader, EveryFailedCallOfTheStoreIsAnErrorOfTheRead) {
  BundleBuilder bundle(2, kHostIsBig);
  bundle.Add({.key = "large", .dtype = 4, .shape = {200'000}, .payload = Pattern(200'000)});
  bundle.Add({.key = "small", .dtype = 4, .shape = {10}, .payload = Pattern(10), .shard = 1});
  bundle.AddStrings("strings", {1}, {Pattern(100'000)}, 1);
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    for (const auto call :
         {FaultFileSystem::Call::kOpenFile, FaultFileSystem::Call::kReadAt, FaultFileSystem::Call::kMap}) {
      for (int n = 1; n < 20; ++n) {
        Files files;
        files.Write(bundle);
        SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
        files.counted().ResetCounts();
        files.counted().FailNth(call, n, absl::UnavailableError("I/O"));
        std::vector<Tensor> tensors(3);
        const std::vector<ReadRequest> requests{{.key = "large", .tensor = &tensors[0]},
                                                {.key = "small", .tensor = &tensors[1]},
                                                {.key = "strings", .tensor = &tensors[2]}};
        const Status status = reader.ReadMany(requests, {.mode = mode, .control = {.threads = 1}});
        if (status.ok()) {
          EXPECT_LT(files.counted().calls(call), n);
          break;
        }
        EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable));
        for (const Tensor& tensor : tensors) EXPECT_EQ(tensor.dtype(), DType::kInvalid);
      }
    }
  }
}

// ---- Looking up ----

TEST(BundleReader, MissingKeysNameNearOnes) {
  Files files;
  BundleBuilder bundle;
  bundle.Add({.key = "dense/kernel", .dtype = 4, .shape = {1}, .payload = "x"});
  bundle.Add({.key = "dense/bias", .dtype = 4, .shape = {1}, .payload = "x"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  EXPECT_THAT(reader.Find("dense/kernl"),
              AllOf(StatusIs(StatusCode::kNotFound, HasSubstr("dense/kernel")),
                    StatusHasContext(AllOf(Field(&ErrorContext::key, "dense/kernl"),
                                           Field(&ErrorContext::file, "d/m.index")))));
  EXPECT_TRUE(reader.Contains("dense/bias"));
  EXPECT_FALSE(reader.Contains("dense"));
  EXPECT_FALSE(reader.Contains(""));
}

TEST(BundleReader, InfoSaysWhereTheBytesAre) {
  Files files;
  BundleBuilder bundle(2);
  bundle.Add({.key = "a", .dtype = kInt32, .shape = {2}, .payload = std::string(8, 'a')});
  const auto entry = bundle.Add({.key = "b", .dtype = kInt32, .shape = {1}, .payload = "bbbb"});
  bundle.AddDirectory("p", kInt32, {2, 1});
  bundle.AddPart("p", {{0, 1}, {}}, EncodePlain("1111"), 1);
  bundle.AddPart("p", {{1, 1}, {}}, EncodePlain("2222"), 0);
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  SM_ASSERT_OK_AND_ASSIGN(const TensorInfo b, reader.Find("b"));
  EXPECT_EQ(b.dtype, DType::kInt32);
  EXPECT_EQ(b.shape, Shape{1});
  EXPECT_EQ(b.bytes, (StoredBytes{0, 8, 4, entry.crc32c}));
  EXPECT_EQ(b.stored_bytes(), 4u);
  EXPECT_FALSE(b.partitioned());
  SM_ASSERT_OK_AND_ASSIGN(const TensorInfo p, reader.Find("p"));
  ASSERT_EQ(p.slices.size(), 2u);
  EXPECT_EQ(p.shape, (Shape{2, 1}));
  EXPECT_EQ(p.stored_bytes(), 8u);
  EXPECT_EQ(p.slices[0].slice.ToString(), "0,1:-");
  EXPECT_EQ(p.slices[0].bytes.shard, 1);
  EXPECT_EQ(p.slices[1].bytes.offset, 12u);
  EXPECT_THAT(reader.keys(), ElementsAre("a", "b", "p"));
}

TEST(BundleReader, APartThatNoDirectoryNamesIsATensorOfItsOwn) {
  Files files;
  BundleBuilder bundle;
  bundle.AddDirectory("p", kInt32, {2});
  bundle.AddPart("p", {{0, 1}}, EncodePlain("1111"));
  bundle.Entry("p").slices.clear();
  bundle.Add({.key = "p", .dtype = kInt32, .shape = {1}, .payload = "2222"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  EXPECT_EQ(reader.keys().size(), 2u);
  EXPECT_THAT(reader.Read(reader.keys()[0]), IsOk());
}

TEST(BundleReader, PartsOfABadDirectoryStayHidden) {
  Files files;
  BundleBuilder bundle;
  bundle.AddDirectory("p", kInt32, {2});
  bundle.AddPart("p", {{0, 1}}, EncodePlain("1111"));
  bundle.Entry("p").unknown_rank = true;
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  EXPECT_THAT(reader.keys(), ElementsAre("p"));
}

// ---- Reading many ----

// Tensors of many sizes, some across pieces, in three shards, and their bytes in host order.
struct Mixed {
  explicit Mixed(bool big_endian) : bundle(3, big_endian) {
    const size_t sizes[] = {0, 4, 8, 400, 65'532, 65'536, 70'000, 1 << 20, (4 << 20) + 4, 8'500'000};
    int i = 0;
    for (size_t size : sizes) {
      for (int copy = 0; copy < (size < 1 << 20 ? 3 : 1); ++copy, ++i) {
        const std::string key = "t" + std::to_string(100 + i);
        values[key] = Pattern(size, static_cast<uint32_t>(i + 1));
        const bool foreign = big_endian != kHostIsBig;
        bundle.Add({.key = key,
                    .dtype = kInt32,
                    .shape = {static_cast<int64_t>(size / 4)},
                    .payload = foreign ? Reversed(values[key], 4) : values[key],
                    .shard = i % 3});
      }
    }
  }
  BundleBuilder bundle;
  std::map<std::string, std::string> values;
};

void ExpectReadsAll(const BundleReader& reader, const Mixed& mixed, const ReadOptions& options) {
  std::vector<Tensor> tensors(mixed.values.size());
  std::vector<std::vector<std::byte>> memory;
  std::vector<ReadRequest> requests;
  for (const auto& [key, bytes] : mixed.values) {
    memory.push_back(Memory(bytes.size()));
    requests.push_back({.key = key, .tensor = &tensors[requests.size()]});
  }
  ReadReport report;
  ASSERT_THAT(reader.ReadMany(requests, options, &report), IsOk());
  EXPECT_THAT(report.outcomes, Each(Outcome::kComplete));
  size_t i = 0;
  for (const auto& [key, bytes] : mixed.values) {
    EXPECT_TRUE(tensors[i].buffer().view() == bytes) << key;
    requests[i].tensor = nullptr;
    requests[i].destination = memory[i];
    ++i;
  }
  ASSERT_THAT(reader.ReadMany(requests, options, &report), IsOk());
  EXPECT_THAT(report.outcomes, Each(Outcome::kComplete));
  i = 0;
  for (const auto& [key, bytes] : mixed.values) EXPECT_TRUE(View(memory[i++]) == bytes) << key;
  EXPECT_THAT(reader.VerifyMany(requests, options), IsOk());
}

TEST(BundleReader, ReadManyGivesTheSameInEveryWay) {
  for (const bool big_endian : {false, true}) {
    const Mixed mixed(big_endian);
    Files files;
    files.Write(mixed.bundle);
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
    EXPECT_EQ(reader.big_endian(), big_endian);
    for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
      ExpectReadsAll(reader, mixed, {.mode = mode, .control = {.threads = 1}});
      ExpectReadsAll(reader, mixed, {.mode = mode, .control = {.threads = 4}});
      ExpectReadsAll(reader, mixed, {.mode = mode, .verify = Verify::kNever, .control = {.threads = 4}});
    }
  }
}

TEST(BundleReader, LargeTensorsPointIntoTheFileAndSmallOnesDoNot) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  bundle.Add({.key = "large", .dtype = kInt32, .shape = {1 << 20}, .payload = Pattern(4 << 20)});
  bundle.Add({.key = "small", .dtype = kInt32, .shape = {4}, .payload = Pattern(16)});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  SM_ASSERT_OK_AND_ASSIGN(const Tensor mapped, reader.Read("large"));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor again, reader.Read("large"));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor copied, reader.Read("large", {.mode = ReadMode::kCopied}));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor rows, reader.ReadRows("large", 1000, 100'000));
  EXPECT_EQ(mapped.buffer().data(), again.buffer().data());
  EXPECT_NE(mapped.buffer().data(), copied.buffer().data());
  EXPECT_EQ(rows.buffer().data(), mapped.buffer().data() + 4000);
  SM_ASSERT_OK_AND_ASSIGN(const Tensor small, reader.Read("small"));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor small_again, reader.Read("small"));
  EXPECT_NE(small.buffer().data(), small_again.buffer().data());
}

TEST(BundleReader, TensorsAtOddOffsetsAreViewableAsTheirType) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  bundle.AddStrings("s", {1}, {"x"});  // 6 bytes
  bundle.Add({.key = "w", .dtype = 2, .shape = {100'000}, .payload = Pattern(800'000)});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  SM_ASSERT_OK_AND_ASSIGN(const Tensor w, reader.Read("w"));
  EXPECT_THAT(w.View<double>(), IsOk());
}

TEST(BundleReader, WhatDoesNotFitIsSaidBeforeAnythingIsTouched) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  bundle.Add({.key = "a", .dtype = kInt32, .shape = {2}, .payload = Pattern(8)});
  bundle.Add({.key = "b", .dtype = kInt32, .shape = {2}, .payload = Pattern(8)});
  bundle.AddStrings("s", {1}, {"x"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  files.counted().ResetCounts();
  std::vector<std::byte> a = Memory(8);
  std::vector<std::byte> b = Memory(8);
  const ReadRequest good{.key = "a", .destination = a};
  const auto with = [&](const ReadRequest& other) {
    ReadReport report;
    const ReadRequest requests[] = {good, other};
    const Status status = reader.ReadMany(requests, {}, &report);
    EXPECT_THAT(report.outcomes, ElementsAre(Outcome::kUntouched, Outcome::kUntouched));
    return status;
  };
  EXPECT_THAT(with({.key = "missing", .destination = b}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(with({.key = "", .destination = b}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(with({.key = "b", .destination = std::span(b).first(7)}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("8 bytes")));
  EXPECT_THAT(with({.key = "b"}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(with({.key = "s", .destination = b}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("string")));
  EXPECT_THAT(with({.key = "b", .destination = b, .dtype = DType::kFloat32}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(with({.key = "b", .destination = b, .shape = Shape{1, 2}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("[1,2]")));
  EXPECT_THAT(with({.key = "b", .slice = TensorSlice::Parse("1,2").value(), .destination = b}),
              StatusIs(StatusCode::kOutOfRange));
  EXPECT_EQ(View(a), std::string(8, '\x5a'));
  EXPECT_EQ(View(b), std::string(8, '\x5a'));
  EXPECT_EQ(files.counted().bytes_read(), 0u);
}

TEST(BundleReader, Case40_TheErrorNamesEveryRequestThatDoesNotFit) {
  Files files;
  BundleBuilder bundle;
  for (const char* key : {"a", "b", "c"})
    bundle.Add({.key = key, .dtype = kFloat, .shape = {1}, .payload = "xxxx"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  Tensor tensor[3];
  const ReadRequest requests[] = {{.key = "a", .tensor = &tensor[0], .dtype = DType::kFloat64},
                                  {.key = "b", .tensor = &tensor[1]},
                                  {.key = "c", .tensor = &tensor[2], .dtype = DType::kFloat64}};
  EXPECT_THAT(reader.ReadMany(requests),
              StatusIs(StatusCode::kInvalidArgument, AllOf(HasSubstr("\"a\""), HasSubstr("\"c\""))));
}

TEST(BundleReader, TensorsOverTheLimitOfTheCallAreRefused) {
  Files files;
  BundleBuilder bundle;
  bundle.Add({.key = "a", .dtype = 4, .shape = {600}, .payload = Pattern(600)});
  bundle.entries["b"] = bundle.Entry("a");
  bundle.AddStrings("s", {1}, {Pattern(300)});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  Tensor tensors[2];
  const ReadRequest requests[] = {{.key = "a", .tensor = &tensors[0]}, {.key = "b", .tensor = &tensors[1]}};
  EXPECT_THAT(reader.ReadMany(requests, {.max_tensor_bytes = 1200}), IsOk());
  EXPECT_THAT(reader.ReadMany(requests, {.max_tensor_bytes = 1199}),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(reader.Read("s", {.max_tensor_bytes = 299}), StatusIs(StatusCode::kResourceExhausted));
  std::vector<std::byte> memory = Memory(600);
  const ReadRequest to_memory{.key = "a", .destination = memory};
  EXPECT_THAT(reader.ReadMany({&to_memory, 1}, {.max_tensor_bytes = 0}), IsOk())
      << "the memory is the caller's";
}

TEST(BundleReader, NoRequestsAreTheCallersMistake) {
  Files files;
  files.Write(BundleBuilder());
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  EXPECT_THAT(reader.ReadMany({}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(reader.VerifyMany({}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_TRUE(reader.keys().empty());
  EXPECT_TRUE(reader.Verify().value().empty());
}

TEST(BundleReader, AWrongChecksumTellsWhichDestinationsAreSpoiled) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  const std::string bytes = Pattern(200'000);
  bundle.Add({.key = "a", .dtype = 4, .shape = {200'000}, .payload = bytes});
  bundle.Add({.key = "b", .dtype = 4, .shape = {200'000}, .payload = bytes});
  bundle.Add({.key = "c", .dtype = 4, .shape = {200'000}, .payload = bytes});
  bundle.Entry("b").crc32c ^= 1;
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    std::vector<std::byte> memory[3] = {Memory(200'000), Memory(200'000), Memory(200'000)};
    const ReadRequest requests[] = {{.key = "a", .destination = memory[0]},
                                    {.key = "b", .destination = memory[1]},
                                    {.key = "c", .destination = memory[2]}};
    ReadReport report;
    const ReadOptions options{.mode = mode, .control = {.threads = 1}};
    EXPECT_THAT(reader.VerifyMany(requests, options), StatusIs(StatusCode::kDataLoss, HasSubstr("\"b\"")));
    for (const auto& m : memory)
      EXPECT_EQ(View(m), std::string(200'000, '\x5a')) << "verifying touches nothing";
    EXPECT_THAT(reader.ReadMany(requests, options, &report),
                StatusIs(StatusCode::kDataLoss, HasSubstr("\"b\"")));
    EXPECT_THAT(report.outcomes, ElementsAre(Outcome::kComplete, Outcome::kPartial, Outcome::kUntouched));
    EXPECT_EQ(View(memory[2]), std::string(200'000, '\x5a'));
  }
}

TEST(BundleReader, SmallDestinationsAreNotTouchedByAWrongChecksum) {
  Files files;
  BundleBuilder bundle;
  bundle.Add({.key = "w", .dtype = 4, .shape = {8}, .payload = Pattern(8)}).crc32c ^= 1;
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  std::vector<std::byte> memory = Memory(8);
  const ReadRequest request{.key = "w", .destination = memory};
  ReadReport report;
  EXPECT_THAT(reader.ReadMany({&request, 1}, {}, &report), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(report.outcomes, ElementsAre(Outcome::kUntouched));
  EXPECT_EQ(View(memory), std::string(8, '\x5a'));
}

TEST(BundleReader, ManyRowsOfOneTensorAreReadInOnePass) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  const std::string bytes = Pattern(1 << 20);
  bundle.Add({.key = "w", .dtype = 4, .shape = {1024, 1024}, .payload = bytes});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  std::vector<Tensor> tensors(100);
  std::vector<ReadRequest> requests;
  for (int64_t i = 0; i < 100; ++i) {
    requests.push_back({.key = "w",
                        .slice = TensorSlice::Rows(i * 10, 1, 2).value(),
                        .tensor = &tensors[static_cast<size_t>(i)]});
  }
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    files.counted().ResetCounts();
    ReadReport report;
    ASSERT_THAT(reader.ReadMany(requests, {.mode = mode}, &report), IsOk());
    EXPECT_EQ(report.bytes_read, 1u << 20);
    EXPECT_EQ(files.counted().bytes_read(".data-00000-of-00001"), 1u << 20);
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(tensors[i].buffer().view(), bytes.substr(i * 10240, 1024));
  }
}

TEST(BundleReader, WithoutVerifyingPartsOnlyTheirBytesAreRead) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  const std::string bytes = Pattern(10 << 20);
  bundle.Add({.key = "w", .dtype = 4, .shape = {10, 1 << 20}, .payload = bytes}).crc32c ^= 1;
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    files.counted().ResetCounts();
    EXPECT_THAT(reader.ReadRows("w", 3, 2, {.mode = mode}), StatusIs(StatusCode::kDataLoss));
    EXPECT_EQ(files.counted().bytes_read(".data-00000-of-00001"), 10u << 20);
    files.counted().ResetCounts();
    SM_ASSERT_OK_AND_ASSIGN(const Tensor rows,
                            reader.ReadRows("w", 3, 2, {.mode = mode, .verify = Verify::kWholeReads}));
    EXPECT_TRUE(rows.buffer().view() == std::string_view(bytes).substr(3 << 20, 2 << 20));
    EXPECT_EQ(files.counted().bytes_read(".data-00000-of-00001"), 2u << 20);
    EXPECT_THAT(reader.Read("w", {.mode = mode, .verify = Verify::kWholeReads}),
                StatusIs(StatusCode::kDataLoss));
    EXPECT_THAT(reader.Read("w", {.mode = mode, .verify = Verify::kNever}), IsOk());
  }
}

TEST(BundleReader, AColumnWithoutVerifyingReadsNotMuchMoreThanTheColumn) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  const std::string bytes = Pattern(16 << 20);
  bundle.Add({.key = "w", .dtype = 4, .shape = {16, 1 << 20}, .payload = bytes});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  files.counted().ResetCounts();
  SM_ASSERT_OK_AND_ASSIGN(const Tensor column,
                          reader.ReadSlice("w", TensorSlice::Parse("-:5,2").value(),
                                           {.mode = ReadMode::kCopied, .verify = Verify::kNever}));
  for (size_t i = 0; i < 16; ++i)
    EXPECT_EQ(column.buffer().view().substr(i * 2, 2), bytes.substr((i << 20) + 5, 2));
  EXPECT_LE(files.counted().bytes_read(".data-00000-of-00001"), 32u);
}

TEST(BundleReader, NeighboursAreReadTogether) {
  Files files;
  BundleBuilder bundle;
  for (int i = 0; i < 1000; ++i) {
    bundle.Add({.key = "k" + std::to_string(1000 + i),
                .dtype = 4,
                .shape = {10},
                .payload = Pattern(10, static_cast<uint32_t>(i))});
  }
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  files.counted().ResetCounts();
  std::vector<Tensor> tensors(1000);
  std::vector<ReadRequest> requests;
  for (size_t i = 0; i < 1000; ++i) requests.push_back({.key = reader.keys()[i], .tensor = &tensors[i]});
  std::shuffle(requests.begin(), requests.end(), std::mt19937(1));
  ASSERT_THAT(reader.ReadMany(requests), IsOk());
  EXPECT_EQ(files.counted().calls(FaultFileSystem::Call::kReadAt), 1);
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(tensors[i].buffer().view(), Pattern(10, static_cast<uint32_t>(i)));
}

TEST(BundleReader, TensorsMayShareBytes) {
  Files files;
  BundleBuilder bundle(1, kHostIsBig);
  const std::string bytes = Pattern(100'000);
  const auto entry = bundle.Add({.key = "a", .dtype = 4, .shape = {100'000}, .payload = bytes});
  bundle.entries["b"] = entry;
  bundle.entries["c"] = entry;
  bundle.Entry("c").offset = 100;
  bundle.Entry("c").size = 10;
  bundle.Entry("c").shape = {10};
  bundle.Entry("c").crc32c = EncodePlain(bytes.substr(100, 10)).crc32c;
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  std::vector<std::byte> memory[3] = {Memory(100'000), Memory(100'000), Memory(10)};
  const ReadRequest requests[] = {{.key = "a", .destination = memory[0]},
                                  {.key = "b", .destination = memory[1]},
                                  {.key = "c", .destination = memory[2]}};
  ASSERT_THAT(reader.ReadMany(requests), IsOk());
  EXPECT_TRUE(View(memory[0]) == bytes && View(memory[1]) == bytes);
  EXPECT_EQ(View(memory[2]), bytes.substr(100, 10));
}

// ---- Slices of everything ----

std::string SliceOneByOne(const std::string& bytes, const std::vector<int64_t>& shape, size_t size,
                          const TensorSlice& slice) {
  std::vector<int64_t> at{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    const TensorSlice::Extent extent = slice.extent(static_cast<int>(d));
    std::vector<int64_t> next;
    for (int64_t base : at) {
      const int64_t length = extent.whole() ? shape[d] : extent.length;
      for (int64_t i = 0; i < length; ++i) next.push_back(base * shape[d] + extent.start + i);
    }
    at = std::move(next);
  }
  std::string out;
  for (int64_t i : at) out += bytes.substr(static_cast<size_t>(i) * size, size);
  return out;
}

TEST(BundleReader, RandomSlicesOfRandomPartitioningsAreRight) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    const DType dtype =
        AllDTypes()[static_cast<size_t>(pick(0, static_cast<int64_t>(AllDTypes().size()) - 1))];
    if (!IsFixedSize(dtype)) continue;
    const bool big_endian = pick(0, 1) == 1;
    const std::vector<int64_t> shape{pick(1, 9), pick(1, 300), pick(1, 40)};
    const size_t size = DTypeSize(dtype);
    const size_t count = static_cast<size_t>(shape[0] * shape[1] * shape[2]);
    std::string bytes = Pattern(count * size, static_cast<uint32_t>(round));
    if (dtype == DType::kBool) {
      for (char& c : bytes) c &= 1;
    }
    BundleBuilder bundle(2, big_endian);
    bundle.AddDirectory("w", static_cast<int64_t>(dtype), shape);
    const int64_t cut0 = pick(0, shape[0] - 1);
    const int64_t cut1 = pick(0, shape[1] - 1);
    int part = 0;
    for (const auto& [start0, end0] : {std::pair(int64_t{0}, cut0), std::pair(cut0, shape[0])}) {
      for (const auto& [start1, end1] : {std::pair(int64_t{0}, cut1), std::pair(cut1, shape[1])}) {
        if (start0 == end0 || start1 == end1) continue;
        const auto box =
            TensorSlice::Make({{start0, end0 - start0}, {start1, end1 - start1}, TensorSlice::All()}).value();
        std::string part_bytes = SliceOneByOne(bytes, shape, size, box);
        if (big_endian != kHostIsBig) part_bytes = Reversed(part_bytes, DTypeSwapUnit(dtype));
        bundle.AddPart("w", {{start0, end0 - start0}, {start1, end1 - start1}, {}}, EncodePlain(part_bytes),
                       part++ % 2);
      }
    }
    Files files;
    files.Write(bundle);
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
    for (int i = 0; i < 5; ++i) {
      std::vector<TensorSlice::Extent> extents;
      for (int64_t dim : shape) {
        const int64_t start = pick(0, dim - 1);
        extents.push_back(pick(0, 2) == 0 ? TensorSlice::All()
                                          : TensorSlice::Extent{start, pick(1, dim - start)});
      }
      const TensorSlice slice = TensorSlice::Make(extents).value();
      const std::string expected = SliceOneByOne(bytes, shape, size, slice);
      for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
        for (const Verify verify : {Verify::kAlways, Verify::kWholeReads, Verify::kNever}) {
          SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor,
                                  reader.ReadSlice("w", slice, {.mode = mode, .verify = verify}));
          ASSERT_TRUE(tensor.buffer().view() == expected) << DTypeName(dtype) << " " << slice.ToString();
        }
      }
    }
  }
}

// ---- Control ----

TEST(BundleReader, Cancellation) {
  Files files;
  const Mixed mixed(kHostIsBig);
  files.Write(mixed.bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  Control control;
  control.threads = 1;
  int calls = 0;
  control.progress = [&](const Progress&) {
    if (++calls == 3) control.cancellation.Cancel();
  };
  std::vector<Tensor> tensors(mixed.values.size());
  std::vector<ReadRequest> requests;
  for (const auto& [key, bytes] : mixed.values)
    requests.push_back({.key = key, .tensor = &tensors[requests.size()]});
  EXPECT_THAT(reader.ReadMany(requests, {.control = control}), StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(calls, 3);
  for (const Tensor& tensor : tensors) EXPECT_EQ(tensor.dtype(), DType::kInvalid);
  EXPECT_THAT(reader.Verify(control), StatusIs(StatusCode::kCancelled));
}

TEST(BundleReader, Deadline) {
  Files files;
  BundleBuilder bundle;
  bundle.Add({.key = "w", .dtype = 4, .shape = {1}, .payload = "x"});
  files.Write(bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  Control control;
  control.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_THAT(reader.Read("w", {.control = control}), StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_THAT(reader.Verify(control), StatusIs(StatusCode::kDeadlineExceeded));
}

TEST(BundleReader, ProgressEndsAtTheTotal) {
  Files files;
  const Mixed mixed(!kHostIsBig);
  files.Write(mixed.bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  Progress last;
  Control control;
  control.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.bytes_done, last.bytes_done);
    last = progress;
  };
  ASSERT_THAT(reader.Verify(control), IsOk());
  EXPECT_EQ(last.bytes_done, last.bytes_total);
  EXPECT_GT(last.bytes_total, 10u << 20);
}

class CountingExecutor : public Executor {
 public:
  void RunAll(std::vector<std::function<void()>> tasks) override {
    runs += tasks.size();
    savedmodel::RunAll({.threads = 2}, std::move(tasks));
  }
  int concurrency() const override { return 2; }
  size_t runs = 0;
};

TEST(BundleReader, RunsOnTheCallersThreads) {
  Files files;
  const Mixed mixed(kHostIsBig);
  files.Write(mixed.bundle);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, files.Open());
  const auto executor = std::make_shared<CountingExecutor>();
  Control control;
  control.executor = executor;
  ASSERT_THAT(reader.Verify(control), IsOk());
  EXPECT_EQ(executor->runs, 2u);
}

TEST(BundleReader, ReadersShareOneReaderFromManyThreads) {
  TempDir dir;
  const Mixed mixed(kHostIsBig);
  for (const auto& [name, content] : mixed.bundle.Files("m")) dir.WriteFile(name, content);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(dir.Path("m")));
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const ReadOptions options{.mode = t % 2 == 0 ? ReadMode::kMapped : ReadMode::kCopied,
                                  .control = {.threads = 2}};
        for (const auto& [key, bytes] : mixed.values) {
          const StatusOr<Tensor> tensor = reader.Read(key, options);
          if (!tensor.ok() || tensor->buffer().view() != bytes) ++wrong;
        }
        if (t == 3 && !reader.Verify().ok()) ++wrong;
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

// ---- Large ----

TEST(BundleReader, B26_SizesAndOffsetsOverFourGigabytes) {
  TempDir dir;
  constexpr int64_t kOffset = (int64_t{1} << 32) + 5;
  constexpr int64_t kSize = (int64_t{1} << 31) + 8;
  BundleBuilder bundle;
  bundle.entries["large"] = {.dtype = 4, .shape = {kSize / 8, 8}, .offset = kOffset, .size = kSize};
  const std::string bytes = "end of it";
  bundle.entries["after"] = {
      .dtype = 4, .shape = {9}, .offset = kOffset + kSize, .size = 9, .crc32c = EncodePlain(bytes).crc32c};
  dir.WriteFile("m.index", bundle.Files("m").at("m.index"));
  const std::string shard = dir.WriteFile("m.data-00000-of-00001", "");
  std::filesystem::resize_file(shard, static_cast<uint64_t>(kOffset + kSize) + 9);
  {
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kOffset + kSize - 8);
    file << "lastrow!" << bytes;
  }
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, BundleReader::Open(dir.Path("m")));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor after, reader.Read("after"));
  EXPECT_EQ(after.buffer().view(), bytes);
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    SM_ASSERT_OK_AND_ASSIGN(const Tensor row, reader.ReadRows("large", kSize / 8 - 1, 1,
                                                              {.mode = mode, .verify = Verify::kNever}));
    EXPECT_EQ(row.buffer().view(), "lastrow!");
  }
  SM_ASSERT_OK_AND_ASSIGN(const Tensor whole, reader.Read("large", {.verify = Verify::kNever}));
  EXPECT_EQ(whole.num_bytes(), static_cast<uint64_t>(kSize));
  EXPECT_EQ(whole.buffer().view().substr(static_cast<size_t>(kSize) - 9), std::string("\0lastrow!", 9));
}

}  // namespace
}  // namespace savedmodel
