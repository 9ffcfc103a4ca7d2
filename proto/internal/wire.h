// Primitives of protobuf's encoding, accepting exactly what libprotobuf accepts.
//
// Deliberately not base/internal/byte_reader.h: protobuf drops the bits of a varint above the 64th, stops a
// tag or a size after five bytes, and knows groups. Every read says what was wrong; nothing is read past
// `end`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace savedmodel::internal {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

enum class WireFault : uint8_t {
  kNone,
  kTruncated,  // bytes end inside a value
  kTag,        // field number 0, wire type 6 or 7, or more than five bytes
  kVarint,     // more than ten bytes
  kSize,       // a length above 2 GiB
  kBeyondEnd,  // a length past the end of the enclosing message
  kEndGroup,   // an end of group that nothing began
  kDepth,      // messages and groups nested too deep
  kUtf8,       // a string that is not UTF-8
  kPacked,     // packed elements that do not fill their field
};

// For messages: "ends inside a value", ...
std::string_view DescribeFault(WireFault fault);

// Messages and groups inside each other; libprotobuf's default limit.
inline constexpr int kMaxWireDepth = 100;
// libprotobuf counts bytes in an int.
inline constexpr uint64_t kMaxWireBytes = 0x7fffffff;

struct WireTag {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
};

// A position in encoded bytes. After a fault the position is where the faulty item begins.
struct WireBytes {
  const uint8_t* p = nullptr;
  const uint8_t* end = nullptr;

  size_t remaining() const { return static_cast<size_t>(end - p); }

  WireFault ReadVarint(uint64_t* value) {
    uint64_t result = 0;
    const uint8_t* q = p;
    for (int i = 0; i < 10; ++i) {
      if (q == end) return WireFault::kTruncated;
      const uint64_t byte = *q++;
      result |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return *value = result, p = q, WireFault::kNone;
    }
    return WireFault::kVarint;
  }

  WireFault ReadTag(WireTag* tag) {
    uint32_t result = 0;
    const uint8_t* q = p;
    for (int i = 0; i < 5; ++i) {
      if (q == end) return WireFault::kTruncated;
      const uint32_t byte = *q++;
      result |= (byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      *tag = {result >> 3, static_cast<WireType>(result & 7)};
      if (tag->number == 0 || tag->type > WireType::kFixed32) return WireFault::kTag;
      return p = q, WireFault::kNone;
    }
    return WireFault::kTag;
  }

  // A length that lies inside [p, end) once it is read.
  WireFault ReadSize(uint32_t* size) {
    uint64_t result = 0;
    const uint8_t* q = p;
    for (int i = 0; i < 5; ++i) {
      if (q == end) return WireFault::kTruncated;
      const uint64_t byte = *q++;
      result |= (byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      if (result > kMaxWireBytes) return WireFault::kSize;
      if (result > static_cast<uint64_t>(end - q)) return WireFault::kBeyondEnd;
      return *size = static_cast<uint32_t>(result), p = q, WireFault::kNone;
    }
    return WireFault::kSize;
  }

  WireFault Skip(size_t size) {
    if (size > remaining()) return WireFault::kTruncated;
    return p += size, WireFault::kNone;
  }

  // Skips a value of `type` that needs no nesting: not a group.
  WireFault SkipValue(WireType type);
  // Skips the rest of a group whose start tag has been read, up to and with its end tag; at most `max_depth`
  // groups inside each other, this one included.
  WireFault SkipGroup(uint32_t number, int max_depth);
};

inline WireBytes ToWireBytes(std::string_view bytes) {
  const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
  return {p, p + bytes.size()};
}

}  // namespace savedmodel::internal
