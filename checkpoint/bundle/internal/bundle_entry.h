// What one index entry says about a tensor, checked as far as the entry alone allows. FORMAT.md#entry.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "savedmodel/base/dtype.h"
#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor_slice.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"

namespace savedmodel::internal {

struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  StoredBytes bytes;                // all zero when there are slices
  std::vector<TensorSlice> slices;  // not empty: the directory of a partitioned tensor
};

// Checks dtype, shape, shard, range, size against dtype and shape, and each slice against the shape.
// Errors: DataLoss, Unimplemented (dtype).
StatusOr<BundleEntry> ParseBundleEntry(std::string_view value, int32_t num_shards);

}  // namespace savedmodel::internal
