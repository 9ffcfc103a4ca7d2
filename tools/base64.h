// Bytes as base64 (RFC 4648, padded).
#pragma once

#include <string>
#include <string_view>

namespace savedmodel::tools {

std::string Base64(std::string_view bytes);

}  // namespace savedmodel::tools
