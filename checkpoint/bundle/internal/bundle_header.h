// The entry under the key "": how many shards, which byte order, which version. FORMAT.md#header.
#pragma once

#include <cstdint>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel::internal {

struct BundleHeader {
  int32_t num_shards = 1;
  bool big_endian = false;  // of tensor bytes; the index itself is the same everywhere
  // True when tensor bytes are in the other order than this machine's.
  bool foreign_order() const;
};

// More shards than this are not what a header can mean.
inline constexpr int32_t kMaxShards = 1 << 20;

// Errors: DataLoss, Unimplemented (a version that must not be read).
StatusOr<BundleHeader> ParseBundleHeader(std::string_view value);

}  // namespace savedmodel::internal
