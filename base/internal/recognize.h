// What a file that is not what it should be looks like, for error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace savedmodel::internal {

// "a Git-LFS pointer", "an HDF5 file", "a zip archive", "a tar archive", "an empty file", "text", ... from the first bytes
// (512 are enough); an empty view when nothing is recognised.
std::string_view RecognizeFile(std::span<const std::byte> head);

}  // namespace savedmodel::internal
