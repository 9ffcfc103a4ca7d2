#include "savedmodel/proto/internal/wire_check.h"

#include <vector>

#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

// A message, or a group when `group` is its field number. A group ends by its tag, at the latest where its
// message ends.
struct Frame {
  const MessageRule* rule;
  const uint8_t* end;
  uint32_t group;
};

class Walk {
 public:
  Walk(std::string_view bytes, const MessageRule& rule, int max_depth)
      : begin_(ToWireBytes(bytes).p), in_(ToWireBytes(bytes)), max_depth_(static_cast<size_t>(max_depth)) {
    stack_.push_back({&rule, in_.end, 0});
  }

  WireCheckResult Run() {
    while (!stack_.empty() && result_.fault == WireFault::kNone) Step();
    return result_;
  }

 private:
  void Step() {
    const Frame frame = stack_.back();
    in_.end = frame.end;
    if (in_.p != frame.end) return Field(frame);
    if (frame.group != 0) return Fail(WireFault::kTruncated, frame.rule, frame.group);
    stack_.pop_back();
  }

  void Field(const Frame& frame) {
    const uint8_t* tag_begin = in_.p;
    WireTag tag;
    if (WireFault fault = in_.ReadTag(&tag); fault != WireFault::kNone) return Fail(fault, frame.rule, 0);
    if (tag.type == WireType::kEndGroup) {
      if (frame.group == tag.number) return stack_.pop_back();
      in_.p = tag_begin;
      return Fail(WireFault::kEndGroup, frame.rule, tag.number);
    }
    if (tag.type == WireType::kGroup)
      return Push({nullptr, frame.end, tag.number}, frame.rule, tag.number, tag_begin);
    if (tag.type == WireType::kBytes) return Bytes(frame, tag.number, tag_begin);
    if (WireFault fault = in_.SkipValue(tag.type); fault != WireFault::kNone)
      Fail(fault, frame.rule, tag.number);
  }

  void Bytes(const Frame& frame, uint32_t number, const uint8_t* tag_begin) {
    uint32_t size = 0;
    if (WireFault fault = in_.ReadSize(&size); fault != WireFault::kNone)
      return Fail(fault, frame.rule, number);
    const FieldRule field = frame.rule == nullptr ? FieldRule{} : frame.rule->field(number);
    if (field.kind == FieldKind::kMessage) {
      result_.memory += field.message->memory;
      return Push({field.message, in_.p + size, 0}, frame.rule, number, tag_begin);
    }
    if (WireFault fault = Leaf(field.kind, size); fault != WireFault::kNone) Fail(fault, frame.rule, number);
  }

  // Checks and skips `size` bytes without messages in them. Leaves the position at the fault, if there is
  // one.
  WireFault Leaf(FieldKind kind, uint32_t size) {
    const uint8_t* end = in_.p + size;
    switch (kind) {
      case FieldKind::kString: {
        const size_t valid = ValidUtf8Prefix({reinterpret_cast<const char*>(in_.p), size});
        in_.p += valid;
        return valid == size ? WireFault::kNone : WireFault::kUtf8;
      }
      case FieldKind::kPackedVarint:
        return PackedVarints(end);
      case FieldKind::kPackedFixed32:
        if (size % 4 != 0) return WireFault::kPacked;
        break;
      case FieldKind::kPackedFixed64:
        if (size % 8 != 0) return WireFault::kPacked;
        break;
      case FieldKind::kOpaque:
      case FieldKind::kMessage:
        break;
    }
    in_.p = end;
    return WireFault::kNone;
  }

  WireFault PackedVarints(const uint8_t* end) {
    WireBytes packed = {in_.p, end};
    WireFault fault = WireFault::kNone;
    for (uint64_t ignored = 0; packed.p != end && fault == WireFault::kNone;)
      fault = packed.ReadVarint(&ignored);
    in_.p = packed.p;
    return fault == WireFault::kTruncated ? WireFault::kPacked : fault;
  }

  void Push(const Frame& frame, const MessageRule* parent, uint32_t number, const uint8_t* tag_begin) {
    if (stack_.size() <= max_depth_) return stack_.push_back(frame);
    in_.p = tag_begin;
    Fail(WireFault::kDepth, parent, number);
  }

  void Fail(WireFault fault, const MessageRule* message, uint32_t field) {
    result_.fault = fault;
    result_.offset = static_cast<size_t>(in_.p - begin_);
    result_.message = message;
    result_.field = field;
  }

  const uint8_t* begin_;
  WireBytes in_;
  size_t max_depth_;
  std::vector<Frame> stack_;
  WireCheckResult result_;
};

}  // namespace

WireCheckResult CheckWire(std::string_view bytes, const MessageRule& rule, int max_depth) {
  return Walk(bytes, rule, max_depth).Run();
}

}  // namespace savedmodel::internal
