#include "savedmodel/proto/internal/wire.h"

#include <vector>

namespace savedmodel::internal {

std::string_view DescribeFault(WireFault fault) {
  switch (fault) {
    case WireFault::kNone:
      return "no fault";
    case WireFault::kTruncated:
      return "the bytes end inside a value";
    case WireFault::kTag:
      return "no field has this tag";
    case WireFault::kVarint:
      return "a varint is longer than ten bytes";
    case WireFault::kSize:
      return "a length is above 2 GiB";
    case WireFault::kBeyondEnd:
      return "a length reaches past the end of its message";
    case WireFault::kEndGroup:
      return "a group ends that did not begin";
    case WireFault::kDepth:
      return "messages are nested too deep";
    case WireFault::kUtf8:
      return "a string is not UTF-8";
    case WireFault::kPacked:
      return "packed elements do not fill their field";
  }
  return "unknown fault";
}

WireFault WireBytes::SkipValue(WireType type) {
  uint64_t ignored = 0;
  uint32_t size = 0;
  switch (type) {
    case WireType::kVarint:
      return ReadVarint(&ignored);
    case WireType::kFixed64:
      return Skip(8);
    case WireType::kFixed32:
      return Skip(4);
    case WireType::kBytes:
      if (WireFault fault = ReadSize(&size); fault != WireFault::kNone) return fault;
      return Skip(size);
    case WireType::kGroup:
    case WireType::kEndGroup:
      break;
  }
  return WireFault::kTag;
}

WireFault WireBytes::SkipGroup(uint32_t number, int max_depth) {
  if (max_depth <= 0) return WireFault::kDepth;
  std::vector<uint32_t> open = {number};
  while (!open.empty()) {
    const uint8_t* begin = p;
    WireTag tag;
    WireFault fault = ReadTag(&tag);
    if (fault != WireFault::kNone) return fault;
    if (tag.type == WireType::kGroup) {
      if (open.size() >= static_cast<size_t>(max_depth)) return p = begin, WireFault::kDepth;
      open.push_back(tag.number);
    } else if (tag.type == WireType::kEndGroup) {
      if (open.back() != tag.number) return p = begin, WireFault::kEndGroup;
      open.pop_back();
    } else if (fault = SkipValue(tag.type); fault != WireFault::kNone) {
      return fault;
    }
  }
  return WireFault::kNone;
}

}  // namespace savedmodel::internal
