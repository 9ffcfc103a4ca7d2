// The check that bytes are the encoding of a message, before libprotobuf parses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "savedmodel/proto/internal/wire.h"
#include "savedmodel/proto/internal/wire_schema.h"

namespace savedmodel::internal {

struct WireCheckResult {
  WireFault fault = WireFault::kNone;
  size_t offset = 0;                     // of the faulty item
  const MessageRule* message = nullptr;  // the message it lies in; null inside an unknown group
  uint32_t field = 0;                    // and its field; 0 when the tag itself is at fault
  uint64_t memory = 0;                   // bytes that the messages will take, without strings and numbers
};

// Walks `bytes` along `rule` with an explicit stack of at most `max_depth` + 1 frames.
// Cost: O(bytes); the walk skips what has no structure, such as tensor_content.
WireCheckResult CheckWire(std::string_view bytes, const MessageRule& rule, int max_depth);

}  // namespace savedmodel::internal
