#include "savedmodel/checkpoint/bundle/internal/byte_order.h"

#include <cstdint>
#include <cstring>

#include "savedmodel/base/internal/byte_reader.h"

namespace savedmodel::internal {
namespace {

template <class T>
void Swap(std::span<std::byte> bytes) {
  for (size_t at = 0; bytes.size() - at >= sizeof(T); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    value = ByteSwap(value);
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

}  // namespace

void SwapBytes(std::span<std::byte> bytes, size_t unit) {
  if (unit == sizeof(uint16_t)) Swap<uint16_t>(bytes);
  if (unit == sizeof(uint32_t)) Swap<uint32_t>(bytes);
  if (unit == sizeof(uint64_t)) Swap<uint64_t>(bytes);
}

}  // namespace savedmodel::internal
