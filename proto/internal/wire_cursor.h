// Steps over the fields of one encoded message without parsing what they hold.
#pragma once

#include <cstdint>
#include <string_view>

#include "savedmodel/proto/internal/wire.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::internal {

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t varint = 0;  // of kVarint
  ByteRange payload;    // of kBytes

  bool is_bytes(uint32_t wanted) const { return number == wanted && type == WireType::kBytes; }
};

//   WireCursor cursor(buffer, range, depth);
//   for (WireField field; cursor.Next(&field);) ...
//   if (cursor.fault() != WireFault::kNone) ...            // where: cursor.offset()
class WireCursor {
 public:
  // `range` must lie in `buffer`; `max_depth` counts the messages and groups that may still nest inside this
  // one.
  WireCursor(std::string_view buffer, ByteRange range, int max_depth)
      : begin_(ToWireBytes(buffer).p),
        in_{begin_ + range.offset, begin_ + range.offset + range.size},
        max_depth_(max_depth) {}

  // False at the end and at a fault. Groups are skipped and reported by number only.
  bool Next(WireField* field) {
    if (in_.p == in_.end || fault_ != WireFault::kNone) return false;
    const uint8_t* tag_begin = in_.p;
    WireTag tag;
    fault_ = in_.ReadTag(&tag);
    if (fault_ != WireFault::kNone) return false;
    field->number = tag.number;
    field->type = tag.type;
    fault_ = Value(tag, tag_begin, field);
    return fault_ == WireFault::kNone;
  }

  WireFault fault() const { return fault_; }
  uint32_t offset() const { return static_cast<uint32_t>(in_.p - begin_); }

 private:
  WireFault Value(WireTag tag, const uint8_t* tag_begin, WireField* field) {
    if (tag.type == WireType::kVarint) return in_.ReadVarint(&field->varint);
    if (tag.type == WireType::kGroup) return in_.SkipGroup(tag.number, max_depth_);
    if (tag.type == WireType::kEndGroup) return in_.p = tag_begin, WireFault::kEndGroup;
    if (tag.type != WireType::kBytes) return in_.SkipValue(tag.type);
    if (WireFault fault = in_.ReadSize(&field->payload.size); fault != WireFault::kNone) return fault;
    field->payload.offset = offset();
    return in_.Skip(field->payload.size);
  }

  const uint8_t* begin_;
  WireBytes in_;
  int max_depth_;
  WireFault fault_ = WireFault::kNone;
};

}  // namespace savedmodel::internal
