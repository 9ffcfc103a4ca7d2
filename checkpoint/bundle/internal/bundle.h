// An open bundle: what BundleReader is a handle to.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/control.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_files.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_index.h"
#include "savedmodel/checkpoint/bundle/internal/read_plan.h"

namespace savedmodel::internal {

class Bundle {
 public:
  static StatusOr<std::shared_ptr<const Bundle>> Open(std::shared_ptr<const Directory> directory,
                                                      std::string_view prefix, const BundleLimits& limits);

  Bundle(BundleIndex index, std::shared_ptr<const Directory> directory, std::string prefix);

  const BundleIndex& index() const { return index_; }
  const ShardFiles& shards() const { return shards_; }

  // As those of BundleReader.
  Status ReadMany(std::span<const ReadRequest> requests, const ReadOptions& options,
                  ReadReport* report) const;
  Status VerifyMany(std::span<const ReadRequest> requests, const ReadOptions& options) const;
  StatusOr<std::vector<VerifyResult>> Verify(const Control& control) const;

 private:
  BundleIndex index_;
  ShardFiles shards_;
};

}  // namespace savedmodel::internal
