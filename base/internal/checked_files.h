// Calls of a caller's FileSystem whose answers are looked at before they are used: it may be anybody's code.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// As the functions of base/file_system.h, and InvalidArgument for null in place of a file or directory.
StatusOr<std::shared_ptr<const Directory>> OpenDirectory(const FileSystem& files, std::string_view path);
StatusOr<std::shared_ptr<const Directory>> OpenDirectory(const Directory& directory, std::string_view name);
StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(const Directory& directory, std::string_view name);
// Exactly `size` bytes. Errors: as RandomAccessFile::Map, and DataLoss for any other number of them.
StatusOr<Buffer> MapFile(const RandomAccessFile& file, uint64_t offset, uint64_t size);

}  // namespace savedmodel::internal
