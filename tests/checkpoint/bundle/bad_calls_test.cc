// Calls that are wrong whatever the files hold, and file systems that hand over what they should not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/careless_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::CarelessFileSystem;
using ::savedmodel::testing::Fault;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr int64_t kUint8 = 4;
constexpr int64_t kLarge = 100'000;

std::shared_ptr<MemoryFileSystem> Files() {
  BundleBuilder bundle;
  for (const char* key : {"a", "b", "c"}) {
    bundle.Add({.key = key, .dtype = kUint8, .shape = {8}, .payload = std::string(8, key[0])});
  }
  bundle.Add({.key = "large", .dtype = kUint8, .shape = {kLarge}, .payload = std::string(kLarge, 'x')});
  bundle.AddStrings("words", {5000}, std::vector<std::string>(5000, "twenty bytes of text"));
  const auto files = std::make_shared<MemoryFileSystem>();
  bundle.WriteTo(*files, "m");
  return files;
}

StatusOr<BundleReader> OpenWith(Fault fault) {
  return BundleReader::Open("m", {.file_system = std::make_shared<CarelessFileSystem>(Files(), fault)});
}

BundleReader Open() { return *OpenWith(Fault::kNone); }

// ---- Destinations ----

TEST(BadCalls, DestinationsThatShareMemoryAreRefusedUntouched) {
  const BundleReader reader = Open();
  for (const size_t second : {0u, 1u, 7u}) {
    std::vector<std::byte> memory(32, std::byte{0x5a});
    const std::span<std::byte> all(memory);
    const ReadRequest requests[] = {{.key = "a", .destination = all.subspan(0, 8)},
                                    {.key = "c", .destination = all.subspan(24, 8)},
                                    {.key = "b", .destination = all.subspan(second, 8)}};
    ReadReport report;
    const Status status = reader.ReadMany(requests, {}, &report);
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("request 2")));
    EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::key, "a")));
    EXPECT_THAT(reader.VerifyMany(requests), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_THAT(memory, Each(std::byte{0x5a}));
    EXPECT_THAT(report.outcomes, Each(ReadReport::Outcome::kUntouched));
  }
}

TEST(BadCalls, DestinationsSideBySideAreFine) {
  std::vector<std::byte> memory(16);
  const std::span<std::byte> all(memory);
  const ReadRequest requests[] = {{.key = "a", .destination = all.subspan(8, 8)},
                                  {.key = "b", .destination = all.subspan(0, 8)}};
  EXPECT_THAT(Open().ReadMany(requests), IsOk());
  EXPECT_EQ(memory[7], std::byte{'b'});
  EXPECT_EQ(memory[8], std::byte{'a'});
}

TEST(BadCalls, OneTensorForTwoValuesIsRefused) {
  Tensor tensor, other;
  const ReadRequest twice[] = {{.key = "a", .tensor = &tensor}, {.key = "b", .tensor = &tensor}};
  EXPECT_THAT(Open().ReadMany(twice), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(tensor.dtype(), DType::kInvalid);
  const ReadRequest both[] = {{.key = "a", .tensor = &tensor}, {.key = "a", .tensor = &other}};
  EXPECT_THAT(Open().ReadMany(both), IsOk());
}

// ---- Options ----

class IdleExecutor : public Executor {
 public:
  explicit IdleExecutor(int concurrency) : concurrency_(concurrency) {}
  void RunAll(std::vector<std::function<void()>> tasks) override {
    for (const auto& task : tasks) task();
  }
  int concurrency() const override { return concurrency_; }

 private:
  int concurrency_;
};

std::vector<Control> BadControls() {
  std::vector<Control> bad;
  for (const int threads : {-1, std::numeric_limits<int>::min()}) bad.push_back({.threads = threads});
  for (const int tasks : {0, -5}) bad.push_back({.executor = std::make_shared<IdleExecutor>(tasks)});
  return bad;
}

std::vector<ReadOptions> BadOptions() {
  std::vector<ReadOptions> bad = {{.mode = static_cast<ReadMode>(77)}, {.verify = static_cast<Verify>(77)}};
  for (Control& control : BadControls()) bad.push_back({.control = std::move(control)});
  return bad;
}

TEST(BadCalls, OptionsOutOfRangeAreRefusedByEveryRead) {
  const BundleReader reader = Open();
  const auto refused = StatusIs(StatusCode::kInvalidArgument);
  for (const ReadOptions& options : BadOptions()) {
    EXPECT_THAT(reader.Read("a", options), refused);
    EXPECT_THAT(reader.ReadRows("a", 0, 2, options), refused);
    EXPECT_THAT(reader.ReadSlice("a", TensorSlice::Full(1), options), refused);
    const ReadRequest request{.key = "a"};
    EXPECT_THAT(reader.VerifyMany({&request, 1}, options), refused);
    Tensor tensor;
    const ReadRequest wanted{.key = "a", .tensor = &tensor};
    EXPECT_THAT(reader.ReadMany({&wanted, 1}, options), refused);
    EXPECT_EQ(tensor.dtype(), DType::kInvalid);
  }
  for (const Control& control : BadControls()) EXPECT_THAT(reader.Verify(control), refused);
}

TEST(BadCalls, AMillionThreadsAreNotTooMany) { EXPECT_THAT(Open().Verify({.threads = 1'000'000}), IsOk()); }

// ---- File systems ----

TEST(BadCalls, NullFromAFileSystemIsAnError) {
  for (const Fault fault : {Fault::kNullDirectory, Fault::kNullFile}) {
    EXPECT_THAT(OpenWith(fault), StatusIs(StatusCode::kInvalidArgument, HasSubstr("null")));
  }
}

TEST(BadCalls, AMappingOfAnotherSizeIsNoValue) {
  for (const Fault fault : {Fault::kMapsLess, Fault::kMapsMore}) {
    SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, OpenWith(fault));
    for (const Verify verify : {Verify::kAlways, Verify::kWholeReads, Verify::kNever}) {
      const ReadOptions options{.mode = ReadMode::kMapped, .verify = verify};
      EXPECT_THAT(reader.Read("large", options), StatusIs(StatusCode::kDataLoss));
      EXPECT_THAT(reader.ReadRows("large", 0, kLarge - 1, options), StatusIs(StatusCode::kDataLoss));
      EXPECT_THAT(reader.Read("words", options), StatusIs(StatusCode::kDataLoss));
      std::vector<std::byte> memory(kLarge, std::byte{0x5a});
      const ReadRequest request{.key = "large", .destination = memory};
      EXPECT_THAT(reader.ReadMany({&request, 1}, options), StatusIs(StatusCode::kDataLoss));
      EXPECT_THAT(memory, Each(std::byte{0x5a}));
    }
    EXPECT_THAT(reader.Read("large", {.mode = ReadMode::kCopied}), IsOk());
  }
}

// ---- Sizes ----

TEST(BadCalls, SizesThatAddUpToMoreThan64BitsAreNotSmall) {
  TensorInfo info{.slices = {{.bytes = {.size = uint64_t{1} << 63}}, {.bytes = {.size = uint64_t{1} << 63}}}};
  EXPECT_EQ(info.stored_bytes(), std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace savedmodel
