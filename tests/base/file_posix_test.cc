#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;
using testing::TempDir;

StatusOr<std::shared_ptr<const Directory>> Open(std::string_view path,
                                                LinkPolicy links = LinkPolicy::kFollow) {
  return PosixFileSystem(links)->OpenDirectory(path);
}

StatusOr<std::string> ReadAll(const RandomAccessFile& file) {
  std::string out(file.size(), 0);
  if (Status status = file.ReadAt(0, std::as_writable_bytes(std::span(out))); !status.ok()) return status;
  return out;
}

StatusOr<std::string> ReadAll(const Directory& directory, std::string_view name) {
  auto file = directory.OpenFile(name);
  if (!file.ok()) return file.status();
  return ReadAll(**file);
}

std::string Numbered(size_t size) {
  std::string text(size, 0);
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 256);
  return text;
}

TEST(PosixFile, ReadsRanges) {
  const TempDir temp;
  temp.WriteFile("m/f", "0123456789");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("m/f"));
  EXPECT_EQ(file->size(), 10u);
  EXPECT_EQ(file->name(), temp.Path("m/f"));
  std::string out(4, 0);
  EXPECT_THAT(file->ReadAt(6, std::as_writable_bytes(std::span(out))), IsOk());
  EXPECT_EQ(out, "6789");
  const Status past = file->ReadAt(7, std::as_writable_bytes(std::span(out)));
  EXPECT_THAT(past, StatusIs(StatusCode::kDataLoss, HasSubstr("m/f at byte 7")));
  EXPECT_EQ(GetErrorContext(past)->offset, 7u);
  EXPECT_THAT(file->ReadAt(~uint64_t{0}, std::as_writable_bytes(std::span(out))),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->ReadAt(10, {}), IsOk());
}

TEST(PosixFile, MapsAtAnyOffset) {
  const TempDir temp;
  const std::string content = Numbered(20'000);
  temp.WriteFile("f", content);
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  for (size_t offset : {0u, 1u, 4095u, 4096u, 4097u, 8191u, 19'999u, 20'000u}) {
    for (size_t size : {size_t{0}, size_t{1}, size_t{5000}, content.size() - offset}) {
      if (offset + size > content.size()) continue;
      SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(offset, size));
      EXPECT_EQ(mapped.view(), std::string_view(content).substr(offset, size)) << offset << "+" << size;
    }
  }
  EXPECT_THAT(file->Map(1, 20'000), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->Map(20'001, 0), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->Map(5, ~uint64_t{0} - 2), StatusIs(StatusCode::kDataLoss));
}

TEST(PosixFile, MappingOutlivesFileDirectoryAndName) {
  const TempDir temp;
  temp.WriteFile("f", Numbered(10'000));
  Buffer part;
  {
    SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
    SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
    SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(3, 9000));
    part = mapped.Slice(5000, 100);
  }
  std::filesystem::remove(temp.Path("f"));
  EXPECT_EQ(part.view(), Numbered(10'000).substr(5003, 100));
}

TEST(PosixFile, TensorOfAMappingReportsMisalignmentAndOutlivesTheReader) {
  const TempDir temp;
  temp.WriteFile("f", Numbered(100));
  StatusOr<Tensor> tensor = Tensor();
  {
    SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
    SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
    SM_ASSERT_OK_AND_ASSIGN(Buffer mapped, file->Map(1, 8));
    tensor = Tensor::FromBuffer(DType::kInt32, {2}, std::move(mapped));
  }
  ASSERT_THAT(tensor, IsOk());
  EXPECT_THAT(tensor->View<int32_t>(), StatusIs(StatusCode::kFailedPrecondition));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor aligned, tensor->Aligned());
  SM_ASSERT_OK_AND_ASSIGN(const auto view, aligned.View<int32_t>());
  EXPECT_EQ(std::memcmp(view.data(), Numbered(100).data() + 1, 8), 0);
}

TEST(PosixFile, EmptyFile) {
  const TempDir temp;
  temp.WriteFile("f", "");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  EXPECT_EQ(file->size(), 0u);
  EXPECT_THAT(file->ReadAt(0, {}), IsOk());
  SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(0, 0));
  EXPECT_TRUE(mapped.empty());
}

TEST(PosixFile, FileThatShrankAfterOpenIsDataLossNotAFault) {
  const TempDir temp;
  temp.WriteFile("f", Numbered(10'000));
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  std::filesystem::resize_file(temp.Path("f"), 100);
  EXPECT_EQ(file->size(), 10'000u) << "the size is taken once";
  EXPECT_THAT(ReadAll(*file), StatusIs(StatusCode::kDataLoss, HasSubstr("found 100")));
  EXPECT_THAT(file->Map(0, 10'000), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(file->Map(0, 100), IsOk());
}

// A sparse file: sizes and offsets past 32 bits, no disk needed.
TEST(PosixFile, B26_OffsetsPastFourGibibytes) {
  const TempDir temp;
  temp.WriteFile("f", "");
  const uint64_t offset = (uint64_t{5} << 30) + 3;
  const int fd = open(temp.Path("f").c_str(), O_WRONLY);
  ASSERT_EQ(pwrite(fd, "tail", 4, static_cast<off_t>(offset)), 4);
  close(fd);
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  EXPECT_EQ(file->size(), offset + 4);
  std::string out(4, 0);
  EXPECT_THAT(file->ReadAt(offset, std::as_writable_bytes(std::span(out))), IsOk());
  EXPECT_EQ(out, "tail");
  SM_ASSERT_OK_AND_ASSIGN(const Buffer mapped, file->Map(offset, 4));
  EXPECT_EQ(mapped.view(), "tail");
}

TEST(PosixDirectory, KindsAndList) {
  const TempDir temp;
  temp.WriteFile("b", "x");
  temp.WriteFile("dir/inner", "y");
  temp.MakeLink("b", "link");
  temp.MakeLink("nowhere", "dangling");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  for (int i = 0; i < 2; ++i) {  // a second list starts at the beginning again
    SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
    EXPECT_THAT(entries,
                ElementsAre(FieldsAre("b", FileKind::kFile), FieldsAre("dangling", FileKind::kOther),
                            FieldsAre("dir", FileKind::kDirectory), FieldsAre("link", FileKind::kFile)));
  }
  SM_ASSERT_OK_AND_ASSIGN(const FileKind kind, directory->Stat("dir"));
  EXPECT_EQ(kind, FileKind::kDirectory);
  SM_ASSERT_OK_AND_ASSIGN(const FileKind self, directory->Stat("."));
  EXPECT_EQ(self, FileKind::kDirectory);
  SM_ASSERT_OK_AND_ASSIGN(const auto inner, directory->OpenDirectory("dir"));
  EXPECT_EQ(inner->name(), temp.Path("dir"));
  SM_ASSERT_OK_AND_ASSIGN(const std::string content, ReadAll(*inner, "inner"));
  EXPECT_EQ(content, "y");
}

TEST(PosixDirectory, MissingNamesAreNotFoundWithTheFullPath) {
  const TempDir temp;
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  EXPECT_THAT(directory->OpenFile("no/such"),
              StatusIs(StatusCode::kNotFound, HasSubstr(temp.Path("no/such"))));
  EXPECT_THAT(directory->OpenDirectory("no"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory->Stat("no"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Open(temp.Path("no")), StatusIs(StatusCode::kNotFound, HasSubstr(temp.Path("no"))));
}

// B07: a directory where a file was meant, and the other way round.
TEST(PosixDirectory, B07_WrongKindsSayWhatIsThere) {
  const TempDir temp;
  temp.MakeDirectory("saved_model.pb");
  temp.WriteFile("file", "x");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  EXPECT_THAT(directory->OpenFile("saved_model.pb"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("a directory")));
  EXPECT_THAT(directory->OpenFile("."), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a directory")));
  EXPECT_THAT(directory->OpenDirectory("file"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a file")));
  EXPECT_THAT(directory->OpenFile("file/x"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile("file/"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Open(temp.Path("file")), StatusIs(StatusCode::kInvalidArgument));
}

TEST(PosixDirectory, FifosSocketsAndDevicesAreRefusedWithoutBlocking) {
  const TempDir temp;
  ASSERT_EQ(mkfifo(temp.Path("fifo").c_str(), 0600), 0);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(temp.Path("socket").size(), sizeof(address.sun_path));
  std::strcpy(address.sun_path, temp.Path("socket").c_str());
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  temp.MakeLink("/dev/null", "device");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  EXPECT_THAT(directory->OpenFile("fifo"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a FIFO")));
  EXPECT_THAT(directory->OpenFile("socket"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a socket")));
  EXPECT_THAT(directory->OpenFile("device"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a device")));
  EXPECT_THAT(directory->OpenDirectory("fifo"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("a FIFO")));
  EXPECT_THAT(Open(temp.Path("fifo")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_TRUE(internal::IsWrongKindOfFile(directory->OpenFile("fifo").status()));
  SM_ASSERT_OK_AND_ASSIGN(const FileKind kind, directory->Stat("fifo"));
  EXPECT_EQ(kind, FileKind::kOther);
  close(fd);
}

TEST(PosixDirectory, NamesThatLeadOutAreRefused) {
  const TempDir temp;
  temp.WriteFile("secret", "x");
  temp.MakeDirectory("m");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path("m")));
  for (std::string_view name :
       {std::string_view("../secret"), std::string_view("a/../../secret"), std::string_view(""),
        std::string_view("/etc/passwd"), std::string_view("a\0b", 3)}) {
    EXPECT_THAT(directory->OpenFile(name), StatusIs(StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(directory->OpenDirectory(name), StatusIs(StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(directory->Stat(name), StatusIs(StatusCode::kInvalidArgument)) << name;
  }
  EXPECT_THAT(Open(""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Open(std::string_view("a\0b", 3)), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile(std::string(5000, 'n')), StatusIs(StatusCode::kInvalidArgument));
}

// B77, B79: names are bytes; nothing in them is a pattern, an option or a character set.
TEST(PosixDirectory, B77_B79_NamesAreTakenLiterally) {
  const TempDir temp;
  const std::string names[] = {"_[200]",
                               "*",
                               "?",
                               "{a,b}",
                               "~",
                               "a b",
                               "new\nline",
                               "-rf",
                               "dot.",
                               "%23#",
                               ".index",
                               "back\\sl",
                               "B\xc3\xb6rdel",
                               "\xe6\xa8\xa1\xe5\x9e\x8b",
                               "\xff\xfe",
                               "\\\\server\\share",
                               "s3:"};
  for (const std::string& name : names) {
    temp.WriteFile(name + "/" + name, "content of " + name);
    SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path(name)));
    SM_ASSERT_OK_AND_ASSIGN(const std::string content, ReadAll(*directory, name));
    EXPECT_EQ(content, "content of " + name);
    SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
    EXPECT_THAT(entries, ElementsAre(FieldsAre(name, FileKind::kFile)));
  }
  EXPECT_THAT(Open(temp.Path("none\xff\n")), StatusIs(StatusCode::kNotFound, HasSubstr("none\\xff\\x0a")));
}

TEST(PosixFileSystem, B83_UrlSchemesAreUnimplementedByName) {
  for (std::string_view path : {"s3://b/m", "gs://b/m", "http://host/m", "hdfs://x", "file:///tmp"}) {
    const std::string scheme(path.substr(0, path.find("://") + 3));
    EXPECT_THAT(Open(path),
                StatusIs(StatusCode::kUnimplemented, AllOf(HasSubstr(scheme), HasSubstr("FileSystem"))));
  }
}

// B80: links are followed once; loops and links to nothing are clear errors.
TEST(PosixFileSystem, B80_LinksAreFollowed) {
  const TempDir temp;
  temp.WriteFile("v1/f", "one");
  temp.WriteFile("v2/f", "two");
  temp.MakeLink("v1", "current");
  temp.MakeLink("loop2", "loop1");
  temp.MakeLink("loop1", "loop2");
  temp.MakeLink("nowhere", "dangling");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path("current")));
  std::filesystem::remove(temp.Path("current"));
  temp.MakeLink("v2", "current");
  SM_ASSERT_OK_AND_ASSIGN(const std::string content, ReadAll(*directory, "f"));
  EXPECT_EQ(content, "one") << "the version that was there at open";
  EXPECT_THAT(Open(temp.Path("loop1")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Open(temp.Path("dangling")), StatusIs(StatusCode::kNotFound, HasSubstr("symbolic link")));
  SM_ASSERT_OK_AND_ASSIGN(const auto all, Open(temp.path()));
  EXPECT_THAT(all->OpenFile("loop1"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(all->OpenFile("dangling"), StatusIs(StatusCode::kNotFound, HasSubstr("symbolic link")));
  EXPECT_THAT(all->OpenFile("current/f"), IsOk());
}

TEST(PosixFileSystem, DirectoryReplacedAfterOpenIsStillTheOldOne) {
  const TempDir temp;
  temp.WriteFile("m/f", "old");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path("m")));
  std::filesystem::rename(temp.Path("m"), temp.Path("gone"));
  temp.WriteFile("m/f", "new");
  SM_ASSERT_OK_AND_ASSIGN(const std::string content, ReadAll(*directory, "f"));
  EXPECT_EQ(content, "old");
}

TEST(PosixFileSystem, RefusedLinksAtTheTop) {
  const TempDir temp;
  temp.WriteFile("m/f", "x");
  temp.MakeLink("m", "link");
  EXPECT_THAT(Open(temp.Path("m"), LinkPolicy::kRefuse), IsOk());
  EXPECT_THAT(Open(temp.Path("m/"), LinkPolicy::kRefuse), IsOk());
  for (std::string_view path : {"link", "link/", "link//", "link/."}) {
    EXPECT_THAT(Open(temp.Path(path), LinkPolicy::kRefuse),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("symbolic link")))
        << path;
  }
}

TEST(PosixFileSystem, RefusedLinksBelow) {
  const TempDir temp;
  temp.WriteFile("m/dir/sub/f", "x");
  temp.MakeLink("dir", "m/linked_dir");
  temp.MakeLink("f", "m/dir/sub/linked_file");
  temp.MakeLink("nowhere", "m/dangling");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path("m"), LinkPolicy::kRefuse));
  EXPECT_THAT(directory->OpenFile("dir/sub/f"), IsOk());
  EXPECT_THAT(directory->OpenFile("./dir//sub/./f"), IsOk());
  EXPECT_THAT(directory->OpenDirectory("dir/sub/"), IsOk());
  EXPECT_THAT(directory->OpenDirectory("."), IsOk());
  const auto refused = StatusIs(StatusCode::kInvalidArgument, HasSubstr("symbolic link"));
  for (std::string_view name : {"linked_dir/sub/f", "dir/sub/linked_file", "dangling", "linked_dir/none"}) {
    EXPECT_THAT(directory->OpenFile(name), refused) << name;
    EXPECT_THAT(directory->Stat(name), refused) << name;
  }
  for (std::string_view name : {"linked_dir", "linked_dir/", "linked_dir/.", "linked_dir/sub"}) {
    EXPECT_THAT(directory->OpenDirectory(name), refused) << name;
  }
  EXPECT_THAT(directory->OpenFile("dir/sub/f/"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory->OpenFile("dir/none/f"), StatusIs(StatusCode::kNotFound));
  SM_ASSERT_OK_AND_ASSIGN(const auto inner, directory->OpenDirectory("dir/sub"));
  EXPECT_THAT(inner->OpenFile("linked_file"), refused) << "the policy goes with the directory";
  SM_ASSERT_OK_AND_ASSIGN(const auto entries, directory->List());
  EXPECT_THAT(entries,
              ElementsAre(FieldsAre("dangling", FileKind::kOther), FieldsAre("dir", FileKind::kDirectory),
                          FieldsAre("linked_dir", FileKind::kOther)));
}

int OpenDescriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST(PosixFileSystem, NoDescriptorIsLeftOpen) {
  if (!std::filesystem::exists("/proc/self/fd")) GTEST_SKIP() << "the system does not list descriptors";
  const TempDir temp;
  temp.WriteFile("m/dir/f", "x");
  const int before = OpenDescriptors();
  for (LinkPolicy links : {LinkPolicy::kFollow, LinkPolicy::kRefuse}) {
    SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.Path("m"), links));
    EXPECT_THAT(directory->OpenFile("dir/f"), IsOk());
    EXPECT_THAT(directory->OpenFile("dir/none"), StatusIs(StatusCode::kNotFound));
    EXPECT_THAT(directory->OpenFile("dir"), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_THAT(directory->List(), IsOk());
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(PosixFileSystem, DescriptorsAreNotInheritedByPrograms) {
  if (!std::filesystem::exists("/proc/self/fd")) GTEST_SKIP() << "the system does not list descriptors";
  const TempDir temp;
  temp.WriteFile("f", "x");
  SM_ASSERT_OK_AND_ASSIGN(const auto directory, Open(temp.path()));
  SM_ASSERT_OK_AND_ASSIGN(const auto file, directory->OpenFile("f"));
  int ours = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
    if (!target.starts_with(temp.path())) continue;
    ++ours;
    EXPECT_NE(fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_EQ(ours, 2) << "the directory and the file";
}

TEST(PosixFileSystem, APolicyForLinksThatIsNoneFollowsNone) {
  const TempDir temp;
  EXPECT_THAT(Open(temp.Path("."), static_cast<LinkPolicy>(77)), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace savedmodel
