// A bounded cursor over bytes from a file: every read says whether the bytes were there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace savedmodel::internal {

template <class T>
constexpr T ByteSwap(T v) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 1) return v;
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(v));
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(v);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(v);
}
template <class T>
constexpr T FromLittleEndian(T v) {
  return std::endian::native == std::endian::little ? v : ByteSwap(v);
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes)
      : begin_(bytes.data()), p_(begin_), end_(begin_ + bytes.size()) {}
  explicit ByteReader(std::string_view bytes) : ByteReader(std::as_bytes(std::span(bytes))) {}

  size_t offset() const { return static_cast<size_t>(p_ - begin_); }
  size_t remaining() const { return static_cast<size_t>(end_ - p_); }
  bool AtEnd() const { return p_ == end_; }

  // LEB128, at most 10 bytes; a value over 64 bits, or bytes that end early, is false.
  bool ReadVarint64(uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (p_ == end_) return false;
      const auto byte = static_cast<uint64_t>(*p_++);
      if (shift == 63 && byte > 1) return false;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return *value = result, true;
    }
    return false;
  }
  bool ReadVarint32(uint32_t* value) {
    uint64_t wide = 0;
    if (!ReadVarint64(&wide) || wide > UINT32_MAX) return false;
    return *value = static_cast<uint32_t>(wide), true;
  }
  template <class T>
  bool ReadFixedLittleEndian(T* value) {
    if (remaining() < sizeof(T)) return false;
    std::memcpy(value, p_, sizeof(T));
    *value = FromLittleEndian(*value);
    return p_ += sizeof(T), true;
  }
  bool ReadBytes(uint64_t size, std::span<const std::byte>* bytes) {
    if (size > remaining()) return false;
    *bytes = {p_, static_cast<size_t>(size)};
    return p_ += size, true;
  }
  bool ReadString(uint64_t size, std::string_view* text) {
    std::span<const std::byte> bytes;
    if (!ReadBytes(size, &bytes)) return false;
    return *text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, true;
  }
  bool Skip(uint64_t size) {
    if (size > remaining()) return false;
    return p_ += size, true;
  }

 private:
  const std::byte* begin_;
  const std::byte* p_;
  const std::byte* end_;
};

}  // namespace savedmodel::internal
