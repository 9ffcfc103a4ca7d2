// The check that comes before every access to a file: is the range inside it?
#pragma once

#include <cstdint>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// Errors: DataLoss (a file of `file_size` bytes ends before offset + size).
Status CheckFileRange(std::string_view file, uint64_t file_size, uint64_t offset, uint64_t size);

// The error of an access whose bytes are not there: `found` of the `size` bytes from `offset` are.
Status FileEndsEarly(std::string_view file, uint64_t offset, uint64_t size, uint64_t found);

}  // namespace savedmodel::internal
