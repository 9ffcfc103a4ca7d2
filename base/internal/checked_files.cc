#include "savedmodel/base/internal/checked_files.h"

#include <string>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/file_range.h"

namespace savedmodel::internal {
namespace {

template <class T>
StatusOr<std::shared_ptr<const T>> NotNull(StatusOr<std::shared_ptr<const T>> opened, std::string_view path) {
  if (!opened.ok() || *opened != nullptr) return opened;
  return Error(StatusCode::kInvalidArgument, "the file system given opened it and handed over null")
      .File(path);
}

}  // namespace

StatusOr<std::shared_ptr<const Directory>> OpenDirectory(const FileSystem& files, std::string_view path) {
  return NotNull(files.OpenDirectory(path), path);
}

StatusOr<std::shared_ptr<const Directory>> OpenDirectory(const Directory& directory, std::string_view name) {
  return NotNull(directory.OpenDirectory(name), JoinPath(directory.name(), name));
}

StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(const Directory& directory,
                                                           std::string_view name) {
  return NotNull(directory.OpenFile(name), JoinPath(directory.name(), name));
}

StatusOr<Buffer> MapFile(const RandomAccessFile& file, uint64_t offset, uint64_t size) {
  StatusOr<Buffer> mapped = file.Map(offset, size);
  if (!mapped.ok() || mapped->size() == size) return mapped;
  if (mapped->size() < size) return FileEndsEarly(file.name(), offset, size, mapped->size());
  return Error(StatusCode::kDataLoss, "more bytes were mapped than asked for")
      .File(file.name())
      .Offset(offset)
      .Expected(std::to_string(size) + " bytes")
      .Found(std::to_string(mapped->size()));
}

}  // namespace savedmodel::internal
