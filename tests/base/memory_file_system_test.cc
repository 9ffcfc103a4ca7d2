#include "savedmodel/base/memory_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::StatusIs;

std::shared_ptr<MemoryFileSystem> Model() {
  auto fs = std::make_shared<MemoryFileSystem>();
  fs->Add("m/saved_model.pb", Buffer::FromString("pb"));
  fs->Add("m/variables/variables.index", Buffer::FromString("index"));
  fs->Add("m/variables/variables.data-00000-of-00001", Buffer::FromString("data"));
  fs->Add("m/empty", Buffer());
  fs->Add("mm/other", Buffer::FromString("x"));
  return fs;
}

TEST(MemoryFileSystem, FilesAreReadByRange) {
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Model()->OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("variables/variables.index"));
  EXPECT_EQ(file->name(), "m/variables/variables.index");
  EXPECT_EQ(file->size(), 5u);
  std::string out(3, 0);
  EXPECT_THAT(file->ReadAt(1, std::as_writable_bytes(std::span(out))), IsOk());
  EXPECT_EQ(out, "nde");
  EXPECT_THAT(file->ReadAt(3, std::as_writable_bytes(std::span(out))), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->Map(0, 6), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->Map(~uint64_t{0}, 2), StatusIs(StatusCode::kDataLoss));
}

TEST(MemoryFileSystem, MapSharesTheBytes) {
  MemoryFileSystem fs;
  const Buffer content = Buffer::FromString("content");
  fs.Add("f", content);
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("."));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(2, 3));
  EXPECT_EQ(mapped.data(), content.data() + 2);
  EXPECT_EQ(mapped.view(), "nte");
}

TEST(MemoryFileSystem, EmptyFilesAreFiles) {
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Model()->OpenDirectory("m"));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("empty"));
  EXPECT_EQ(file->size(), 0u);
  EXPECT_THAT(file->ReadAt(0, {}), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(0, 0));
  EXPECT_TRUE(mapped.empty());
}

TEST(MemoryFileSystem, KindsAndLists) {
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Model()->OpenDirectory("m/"));
  SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
  EXPECT_THAT(entries,
              ElementsAre(FieldsAre("empty", FileKind::kFile), FieldsAre("saved_model.pb", FileKind::kFile),
                          FieldsAre("variables", FileKind::kDirectory)));
  SM_ASSERT_OK_AND_ASSIGN(const FileKind kind, directory->Stat("variables"));
  EXPECT_EQ(kind, FileKind::kDirectory);
  EXPECT_THAT(directory->Stat("variables/none"),
              StatusIs(StatusCode::kNotFound, HasSubstr("m/variables/none")));
  EXPECT_THAT(directory->Stat("vari"), StatusIs(StatusCode::kNotFound)) << "a prefix is not a directory";
  SM_ASSERT_OK_AND_ASSIGN(const auto variables, directory->OpenDirectory("variables"));
  SM_ASSERT_OK_AND_ASSIGN(const auto inner, variables->List());
  EXPECT_EQ(inner.size(), 2u);
}

TEST(MemoryFileSystem, WrongKindsAndMissingNames) {
  const auto fs = Model();
  EXPECT_THAT(fs->OpenDirectory("none"), StatusIs(StatusCode::kNotFound, HasSubstr("none")));
  EXPECT_THAT(fs->OpenDirectory("m/saved_model.pb"), StatusIs(StatusCode::kInvalidArgument));
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs->OpenDirectory("m"));
  EXPECT_THAT(directory->OpenFile("variables"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("directory")));
  EXPECT_THAT(directory->OpenFile("none"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory->OpenFile("saved_model.pb/"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile("saved_model.pb/x"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory->OpenDirectory("saved_model.pb"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile("../mm/other"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile("/m/saved_model.pb"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile(""), StatusIs(StatusCode::kInvalidArgument));
}

TEST(MemoryFileSystem, SpellingsOfOnePathAreOneFile) {
  MemoryFileSystem fs;
  fs.Add("/a//./b", Buffer::FromString("1"));
  fs.Add("a/b", Buffer::FromString("2"));
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, fs.OpenDirectory("/a/"));
  SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
  EXPECT_EQ(entries.size(), 1u);
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("./b"));
  SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(0, 1));
  EXPECT_EQ(mapped.view(), "2");
}

TEST(MemoryFileSystem, AnOpenDirectoryIsASnapshot) {
  auto fs = Model();
  SM_ASSERT_OK_AND_ASSIGN(const auto before, fs->OpenDirectory("m"));
  fs->Remove("m/saved_model.pb");
  fs->Add("m/new", Buffer::FromString("new"));
  EXPECT_THAT(before->OpenFile("saved_model.pb"), IsOk());
  EXPECT_THAT(before->OpenFile("new"), StatusIs(StatusCode::kNotFound));
  SM_ASSERT_OK_AND_ASSIGN(const auto after, fs->OpenDirectory("m"));
  EXPECT_THAT(after->OpenFile("saved_model.pb"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(after->OpenFile("new"), IsOk());
  fs.reset();
  EXPECT_THAT(before->OpenFile("saved_model.pb"), IsOk()) << "outlives the file system";
}

TEST(MemoryFileSystem, RootOfAnEmptyFileSystem) {
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, MemoryFileSystem().OpenDirectory("."));
  SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
  EXPECT_THAT(entries, IsEmpty());
}

}  // namespace
}  // namespace savedmodel
