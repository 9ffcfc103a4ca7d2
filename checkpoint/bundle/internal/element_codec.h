// Entries whose elements vary in length: strings and variants. FORMAT.md#strings, FORMAT.md#variants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// Element i is payload[ends[i-1], ends[i]).
struct Elements {
  Buffer payload;
  std::vector<uint64_t> ends;

  std::string_view at(uint64_t i) const;
};

struct ElementChecks {
  bool big_endian = false;  // the file's byte order
  bool verify = true;       // compare checksums; structure is checked always
  uint32_t masked_crc32c = 0;
  uint64_t offset = 0;  // of the entry in its file, for messages
};

// `entry` is exactly the stored bytes of `count` strings; the payload is cut from it without a copy.
// Errors: DataLoss.
StatusOr<Elements> DecodeStrings(const Buffer& entry, uint64_t count, const ElementChecks& checks);

// `entry` is exactly the stored bytes of `count` variants, whose serialised messages are copied together.
// Errors: DataLoss, Unimplemented (the other byte order), ResourceExhausted.
StatusOr<Elements> DecodeVariants(const Buffer& entry, uint64_t count, const ElementChecks& checks);

}  // namespace savedmodel::internal
