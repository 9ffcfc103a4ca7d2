// The operating system's files and directories. All POSIX file calls of the SDK's reading side are here.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <utility>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/errno_error.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/file_range.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/read_fully.h"
#include "savedmodel/base/internal/relative_name.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::ErrnoError;
using internal::Error;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// A directory is only a place to open names from, which needs no permission to list it.
#ifdef O_PATH
constexpr int kOpenPlace = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int kOpenPlace = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif
constexpr int kOpenToList = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
// O_NONBLOCK: a FIFO in place of a file must not block the open; it means nothing for regular files.
constexpr int kOpenToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

int NoFollow(LinkPolicy links) { return links == LinkPolicy::kRefuse ? O_NOFOLLOW : 0; }

Descriptor OpenAt(int directory, const std::string& name, int flags) {
  int fd = -1;
  do {
    fd = openat(directory, name.c_str(), flags);
  } while (fd < 0 && errno == EINTR);
  return Descriptor(fd);
}

std::string_view KindName(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "a device";
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  return S_ISDIR(mode) ? FileKind::kDirectory : FileKind::kOther;
}

Error WrongKind(mode_t mode, std::string_view meant, std::string_view file) {
  return Error(StatusCode::kInvalidArgument, "not " + std::string(meant))
      .File(file)
      .Expected(std::string(meant))
      .Found(std::string(KindName(mode)))
      .WrongKindOfFile();
}

Error LinkRefused(std::string_view file) {
  return Error(StatusCode::kInvalidArgument, "symbolic links are refused here")
      .File(file)
      .Found("a symbolic link")
      .WrongKindOfFile();
}

bool IsLink(int directory, const std::string& name) {
  struct stat info;
  return fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

// The error of a failed open or stat of `name`, saying when a link is the reason.
Error NameError(int error, int directory, const std::string& name, LinkPolicy links, std::string_view file) {
  if (links == LinkPolicy::kRefuse && (error == ELOOP || error == ENOTDIR || error == EMLINK) &&
      IsLink(directory, name)) {
    return LinkRefused(file);
  }
  Error out = ErrnoError(error, "open", file);
  if (error == ENOENT && IsLink(directory, name)) out.Found("a symbolic link to something that is not there");
  return out;
}

// A name seen from the directory that holds it.
struct Place {
  Descriptor parent{-1};  // when the name has several components
  int directory = -1;     // parent, or the directory asked
  std::string name;
};

struct Mapping {
  Mapping(void* a, size_t n) : address(a), size(n) {}
  Mapping(const Mapping&) = delete;
  ~Mapping() { munmap(address, size); }
  void* address;
  size_t size;
};

class PosixFile : public RandomAccessFile {
 public:
  PosixFile(std::string name, Descriptor fd, uint64_t size)
      : name_(std::move(name)), fd_(std::move(fd)), size_(size) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> out) const override;
  StatusOr<Buffer> Map(uint64_t offset, uint64_t size) const override;

 private:
  StatusOr<Buffer> ReadCopy(uint64_t offset, uint64_t size) const;
  Status CheckNotShrunk(uint64_t offset, uint64_t size) const;

  std::string name_;
  Descriptor fd_;
  uint64_t size_;
};

Status PosixFile::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  SAVEDMODEL_RETURN_IF_ERROR(internal::CheckFileRange(name_, size_, offset, out.size()));
  const auto outcome = internal::ReadFully(offset, out, [this](void* to, size_t size, uint64_t at) {
    return pread(fd_.get(), to, size, static_cast<off_t>(at));
  });
  if (outcome.error != 0) return ErrnoError(outcome.error, "read", name_).Offset(offset + outcome.done);
  if (outcome.done < out.size()) return internal::FileEndsEarly(name_, offset, out.size(), outcome.done);
  return OkStatus();
}

StatusOr<Buffer> PosixFile::ReadCopy(uint64_t offset, uint64_t size) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer copy, MutableBuffer::Allocate(static_cast<size_t>(size)));
  SAVEDMODEL_RETURN_IF_ERROR(ReadAt(offset, copy.bytes()));
  return std::move(copy).Freeze();
}

// A mapping past the end of a file that has shrunk since it was opened would fault on access.
Status PosixFile::CheckNotShrunk(uint64_t offset, uint64_t size) const {
  struct stat info;
  if (fstat(fd_.get(), &info) != 0) return ErrnoError(errno, "map", name_);
  return internal::CheckFileRange(name_, static_cast<uint64_t>(info.st_size), offset, size);
}

StatusOr<Buffer> PosixFile::Map(uint64_t offset, uint64_t size) const {
  SAVEDMODEL_RETURN_IF_ERROR(internal::CheckFileRange(name_, size_, offset, size));
  if (size == 0) return Buffer();
  SAVEDMODEL_RETURN_IF_ERROR(CheckNotShrunk(offset, size));
  const auto lead = offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));  // mappings start at whole pages
  const auto length = static_cast<size_t>(lead + size);
  void* address = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, fd_.get(), static_cast<off_t>(offset - lead));
  if (address == MAP_FAILED) return ReadCopy(offset, size);  // some file systems cannot
  auto mapping = std::make_shared<const Mapping>(address, length);
  return Buffer(std::move(mapping),
                {static_cast<const std::byte*>(address) + lead, static_cast<size_t>(size)});
}

class PosixDirectory : public Directory {
 public:
  PosixDirectory(std::string name, Descriptor fd, LinkPolicy links)
      : name_(std::move(name)), fd_(std::move(fd)), links_(links) {}

  const std::string& name() const override { return name_; }
  StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(std::string_view name) const override;
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view name) const override;
  StatusOr<FileKind> Stat(std::string_view name) const override;
  StatusOr<std::vector<DirectoryEntry>> List() const override;

 private:
  StatusOr<Place> Find(std::string_view name) const;
  StatusOr<mode_t> Mode(const Place& place, std::string_view file) const;
  FileKind EntryKind(int directory, const char* name) const;
  StatusOr<std::vector<DirectoryEntry>> Entries() const;

  std::string name_;
  Descriptor fd_;
  LinkPolicy links_;
};

// With links followed the system walks the name in one call; with links refused each component is opened by
// itself.
StatusOr<Place> PosixDirectory::Find(std::string_view name) const {
  SAVEDMODEL_RETURN_IF_ERROR(internal::CheckRelativeName(name_, name));
  Place place{Descriptor(-1), fd_.get(), std::string(name)};
  if (links_ == LinkPolicy::kFollow) return place;
  std::vector<std::string_view> components = internal::SplitComponents(name);
  const bool names_directory = components.empty() || name.ends_with('/') || name.ends_with("/.");
  place.name = ".";
  for (size_t i = 0; i < components.size(); ++i) {
    place.name = components[i];
    if (i + 1 == components.size() && !names_directory) break;
    Descriptor next = OpenAt(place.directory, place.name, kOpenPlace | O_NOFOLLOW);
    if (!next.ok()) return NameError(errno, place.directory, place.name, links_, JoinPath(name_, name));
    place.directory = next.get();
    place.parent = std::move(next);
    place.name = ".";
  }
  return place;
}

StatusOr<mode_t> PosixDirectory::Mode(const Place& place, std::string_view file) const {
  struct stat info;
  const int flags = links_ == LinkPolicy::kRefuse ? AT_SYMLINK_NOFOLLOW : 0;
  if (fstatat(place.directory, place.name.c_str(), &info, flags) != 0) {
    return NameError(errno, place.directory, place.name, links_, file);
  }
  if (S_ISLNK(info.st_mode)) return LinkRefused(file);
  return info.st_mode;
}

StatusOr<FileKind> PosixDirectory::Stat(std::string_view name) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Place place, Find(name));
  SAVEDMODEL_ASSIGN_OR_RETURN(const mode_t mode, Mode(place, JoinPath(name_, name)));
  return KindOf(mode);
}

StatusOr<std::shared_ptr<const RandomAccessFile>> PosixDirectory::OpenFile(std::string_view name) const {
  std::string file = JoinPath(name_, name);
  SAVEDMODEL_ASSIGN_OR_RETURN(const Place place, Find(name));
  // Looked at before it is opened, since opening a device can do things; and again after, since it may have
  // changed.
  SAVEDMODEL_ASSIGN_OR_RETURN(const mode_t mode, Mode(place, file));
  if (!S_ISREG(mode)) return WrongKind(mode, "a file", file);
  Descriptor fd = OpenAt(place.directory, place.name, kOpenToRead | NoFollow(links_));
  if (!fd.ok()) return NameError(errno, place.directory, place.name, links_, file);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return ErrnoError(errno, "open", file);
  if (!S_ISREG(info.st_mode)) return WrongKind(info.st_mode, "a file", file);
  return std::make_shared<PosixFile>(std::move(file), std::move(fd), static_cast<uint64_t>(info.st_size));
}

StatusOr<std::shared_ptr<const Directory>> PosixDirectory::OpenDirectory(std::string_view name) const {
  std::string file = JoinPath(name_, name);
  SAVEDMODEL_ASSIGN_OR_RETURN(const Place place, Find(name));
  SAVEDMODEL_ASSIGN_OR_RETURN(const mode_t mode, Mode(place, file));
  if (!S_ISDIR(mode)) return WrongKind(mode, "a directory", file);
  Descriptor fd = OpenAt(place.directory, place.name, kOpenPlace | NoFollow(links_));
  if (!fd.ok()) return NameError(errno, place.directory, place.name, links_, file);
  return std::make_shared<PosixDirectory>(std::move(file), std::move(fd), links_);
}

FileKind PosixDirectory::EntryKind(int directory, const char* name) const {
  struct stat info;
  const int flags = links_ == LinkPolicy::kRefuse ? AT_SYMLINK_NOFOLLOW : 0;
  // An entry that is gone by now, or a link to nothing, is no reason to fail the whole list.
  return fstatat(directory, name, &info, flags) == 0 ? KindOf(info.st_mode) : FileKind::kOther;
}

StatusOr<std::vector<DirectoryEntry>> PosixDirectory::List() const {
  return internal::Guarded([&] { return Entries(); });
}

StatusOr<std::vector<DirectoryEntry>> PosixDirectory::Entries() const {
  Descriptor fd =
      OpenAt(fd_.get(), ".", kOpenToList);  // a descriptor of its own, since reading moves its position
  if (!fd.ok()) return ErrnoError(errno, "list", name_);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd.get()), closedir);
  if (stream == nullptr) return ErrnoError(errno, "list", name_);
  fd.Release();  // the stream owns it
  std::vector<DirectoryEntry> entries;
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      entries.push_back({std::string(name), EntryKind(dirfd(stream.get()), entry->d_name)});
    }
    errno = 0;
  }
  if (errno != 0) return ErrnoError(errno, "list", name_);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

// Without what would make the last component a place inside a link's target: "link/" and "link/." are "link".
std::string_view WithoutTrailingSlashes(std::string_view path) {
  while (path.size() > 1 && (path.ends_with('/') || path.ends_with("/."))) path.remove_suffix(1);
  return path;
}

Status CheckPath(std::string_view path) {
  if (path.empty()) return Error(StatusCode::kInvalidArgument, "path of a directory is empty");
  if (path.find('\0') != std::string_view::npos) {
    return Error(StatusCode::kInvalidArgument, "path has a NUL byte").File(path);
  }
  const std::string_view scheme = internal::UrlScheme(path);
  if (scheme.empty()) return OkStatus();
  return Error(StatusCode::kUnimplemented, "no file system here reads " + std::string(scheme) + ":// paths")
      .File(path)
      .Hint("pass a FileSystem that does");
}

Status CheckLinks(LinkPolicy links) {
  switch (links) {
    case LinkPolicy::kFollow:
    case LinkPolicy::kRefuse:
      return OkStatus();
  }
  return Error(StatusCode::kInvalidArgument, "LinkPolicy is none that there is")
      .Found(std::to_string(static_cast<int>(links)));
}

class PosixFileSystemImpl : public FileSystem {
 public:
  explicit PosixFileSystemImpl(LinkPolicy links) : links_(links) {}

  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view path) const override {
    SAVEDMODEL_RETURN_IF_ERROR(CheckPath(path));
    SAVEDMODEL_RETURN_IF_ERROR(CheckLinks(links_));
    const std::string name(WithoutTrailingSlashes(path));
    Descriptor fd = OpenAt(AT_FDCWD, name, kOpenPlace | NoFollow(links_));
    if (!fd.ok()) return NameError(errno, AT_FDCWD, name, links_, path);
    return std::make_shared<PosixDirectory>(std::string(path), std::move(fd), links_);
  }

 private:
  LinkPolicy links_;
};

}  // namespace

std::shared_ptr<const FileSystem> PosixFileSystem(LinkPolicy links) {
  return std::make_shared<PosixFileSystemImpl>(links);
}

}  // namespace savedmodel
