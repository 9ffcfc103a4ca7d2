// Fills a MetaGraphIndex from the encoded bytes of one MetaGraphDef (proto/README.md).
#pragma once

#include <cstdint>
#include <string>

#include "savedmodel/proto/internal/wire.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::internal {

// Parts found so far in a file; the limits count a whole file.
struct SkimCounts {
  uint64_t object_nodes = 0;
  uint64_t named_parts = 0;
  uint64_t other_parts = 0;
};

struct SkimResult {
  enum class Kind { kDone, kFault, kLimit, kNeedsJoin };

  Kind kind = Kind::kDone;
  WireFault fault = WireFault::kNone;  // of kFault
  std::string place;                   // of kFault: the message or field, "GraphDef.node"
  std::string limit;                   // of kLimit: what there is too much of, and of how much
  uint32_t offset = 0;                 // in the buffer
};

// `out->buffer` and `out->whole` say where the MetaGraphDef lies and the rest of `out` is filled in.
// kNeedsJoin: a message that has to be one range comes in pieces; `out` and `counts` then hold what was found
// up to there. Cost: O(bytes), with one pass; the stack is as deep as the schema.
SkimResult SkimMetaGraph(const WireIndexLimits& limits, SkimCounts* counts, MetaGraphIndex* out);

}  // namespace savedmodel::internal
