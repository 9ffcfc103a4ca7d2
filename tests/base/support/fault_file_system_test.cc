// The tests' own tool: a fault that does not happen, or a range not noted, would make other tests pass for nothing.
#include "savedmodel/tests/support/fault_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/base/control.h"
#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using Call = FaultFileSystem::Call;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

std::shared_ptr<MemoryFileSystem> Files() {
  auto fs = std::make_shared<MemoryFileSystem>();
  fs->Add("m/f", Buffer::FromString("0123456789"));
  fs->Add("m/g", Buffer::FromString("abc"));
  return fs;
}

TEST(FaultFileSystem, FailsTheNthCallOnly) {
  FaultFileSystem fs(Files());
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  fs.FailNth(Call::kOpenFile, 2, absl::UnavailableError("disk"));
  EXPECT_THAT(directory->OpenFile("f"), IsOk());
  EXPECT_THAT(directory->OpenFile("f"), StatusIs(StatusCode::kUnavailable, "disk"));
  EXPECT_THAT(directory->OpenFile("f"), IsOk());
  EXPECT_EQ(fs.calls(Call::kOpenFile), 3);
}

TEST(FaultFileSystem, FailsByNameUntilCleared) {
  FaultFileSystem fs(Files());
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  fs.FailNamed(Call::kStat, "/g", absl::PermissionDeniedError("no"));
  EXPECT_THAT(directory->Stat("f"), IsOk());
  EXPECT_THAT(directory->Stat("g"), StatusIs(StatusCode::kPermissionDenied));
  EXPECT_THAT(directory->Stat("g"), StatusIs(StatusCode::kPermissionDenied));
  fs.ClearFailures();
  EXPECT_THAT(directory->Stat("g"), IsOk());
}

TEST(FaultFileSystem, PiecesAddUpToTheFile) {
  FaultFileSystem fs(Files());
  fs.ReadInPieces(true);
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  SM_ASSERT_OK_AND_ASSIGN(const Buffer all, file->Map(0, 10));
  EXPECT_EQ(all.view(), "0123456789");
  std::string some(8, '\0');
  EXPECT_THAT(file->ReadAt(1, std::as_writable_bytes(std::span(some))), IsOk());
  EXPECT_EQ(some, "12345678");
  EXPECT_THAT(file->ReadAt(9, std::as_writable_bytes(std::span(some))), StatusIs(StatusCode::kDataLoss));
}

TEST(FaultFileSystem, NotesTheRangesThatAreRead) {
  FaultFileSystem fs(Files());
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  std::byte out[3];
  EXPECT_THAT(file->ReadAt(4, out), IsOk());
  EXPECT_THAT(file->Map(1, 2), IsOk());
  EXPECT_THAT(fs.ranges(),
              ElementsAre(FieldsAre("m/f", 4u, 3u, Call::kReadAt), FieldsAre("m/f", 1u, 2u, Call::kMap)));
  EXPECT_EQ(fs.bytes_read("f"), 5u);
  EXPECT_EQ(fs.bytes_read("g"), 0u);
  fs.ResetCounts();
  EXPECT_EQ(fs.bytes_read(), 0u);
}

TEST(FaultFileSystem, CopiesInsteadOfMapping) {
  FaultFileSystem fs(Files());
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  SM_ASSERT_OK_AND_ASSIGN(const Buffer shared, file->Map(0, 4));
  fs.MapByCopy(true);
  SM_ASSERT_OK_AND_ASSIGN(const Buffer copied, file->Map(0, 4));
  EXPECT_NE(copied.data(), shared.data());
  EXPECT_EQ(copied.view(), "0123");
}

TEST(FaultFileSystem, TheHookRunsBeforeTheCall) {
  FaultFileSystem fs(Files());
  CancellationToken token;
  fs.OnCall([&](Call call, const std::string& file) {
    if (call == Call::kReadAt && file == "m/f") token.Cancel();
  });
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  EXPECT_FALSE(token.cancelled());
  std::byte out[1];
  EXPECT_THAT(file->ReadAt(0, out), IsOk());
  EXPECT_TRUE(token.cancelled());
}

}  // namespace
}  // namespace savedmodel::testing
