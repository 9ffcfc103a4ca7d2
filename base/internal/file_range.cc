#include "savedmodel/base/internal/file_range.h"

#include <string>

#include "savedmodel/base/internal/error.h"

namespace savedmodel::internal {

Status FileEndsEarly(std::string_view file, uint64_t offset, uint64_t size, uint64_t found) {
  return Error(StatusCode::kDataLoss, "file ends before the bytes that should be read")
      .File(file)
      .Offset(offset)
      .Expected(std::to_string(size) + " bytes")
      .Found(std::to_string(found));
}

Status CheckFileRange(std::string_view file, uint64_t file_size, uint64_t offset, uint64_t size) {
  const uint64_t available = offset < file_size ? file_size - offset : 0;
  if (offset <= file_size && size <= available) return OkStatus();
  return FileEndsEarly(file, offset, size, available);
}

}  // namespace savedmodel::internal
