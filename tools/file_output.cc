#include "savedmodel/tools/file_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>
#include <utility>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/errno_error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::tools {
namespace {

using internal::ErrnoError;

constexpr mode_t kMode = 0666;  // less what umask takes

// A name beside `path` that is free: the process's own number, and a count for leftovers of an earlier one.
std::string TemporaryName(const std::string& path, int attempt) {
  const SplitPathResult parts = SplitPath(path);
  return JoinPath(parts.directory,
                  "." + parts.base + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(attempt));
}

// The text of a symbolic link; nothing when `path` is none.
std::optional<std::string> LinkTarget(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), text, sizeof(text));
  if (size < 0) return std::nullopt;
  return std::string(text, static_cast<size_t>(size));
}

// Where `path` leads over links, whether or not there is a file yet. realpath() would want one.
StatusOr<std::string> FollowLinks(std::string path) {
  constexpr int kMaxLinks = 40;  // as the system
  const std::string asked = path;
  for (int i = 0; i <= kMaxLinks; ++i) {
    const std::optional<std::string> target = LinkTarget(path);
    if (!target) return path;
    path = target->starts_with('/') ? *target : JoinPath(SplitPath(path).directory, *target);
  }
  return ErrnoError(ELOOP, "write", asked);
}

}  // namespace

FileOutput::FileOutput(std::string path, std::string temporary, int fd)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      fd_(fd),
      out_(std::make_unique<Output>(fd, path_)) {}

FileOutput::FileOutput(FileOutput&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      out_(std::move(other.out_)) {}

FileOutput::~FileOutput() {
  if (fd_ < 0) return;
  out_.reset();
  close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

StatusOr<FileOutput> FileOutput::Create(std::string_view path) {
  const std::string name(path);
  struct stat info;
  const bool exists = stat(name.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return ErrnoError(errno, "write", path);
  if (exists && !S_ISREG(info.st_mode)) {
    const int fd = open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return ErrnoError(errno, "write", path);
    return FileOutput(name, "", fd);
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::string target, FollowLinks(name));
  constexpr int kAttempts = 100;
  for (int attempt = 0;; ++attempt) {
    std::string temporary = TemporaryName(target, attempt);
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd >= 0) return FileOutput(target, std::move(temporary), fd);
    if (errno != EEXIST || attempt == kAttempts) return ErrnoError(errno, "write", path);
  }
}

Status FileOutput::Commit() {
  SAVEDMODEL_RETURN_IF_ERROR(out_->Finish());
  const bool is_file = !temporary_.empty();
  if (is_file && fsync(fd_) != 0) return ErrnoError(errno, "write", path_);
  if (close(std::exchange(fd_, -1)) != 0) return ErrnoError(errno, "write", path_);
  if (is_file && rename(temporary_.c_str(), path_.c_str()) != 0) {
    const Status status = ErrnoError(errno, "write", path_);
    unlink(temporary_.c_str());
    return status;
  }
  return OkStatus();
}

}  // namespace savedmodel::tools
