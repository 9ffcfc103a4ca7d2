#include "savedmodel/base/memory_file_system.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/file_range.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/relative_name.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;
using Files = std::map<std::string, Buffer, std::less<>>;

// Components joined by single slashes: the form of the keys of Files. There is no working directory, so "/m"
// is "m".
std::string Normalize(std::string_view path) {
  std::string out;
  for (std::string_view component : internal::SplitComponents(path)) {
    if (!out.empty()) out += '/';
    out += component;
  }
  return out;
}

bool IsUnder(std::string_view directory, std::string_view path) {
  if (directory.empty()) return true;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

// Files below `directory`, named relative to it. Buffers share their bytes, so this copies names only.
Files FilesUnder(const Files& files, std::string_view directory) {
  const std::string prefix = directory.empty() ? "" : std::string(directory) + "/";
  Files out;
  for (auto it = files.lower_bound(prefix); it != files.end() && IsUnder(directory, it->first); ++it) {
    out.emplace(it->first.substr(prefix.size()), it->second);
  }
  return out;
}

Status Missing(std::string_view what, std::string name) {
  return Error(StatusCode::kNotFound, "no such " + std::string(what)).File(name);
}

class MemoryFile : public RandomAccessFile {
 public:
  MemoryFile(std::string name, Buffer content) : name_(std::move(name)), content_(std::move(content)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return content_.size(); }

  Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    SAVEDMODEL_RETURN_IF_ERROR(internal::CheckFileRange(name_, size(), offset, out.size()));
    std::ranges::copy(content_.bytes().subspan(static_cast<size_t>(offset), out.size()), out.begin());
    return OkStatus();
  }
  StatusOr<Buffer> Map(uint64_t offset, uint64_t size) const override {
    SAVEDMODEL_RETURN_IF_ERROR(internal::CheckFileRange(name_, content_.size(), offset, size));
    return content_.Slice(static_cast<size_t>(offset), static_cast<size_t>(size));
  }

 private:
  std::string name_;
  Buffer content_;
};

// Holds the files of the moment it was opened, so later changes are not seen half.
class MemoryDirectory : public Directory {
 public:
  MemoryDirectory(std::string name, Files files) : name_(std::move(name)), files_(std::move(files)) {}

  const std::string& name() const override { return name_; }
  StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(std::string_view name) const override;
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view name) const override;
  StatusOr<FileKind> Stat(std::string_view name) const override;
  StatusOr<std::vector<DirectoryEntry>> List() const override;

 private:
  std::vector<DirectoryEntry> Entries() const;

  std::string name_;
  Files files_;
};

StatusOr<FileKind> MemoryDirectory::Stat(std::string_view name) const {
  SAVEDMODEL_RETURN_IF_ERROR(internal::CheckRelativeName(name_, name));
  const std::string path = Normalize(name);
  if (path.empty()) return FileKind::kDirectory;
  const auto file = files_.find(path);
  if (file != files_.end() && !name.ends_with('/')) return FileKind::kFile;
  if (!FilesUnder(files_, path).empty()) return FileKind::kDirectory;
  if (file == files_.end()) return Missing("file or directory", JoinPath(name_, name));
  return Error(StatusCode::kInvalidArgument, "a file is named like a directory").File(JoinPath(name_, name));
}

StatusOr<std::shared_ptr<const RandomAccessFile>> MemoryDirectory::OpenFile(std::string_view name) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const FileKind kind, Stat(name));
  if (kind != FileKind::kFile) {
    return Error(StatusCode::kInvalidArgument, "a directory is where a file was meant")
        .File(JoinPath(name_, name));
  }
  return std::make_shared<MemoryFile>(JoinPath(name_, name), files_.find(Normalize(name))->second);
}

StatusOr<std::shared_ptr<const Directory>> MemoryDirectory::OpenDirectory(std::string_view name) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const FileKind kind, Stat(name));
  if (kind != FileKind::kDirectory) {
    return Error(StatusCode::kInvalidArgument, "a file is where a directory was meant")
        .File(JoinPath(name_, name));
  }
  return internal::Guarded([&]() -> StatusOr<std::shared_ptr<const Directory>> {
    return std::make_shared<MemoryDirectory>(JoinPath(name_, name), FilesUnder(files_, Normalize(name)));
  });
}

StatusOr<std::vector<DirectoryEntry>> MemoryDirectory::List() const {
  return internal::Guarded([&]() -> StatusOr<std::vector<DirectoryEntry>> { return Entries(); });
}

std::vector<DirectoryEntry> MemoryDirectory::Entries() const {
  std::map<std::string, FileKind, std::less<>> kinds;
  for (const auto& [path, content] : files_) {
    const size_t slash = path.find('/');
    const FileKind kind = slash == std::string::npos ? FileKind::kFile : FileKind::kDirectory;
    kinds.emplace(path.substr(0, slash), kind);  // a file comes before what is under its name
  }
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, kind] : kinds) entries.push_back({name, kind});
  return entries;
}

}  // namespace

void MemoryFileSystem::Add(std::string_view path, Buffer content) {
  files_.insert_or_assign(Normalize(path), std::move(content));
}

void MemoryFileSystem::Remove(std::string_view path) { files_.erase(Normalize(path)); }

StatusOr<std::shared_ptr<const Directory>> MemoryFileSystem::OpenDirectory(std::string_view path) const {
  return internal::Guarded([&]() -> StatusOr<std::shared_ptr<const Directory>> {
    const std::string directory = Normalize(path);
    Files files = FilesUnder(files_, directory);
    if (files.empty() && !directory.empty()) {
      if (!files_.contains(directory)) return Missing("directory", std::string(path));
      return Error(StatusCode::kInvalidArgument, "a file is where a directory was meant").File(path);
    }
    return std::make_shared<MemoryDirectory>(std::string(path), std::move(files));
  });
}

}  // namespace savedmodel
