#include "savedmodel/tools/file_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>

#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::IsOk;
using savedmodel::testing::StatusIs;
using savedmodel::testing::TempDir;

size_t CountFiles(const TempDir& temp) {
  const std::filesystem::directory_iterator entries(temp.path());
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST(FileOutput, IsThereOnlyWhenItIsComplete) {
  const TempDir temp;
  SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create(temp.Path("out")));
  file.out() << std::string(1'000'000, 'x');
  EXPECT_FALSE(std::filesystem::exists(temp.Path("out")));
  EXPECT_THAT(file.Commit(), IsOk());
  EXPECT_EQ(temp.ReadFile("out"), std::string(1'000'000, 'x'));
  EXPECT_EQ(CountFiles(temp), 1u);
}

TEST(FileOutput, ReplacesAnOlderFile) {
  const TempDir temp;
  temp.WriteFile("out", "old and longer");
  SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create(temp.Path("out")));
  file.out() << "new";
  EXPECT_EQ(temp.ReadFile("out"), "old and longer");
  EXPECT_THAT(file.Commit(), IsOk());
  EXPECT_EQ(temp.ReadFile("out"), "new");
}

TEST(FileOutput, WhatIsNotCommittedLeavesNothing) {
  const TempDir temp;
  temp.WriteFile("out", "old");
  {
    SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create(temp.Path("out")));
    file.out() << "new";
  }
  EXPECT_EQ(temp.ReadFile("out"), "old");
  EXPECT_EQ(CountFiles(temp), 1u);
}

TEST(FileOutput, ALinkIsFollowedAndStays) {
  const TempDir temp;
  temp.WriteFile("folder/old", "old");
  temp.MakeLink("folder/old", "to_old");
  temp.MakeLink("to_old", "twice");
  temp.MakeLink(temp.Path("folder/new"), "to_new");
  for (const char* name : {"twice", "to_new"}) {
    SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create(temp.Path(name)));
    file.out() << name;
    EXPECT_THAT(file.Commit(), IsOk());
    EXPECT_TRUE(std::filesystem::is_symlink(temp.Path(name)));
  }
  EXPECT_EQ(temp.ReadFile("folder/old"), "twice");
  EXPECT_EQ(temp.ReadFile("folder/new"), "to_new");
  EXPECT_TRUE(std::filesystem::is_symlink(temp.Path("to_old")));
  temp.MakeLink("loop", "loop");
  EXPECT_THAT(FileOutput::Create(temp.Path("loop")), StatusIs(StatusCode::kInvalidArgument));
}

TEST(FileOutput, DevicesAreWrittenInto) {
  SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create("/dev/null"));
  file.out() << "gone";
  EXPECT_THAT(file.Commit(), IsOk());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(FileOutput, AFullDiskIsTold) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create("/dev/full"));
  file.out() << "x";
  EXPECT_THAT(file.Commit(), StatusIs(StatusCode::kResourceExhausted));
}

TEST(FileOutput, PlacesThatCannotBe) {
  const TempDir temp;
  EXPECT_THAT(FileOutput::Create(temp.path()), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(FileOutput::Create(temp.Path("no/such/folder")), StatusIs(StatusCode::kNotFound));
}

TEST(Output, WhatIsOutCannotBeDropped) {
  const TempDir temp;
  SM_ASSERT_OK_AND_ASSIGN(FileOutput file, FileOutput::Create(temp.Path("out")));
  file.out() << "dropped";
  EXPECT_TRUE(file.out().Discard());
  file.out() << "kept";
  file.out().Flush();
  file.out() << ", too";
  EXPECT_FALSE(file.out().Discard());
  EXPECT_THAT(file.Commit(), IsOk());
  EXPECT_EQ(temp.ReadFile("out"), "kept, too");
}

TEST(Output, AReaderThatHasGoneIsNoError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const auto before = signal(SIGPIPE, SIG_IGN);
  {
    Output out(ends[1], "pipe");
    EXPECT_TRUE(out.wanted());
    out << "x";
    EXPECT_THAT(out.Finish(), IsOk());
    EXPECT_FALSE(out.wanted());
  }
  signal(SIGPIPE, before);
  close(ends[1]);
}

}  // namespace
}  // namespace savedmodel::tools
