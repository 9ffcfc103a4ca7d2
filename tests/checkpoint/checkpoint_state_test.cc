#include "savedmodel/checkpoint/checkpoint_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kData = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data";

StatusOr<CheckpointState> Read(std::string_view path, std::string text) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add(path, Buffer::FromString(std::move(text)));
  return ReadCheckpointState(path, files);
}

TEST(CheckpointState, ReadsWhatTensorFlowsManagerWrote) {
  SM_ASSERT_OK_AND_ASSIGN(const CheckpointState state,
                          ReadCheckpointState(std::string(kData) + "/checkpoint_manager/checkpoint"));
  EXPECT_EQ(state.newest, std::string(kData) + "/checkpoint_manager/ckpt-4");
  EXPECT_THAT(state.all, ElementsAre(EndsWith("/ckpt-3"), EndsWith("/ckpt-4")));
  EXPECT_EQ(state.timestamps.size(), 2u);
  EXPECT_GT(state.last_preserved_timestamp, 0);
}

TEST(CheckpointState, RelativePrefixesAreJoinedWithTheFilesDirectory) {
  constexpr char kText[] =
      "model_checkpoint_path: \"sub/ckpt-2\"\n"
      "all_model_checkpoint_paths: \"/elsewhere/ckpt-1\"\n"
      "all_model_checkpoint_paths: \"sub/ckpt-2\"\n";
  SM_ASSERT_OK_AND_ASSIGN(CheckpointState state, Read("a/b/checkpoint", kText));
  EXPECT_EQ(state.newest, "a/b/sub/ckpt-2");
  EXPECT_THAT(state.all, ElementsAre("/elsewhere/ckpt-1", "a/b/sub/ckpt-2"));
  EXPECT_THAT(state.timestamps, IsEmpty());
  SM_ASSERT_OK_AND_ASSIGN(state, Read("checkpoint", kText));
  EXPECT_EQ(state.newest, "sub/ckpt-2");
}

TEST(CheckpointState, B82_AbsentUnreadableAndGarbageAreThreeAnswers) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add("m/other", Buffer());
  EXPECT_THAT(ReadCheckpointState("m/checkpoint", files), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(ReadCheckpointState("nowhere/checkpoint", files), StatusIs(StatusCode::kNotFound));

  files->Add("m/checkpoint", Buffer::FromString("model_checkpoint_path: \"c\"\n"));
  auto faulty = std::make_shared<FaultFileSystem>(files);
  faulty->FailNamed(FaultFileSystem::Call::kOpenFile, "checkpoint", absl::PermissionDeniedError("no"));
  EXPECT_THAT(ReadCheckpointState("m/checkpoint", faulty), StatusIs(StatusCode::kPermissionDenied));

  EXPECT_THAT(Read("m/checkpoint", "!?"), StatusIs(StatusCode::kDataLoss, HasSubstr("m/checkpoint")));
}

TEST(CheckpointState, NamesTheFileThatStandsInItsPlace) {
  EXPECT_THAT(Read("checkpoint", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("a Git-LFS pointer")));
  EXPECT_THAT(Read("checkpoint", std::string("\x89HDF\r\n\x1a\n....", 12)),
              StatusIs(StatusCode::kDataLoss, HasSubstr("an HDF5 file")));
}

TEST(CheckpointState, AStateThatNamesNoCheckpointIsBroken) {
  EXPECT_THAT(Read("checkpoint", ""), StatusIs(StatusCode::kDataLoss, HasSubstr("names no checkpoint")));
  EXPECT_THAT(Read("checkpoint", "all_model_checkpoint_paths: \"a\"\n"), StatusIs(StatusCode::kDataLoss));
}

TEST(CheckpointState, AFileThatIsFarTooLargeIsNotRead) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add("checkpoint", Buffer::FromString(std::string((size_t{64} << 20) + 1, ' ')));
  auto counting = std::make_shared<FaultFileSystem>(files);
  EXPECT_THAT(ReadCheckpointState("checkpoint", counting), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(counting->bytes_read(), 0u);
}

}  // namespace
}  // namespace savedmodel::testing
