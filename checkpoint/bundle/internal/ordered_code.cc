#include "savedmodel/checkpoint/bundle/internal/ordered_code.h"

#include <array>
#include <bit>
#include <cstddef>

namespace savedmodel::internal {
namespace {

constexpr char kEscape0 = '\x00';
constexpr char kEscape0Tail = '\xff';  // 00 is written 00 FF
constexpr char kEscapeFf = '\xff';
constexpr char kEscapeFfTail = '\x00';    // FF is written FF 00
constexpr char kTerminatorTail = '\x01';  // the end is written 00 01

constexpr int kMaxSignedSize = 10;

// The leading ones that tell a signed number's size: as many as it has bytes, followed by a zero.
constexpr uint16_t SizeMark(int size) { return static_cast<uint16_t>(0xffffu << (16 - size)); }

int BitWidth(uint64_t value) { return 64 - std::countl_zero(value); }

// The size of the shortest form: its sign bit and 7 bits a byte, less the mark's last bit, hold the value.
int SignedSize(int64_t value) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  return BitWidth(magnitude) / 7 + 1;
}

}  // namespace

void AppendOrderedString(std::string_view text, std::string* bytes) {
  for (char c : text) {
    bytes->push_back(c);
    if (c == kEscape0) bytes->push_back(kEscape0Tail);
    if (c == kEscapeFf) bytes->push_back(kEscapeFfTail);
  }
  bytes->push_back(kEscape0);
  bytes->push_back(kTerminatorTail);
}

void AppendOrderedUnsigned(uint64_t value, std::string* bytes) {
  const int size = (BitWidth(value) + 7) / 8;
  bytes->push_back(static_cast<char>(size));
  for (int i = size - 1; i >= 0; --i) bytes->push_back(static_cast<char>(value >> (8 * i)));
}

void AppendOrderedSigned(int64_t value, std::string* bytes) {
  std::array<uint8_t, kMaxSignedSize> wide;
  for (int i = 0; i < kMaxSignedSize; ++i) {
    const int shift = 8 * (kMaxSignedSize - 1 - i);
    wide[static_cast<size_t>(i)] = static_cast<uint8_t>(value >> (shift > 63 ? 63 : shift));
  }
  const int size = SignedSize(value);
  uint8_t* first = wide.data() + (kMaxSignedSize - size);
  first[0] = static_cast<uint8_t>(first[0] ^ (SizeMark(size) >> 8));
  if (size > 1) first[1] = static_cast<uint8_t>(first[1] ^ (SizeMark(size) & 0xff));
  bytes->append(reinterpret_cast<const char*>(first), static_cast<size_t>(size));
}

bool ReadOrderedString(std::string_view* bytes, std::string* text) {
  text->clear();
  for (size_t i = 0; i < bytes->size(); ++i) {
    const char c = (*bytes)[i];
    if (c != kEscape0 && c != kEscapeFf) {
      text->push_back(c);
      continue;
    }
    if (++i == bytes->size()) return false;
    const char tail = (*bytes)[i];
    if (c == kEscape0 && tail == kTerminatorTail) return bytes->remove_prefix(i + 1), true;
    if (tail != (c == kEscape0 ? kEscape0Tail : kEscapeFfTail)) return false;
    text->push_back(c);
  }
  return false;
}

bool ReadOrderedUnsigned(std::string_view* bytes, uint64_t* value) {
  if (bytes->empty()) return false;
  const auto size = static_cast<size_t>(static_cast<uint8_t>(bytes->front()));
  if (size > sizeof(uint64_t) || size >= bytes->size()) return false;
  *value = 0;
  for (size_t i = 1; i <= size; ++i) *value = *value << 8 | static_cast<uint8_t>((*bytes)[i]);
  return bytes->remove_prefix(size + 1), true;
}

bool ReadOrderedSigned(std::string_view* bytes, int64_t* value) {
  if (bytes->empty()) return false;
  const auto byte = [bytes](size_t i) {
    return i < bytes->size() ? static_cast<uint8_t>((*bytes)[i]) : uint8_t{0};
  };
  // A negative number's bytes are the complement of those of the number that is -1 less it.
  const bool negative = byte(0) < 0x80;
  const auto flip = static_cast<uint8_t>(negative ? 0xff : 0);
  const auto head = static_cast<uint16_t>((byte(0) ^ flip) << 8 | (byte(1) ^ flip));
  const int size = std::countl_one(head);
  if (size > kMaxSignedSize || static_cast<size_t>(size) > bytes->size()) return false;
  uint64_t magnitude = 0;
  for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
    const auto mark = static_cast<uint8_t>(i == 0 ? SizeMark(size) >> 8 : i == 1 ? SizeMark(size) & 0xff : 0);
    if (magnitude >> 56 != 0) return false;
    magnitude = magnitude << 8 | static_cast<uint8_t>(byte(i) ^ flip ^ mark);
  }
  if (magnitude >> 63 != 0) return false;
  *value = negative ? ~static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return bytes->remove_prefix(static_cast<size_t>(size)), true;
}

}  // namespace savedmodel::internal
