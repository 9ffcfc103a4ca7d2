#include "savedmodel/base/internal/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace savedmodel::internal {
namespace {

struct Utf8Lead {
  size_t size;         // bytes of the character; 0 for a byte that starts none
  uint8_t second_min;  // bounds of the second byte: they rule out overlong forms, surrogates and > U+10FFFF
  uint8_t second_max;
};

Utf8Lead LeadOf(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

uint8_t ByteAt(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// Bytes of the valid character at `i`; 0 when there is none.
size_t CharacterSize(std::string_view text, size_t i) {
  const Utf8Lead lead = LeadOf(ByteAt(text, i));
  if (lead.size <= 1) return lead.size;
  if (lead.size > text.size() - i) return 0;
  if (ByteAt(text, i + 1) < lead.second_min || ByteAt(text, i + 1) > lead.second_max) return 0;
  for (size_t k = 2; k < lead.size; ++k) {
    if ((ByteAt(text, i + k) & 0xc0) != 0x80) return 0;
  }
  return lead.size;
}

// C0, DEL and C1 (U+0080..U+009F), which terminals obey, and the line and direction marks, which rearrange
// lines.
bool IsControl(std::string_view character) {
  const uint8_t first = ByteAt(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && ByteAt(character, 1) < 0xa0;
  if (character.size() != 3 || first != 0xe2) return false;
  const uint8_t second = ByteAt(character, 1), third = ByteAt(character, 2);
  if (second == 0x80) return third >= 0xa8 && third <= 0xae;  // U+2028..U+202E
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;    // U+2066..U+2069
}

void AppendHexByte(std::string& out, uint8_t byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

struct EscapeRules {
  bool controls;
  bool backslash;
};

std::string Escape(std::string_view text, EscapeRules rules) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterSize(text, i);
    const std::string_view character = text.substr(i, std::max<size_t>(size, 1));
    if (size == 0 || (rules.controls && IsControl(character))) {
      for (char c : character) AppendHexByte(out, static_cast<uint8_t>(c));
    } else if (rules.backslash && character == "\\") {
      out += "\\\\";
    } else {
      out += character;
    }
    i += character.size();
  }
  return out;
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const size_t size = CharacterSize(text, i);
    if (size == 0) return i;
    i += size;
  }
  return i;
}

std::string EscapeNonUtf8(std::string_view text) {
  return Escape(text, {.controls = false, .backslash = true});
}
std::string Printable(std::string_view text) { return Escape(text, {.controls = true, .backslash = true}); }
std::string OneLine(std::string_view text) { return Escape(text, {.controls = true, .backslash = false}); }

std::string Hex32(uint32_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 15];
  return out;
}

}  // namespace savedmodel::internal
