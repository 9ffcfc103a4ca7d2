#include "savedmodel/checkpoint/bundle/internal/bundle_header.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/tensor_bundle.pb.h"

namespace savedmodel::internal {
namespace {

// The version of the format that this reader is, and the oldest writer it reads.
constexpr int32_t kReaderVersion = 1;
constexpr int32_t kOldestProducer = 0;

Status Refused(std::string what, const std::string& found) {
  return Error(StatusCode::kUnimplemented, "checkpoint may not be read by this version: " + std::move(what))
      .Expected("version " + std::to_string(kReaderVersion))
      .Found(found)
      .ToStatus();
}

Status CheckVersion(const proto::VersionDef& version) {
  if (version.producer() < kOldestProducer)
    return Refused("its producer is unknown", std::to_string(version.producer()));
  if (version.min_consumer() > kReaderVersion)
    return Refused("it asks for a newer one", std::to_string(version.min_consumer()));
  const auto& bad = version.bad_consumers();
  if (std::find(bad.begin(), bad.end(), kReaderVersion) != bad.end()) {
    return Refused("it excludes this one", "a list of excluded versions with it");
  }
  return OkStatus();
}

}  // namespace

bool BundleHeader::foreign_order() const { return big_endian != (std::endian::native == std::endian::big); }

StatusOr<BundleHeader> ParseBundleHeader(std::string_view value) {
  proto::BundleHeaderProto message;
  SAVEDMODEL_RETURN_IF_ERROR(
      ParseBounded(value, &message, {.base_offset = std::nullopt, .what = "checkpoint header"}));
  SAVEDMODEL_RETURN_IF_ERROR(CheckVersion(message.version()));
  const auto order = message.endianness();
  if (order != proto::BundleHeaderProto::LITTLE && order != proto::BundleHeaderProto::BIG) {
    return Error(StatusCode::kDataLoss, "checkpoint header names no byte order")
        .Expected("0 (little) or 1 (big)")
        .Found(std::to_string(order))
        .ToStatus();
  }
  if (message.num_shards() < 1 || message.num_shards() > kMaxShards) {
    return Error(StatusCode::kDataLoss, "checkpoint header has an impossible number of shards")
        .Expected("1 to " + std::to_string(kMaxShards))
        .Found(std::to_string(message.num_shards()))
        .ToStatus();
  }
  return BundleHeader{message.num_shards(), order == proto::BundleHeaderProto::BIG};
}

}  // namespace savedmodel::internal
