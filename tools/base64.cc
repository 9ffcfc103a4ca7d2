#include "savedmodel/tools/base64.h"

#include <algorithm>
#include <cstdint>

namespace savedmodel::tools {

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t size = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = (group << 8) | (i < size ? static_cast<uint8_t>(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) out += i <= size ? kDigits[(group >> (18 - 6 * i)) & 63] : '=';
  }
  return out;
}

}  // namespace savedmodel::tools
