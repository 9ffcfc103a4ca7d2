// The index of a bundle in memory: its header, and what it says about each tensor.
//
// Thread-safety: immutable after Load.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_header.h"
#include "savedmodel/checkpoint/bundle/internal/table_reader.h"

namespace savedmodel::internal {

class BundleIndex {
 public:
  // From the bytes of the whole index file, whose path is `name`. Errors: DataLoss, Unimplemented,
  // ResourceExhausted.
  static StatusOr<BundleIndex> Load(const Buffer& file, std::string name, const BundleLimits& limits);

  const std::string& name() const { return name_; }
  const BundleHeader& header() const { return header_; }
  // All tensors; the parts of partitioned ones are not among them.
  std::span<const std::string_view> keys() const { return keys_; }
  bool Contains(std::string_view key) const { return !key.empty() && table_.Find(key) != nullptr; }
  // Errors: NotFound, InvalidArgument (""), DataLoss, Unimplemented, ResourceExhausted; each names file and
  // key.
  StatusOr<TensorInfo> Find(std::string_view key) const;

 private:
  void ListKeys();
  StatusOr<TensorInfo> Describe(std::string_view key, std::string_view value) const;
  StoredSlice DescribeSlice(const TensorInfo& info, const TensorSlice& slice) const;
  Status NoSuchKey(std::string_view key) const;

  std::string name_;
  Table table_;
  BundleHeader header_;
  std::vector<std::string_view> keys_;
};

}  // namespace savedmodel::internal
