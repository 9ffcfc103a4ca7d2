// Every allocation of a call fails in turn: the call says so, throws nothing, and keeps its promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/fail_each_allocation.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::FailEachAllocation;
using ::savedmodel::testing::kCanFailAllocations;

constexpr int64_t kUint8 = 4;
constexpr int64_t kLarge = 3 << 20;  // for which two threads are worth it

class OutOfMemoryTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!kCanFailAllocations) GTEST_SKIP() << "sanitizers bring their own operator new";
    BundleBuilder bundle;
    bundle.Add({.key = "a", .dtype = kUint8, .shape = {8}, .payload = std::string(8, 'a')});
    bundle.AddStrings("b", {3}, {"some", "strings", "of which one is longer than others"});
    bundle.Add({.key = "large", .dtype = kUint8, .shape = {kLarge}, .payload = std::string(kLarge, 'x')});
    bundle.AddDirectory("parts", kUint8, {4, 2});
    for (int64_t row = 0; row < 4; ++row) {
      bundle.AddPart("parts", {{row, 1}, {}}, EncodePlain(std::string(2, 'p')));
    }
    bundle.WriteTo(*files_, "m");
    control_.threads = GetParam();
  }

  StatusOr<BundleReader> Open() const { return BundleReader::Open("m", {.file_system = files_}); }

  std::shared_ptr<MemoryFileSystem> files_ = std::make_shared<MemoryFileSystem>();
  Control control_;
};

TEST_P(OutOfMemoryTest, OpeningSaysSo) {
  FailEachAllocation([&] { return Open().status(); });
}

TEST_P(OutOfMemoryTest, ReadingSaysSoAndDeliversAllOrNothing) {
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, Open());
  std::vector<std::byte> memory(kLarge);
  std::vector<Tensor> tensors(3);
  std::vector<ReadRequest> requests = {{.key = "large", .destination = memory}};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const char* const keys[] = {"a", "b", "parts"};
    requests.push_back({.key = keys[i], .tensor = &tensors[i]});
  }
  ReadReport report;
  const auto read = [&] {
    return reader.ReadMany(requests, {.mode = ReadMode::kCopied, .control = control_}, &report);
  };
  FailEachAllocation(read, [&](const Status& status) {
    for (Tensor& tensor : tensors) {
      EXPECT_EQ(tensor.dtype() != DType::kInvalid, status.ok());
      tensor = Tensor();
    }
    const bool told = !report.outcomes.empty() && report.outcomes[0] != ReadReport::Outcome::kUntouched;
    const bool touched = std::ranges::any_of(memory, [](std::byte b) { return b != std::byte{0}; });
    EXPECT_TRUE(told || !touched) << "overwritten, and the report does not say so";
    std::ranges::fill(memory, std::byte{0});
  });
}

TEST_P(OutOfMemoryTest, EveryOtherCallSaysSo) {
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, Open());
  const ReadOptions options{.control = control_};
  const ReadRequest requests[] = {{.key = "large"}, {.key = "b"}};
  FailEachAllocation([&] { return reader.Verify(control_).status(); });
  FailEachAllocation([&] { return reader.VerifyMany(requests, options); });
  FailEachAllocation([&] { return reader.Read("b", options).status(); });
  FailEachAllocation([&] { return reader.ReadRows("parts", 1, 2, options).status(); });
  const TensorSlice slice = TensorSlice::Full(2);
  FailEachAllocation([&] { return reader.ReadSlice("parts", slice, options).status(); });
  FailEachAllocation([&] { return reader.Find("parts").status(); });
}

INSTANTIATE_TEST_SUITE_P(Threads, OutOfMemoryTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace savedmodel
