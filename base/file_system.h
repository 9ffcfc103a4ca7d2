// Where bytes come from: a FileSystem opens directories, a Directory opens files relative to itself.
//
// The SDK reads a model through these three small interfaces only, so a model can live in memory, in an archive or in
// another store. The loader opens a model's directory once and then all its files relative to it, so that a directory
// replaced meanwhile is seen old or new, never mixed.
//
// Thread-safety: const methods of all three may run concurrently.
// Errors, all three: NotFound (no such file or directory), PermissionDenied (EACCES, EPERM, EROFS), InvalidArgument
// (a directory, FIFO, socket or device where a file was meant; a file where a directory was meant; too many links),
// ResourceExhausted (open files, memory, disk), Unavailable (EIO, ESTALE), Unimplemented (a URL scheme).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"

namespace savedmodel {

// An open file of known size. The size is taken once, at open.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual const std::string& name() const = 0;  // for messages
  virtual uint64_t size() const = 0;
  // Fills all of `out` from byte `offset`; short reads and interruptions are retried.
  // Errors: DataLoss (the file ends before `offset + out.size()`), as above.
  virtual Status ReadAt(uint64_t offset, std::span<std::byte> out) const = 0;
  // The bytes [offset, offset + size) without a copy where the store can, else as a copy.
  // A mapping does not survive another process that truncates the file in place: the access then faults (SIGBUS). Use
  // ReadAt where that can happen. Errors: as ReadAt.
  virtual StatusOr<Buffer> Map(uint64_t offset, uint64_t size) const = 0;
};

enum class FileKind { kFile, kDirectory, kOther };

struct DirectoryEntry {
  std::string name;  // one component
  FileKind kind = FileKind::kOther;
};

// An open directory. Names are relative paths of bytes, components separated by '/'; they are never globbed.
class Directory {
 public:
  virtual ~Directory() = default;
  virtual const std::string& name() const = 0;  // as the caller named it
  // Errors: InvalidArgument (absolute name, a ".." component, a NUL byte), as above.
  virtual StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(std::string_view name) const = 0;
  virtual StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view name) const = 0;
  // What `name` is, links followed. Errors: NotFound, as above.
  virtual StatusOr<FileKind> Stat(std::string_view name) const = 0;
  // All entries but "." and "..", sorted by name.
  virtual StatusOr<std::vector<DirectoryEntry>> List() const = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Errors: as above; a path that starts with a URL scheme ("s3://") is Unimplemented where it is not ours.
  virtual StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view path) const = 0;
};

// How a path's symbolic links are treated.
enum class LinkPolicy {
  kFollow,  // links made by the directory's owner are followed (model caches are made of them)
  kRefuse,  // any link at or below the opened directory is InvalidArgument
};

// The operating system's files. Holds no state.
std::shared_ptr<const FileSystem> PosixFileSystem(LinkPolicy links = LinkPolicy::kFollow);

// `directory / name` for messages.
std::string JoinPath(std::string_view directory, std::string_view name);

struct SplitPathResult {
  std::string directory;  // "." when the path has no directory part
  std::string base;       // the last component; may be empty
};
// Splits at the last '/': "a/b" -> {"a", "b"}, "b" -> {".", "b"}, "/b" -> {"/", "b"}.
SplitPathResult SplitPath(std::string_view path);

}  // namespace savedmodel
