// Parses encoded messages from files: bounded, quiet, and with the place of the first fault.
//
//   proto::SavedObject object;
//   SAVEDMODEL_RETURN_IF_ERROR(ParseBounded(graph.Bytes(range), &object,
//                                           {.file = file, .base_offset = graph.FileOffset(range), .what =
//                                           "node"}));
//
// Before libprotobuf sees the bytes an iterative check walks them along the schema, so that libprotobuf
// neither prints (strings that are not UTF-8), nor fails without saying where, nor takes memory out of
// proportion. What passes the check parses; what it refuses libprotobuf would refuse, too, except for strings
// of GraphDebugInfo (proto2) that are not UTF-8 and for the memory limit. Unknown fields are kept.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "google/protobuf/message.h"
#include "savedmodel/base/status.h"
#include "savedmodel/proto/internal/wire.h"

namespace savedmodel::internal {

// Where the bytes come from, for messages.
struct ParseSource {
  std::string_view file = {};
  std::optional<uint64_t> base_offset =
      0;                       // of the first byte in the file; empty: offsets would mean nothing
  std::string_view what = {};  // what is parsed, as "graph node"; empty: the message's type
};

struct ParseLimits {
  uint64_t max_bytes = kMaxWireBytes;  // larger values change nothing
  int max_depth = kMaxWireDepth;       // messages and groups inside each other; larger values change nothing
  // Memory for messages: at most `max_memory_floor` or `max_memory_factor` times the encoded bytes, whichever
  // is more. Real models take 3 to 8 times their bytes, bytes made to waste memory over 100 times.
  uint64_t max_memory_floor = 64u << 20;
  uint64_t max_memory_factor = 32;
};

// Replaces the content of `message`, which is empty after an error.
// Errors: DataLoss (not an encoded message of this type), ResourceExhausted (a limit), Internal (a type of
// another schema).
Status ParseBounded(std::string_view bytes, google::protobuf::Message* message, const ParseSource& source,
                    const ParseLimits& limits = {});

// The check alone: OK when ParseBounded would succeed.
Status CheckEncoding(std::string_view bytes, const google::protobuf::Descriptor* type,
                     const ParseSource& source, const ParseLimits& limits = {});

}  // namespace savedmodel::internal
