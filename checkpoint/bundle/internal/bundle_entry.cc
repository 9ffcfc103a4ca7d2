#include "savedmodel/checkpoint/bundle/internal/bundle_entry.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/tensor_bundle.pb.h"

namespace savedmodel::internal {
namespace {

// A reference type, which no file holds, has the number of its type and this.
constexpr int kReferenceOffset = 100;

// The least bytes of one element of variable length: a one-byte length, for variants a checksum too.
constexpr uint64_t kLeastString = 1;
constexpr uint64_t kLeastVariant = 1 + sizeof(uint32_t);
constexpr uint64_t kStringLengthChecksum = sizeof(uint32_t);

Error Bad(std::string what) { return Error(StatusCode::kDataLoss, std::move(what)); }

// A number that TensorFlow has but never stores cannot be meant; one that it may have got since can.
StatusOr<DType> ParseDType(int number) {
  const auto dtype = static_cast<DType>(number);
  if (IsKnown(dtype) && IsStorable(dtype)) return dtype;
  const bool is_reference =
      number > kReferenceOffset && IsKnown(static_cast<DType>(number - kReferenceOffset));
  const bool never_stored = number <= 0 || IsKnown(dtype) || is_reference;
  return Error(never_stored ? StatusCode::kDataLoss : StatusCode::kUnimplemented,
               never_stored ? "entry has a dtype that no checkpoint holds"
                            : "entry has a dtype that is not read")
      .Found(std::to_string(number) + " (" + std::string(DTypeName(dtype)) + ")")
      .ToStatus();
}

StatusOr<Shape> ParseShape(const proto::TensorShapeProto& message) {
  if (message.unknown_rank()) return Bad("entry has a shape of unknown rank").ToStatus();
  if (message.dim_size() > Shape::kMaxRank) {
    return Bad("entry's shape has too many dimensions")
        .Expected("at most " + std::to_string(Shape::kMaxRank))
        .Found(std::to_string(message.dim_size()))
        .ToStatus();
  }
  std::vector<int64_t> dims;
  for (const auto& dim : message.dim()) dims.push_back(dim.size());
  StatusOr<Shape> shape = Shape::Make(dims);
  if (!shape.ok())
    return Bad("entry's shape is impossible: " + std::string(shape.status().message())).ToStatus();
  return shape;
}

Status CheckPlace(const proto::BundleEntryProto& message, int32_t num_shards) {
  if (message.shard_id() < 0 || message.shard_id() >= num_shards) {
    return Bad("entry lies in a shard that does not exist")
        .Expected("0 to " + std::to_string(num_shards - 1))
        .Found(std::to_string(message.shard_id()))
        .ToStatus();
  }
  if (message.offset() < 0 || message.size() < 0 ||
      message.size() > std::numeric_limits<int64_t>::max() - message.offset()) {
    return Bad("entry lies outside any file")
        .Found(std::to_string(message.size()) + " bytes at offset " + std::to_string(message.offset()))
        .ToStatus();
  }
  return OkStatus();
}

// The size must be exactly that of a fixed-size dtype's elements, and enough for elements of variable length.
Status CheckSize(const BundleEntry& entry) {
  const auto elements = static_cast<uint64_t>(entry.shape.num_elements());
  const bool exact = IsFixedSize(entry.dtype);
  const bool is_string = entry.dtype == DType::kString;
  const uint64_t per_element = exact ? DTypeSize(entry.dtype) : is_string ? kLeastString : kLeastVariant;
  const uint64_t extra = is_string ? kStringLengthChecksum : 0;
  const bool fits = entry.bytes.size >= extra && elements <= (entry.bytes.size - extra) / per_element;
  if (fits && (!exact || elements * per_element == entry.bytes.size)) return OkStatus();
  return Bad("entry's size disagrees with its dtype and shape")
      .Expected(std::to_string(elements) + " elements of " + std::string(DTypeName(entry.dtype)))
      .Found(std::to_string(entry.bytes.size) + " bytes")
      .ToStatus();
}

StatusOr<TensorSlice> ParseSlice(const proto::TensorSliceProto& message, const Shape& shape) {
  if (message.extent_size() != shape.rank() || shape.rank() == 0) {
    return Bad("slice has another number of dimensions than its tensor")
        .Expected(shape.ToString())
        .Found(std::to_string(message.extent_size()))
        .ToStatus();
  }
  std::vector<TensorSlice::Extent> extents;
  for (const auto& extent : message.extent()) {
    const bool has_length = extent.has_length_case() == proto::TensorSliceProto::Extent::kLength;
    extents.push_back({extent.start(), has_length ? extent.length() : TensorSlice::kWholeDimension});
  }
  StatusOr<TensorSlice> slice = TensorSlice::Make(extents);
  if (!slice.ok()) return Bad("slice is impossible: " + std::string(slice.status().message())).ToStatus();
  if (!slice->ShapeWithin(shape).ok()) {
    return Bad("slice leaves its tensor")
        .Expected("inside " + shape.ToString())
        .Found(slice->ToString())
        .ToStatus();
  }
  return slice;
}

}  // namespace

StatusOr<BundleEntry> ParseBundleEntry(std::string_view value, int32_t num_shards) {
  proto::BundleEntryProto message;
  SAVEDMODEL_RETURN_IF_ERROR(ParseBounded(value, &message, {.base_offset = std::nullopt, .what = "entry"}));
  BundleEntry entry;
  SAVEDMODEL_ASSIGN_OR_RETURN(entry.dtype, ParseDType(message.dtype()));
  SAVEDMODEL_ASSIGN_OR_RETURN(entry.shape, ParseShape(message.shape()));
  if (message.slices_size() > 0) {
    for (const auto& slice : message.slices()) {
      SAVEDMODEL_ASSIGN_OR_RETURN(entry.slices.emplace_back(), ParseSlice(slice, entry.shape));
    }
    return entry;
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckPlace(message, num_shards));
  entry.bytes = {message.shard_id(), static_cast<uint64_t>(message.offset()),
                 static_cast<uint64_t>(message.size()), message.crc32c()};
  SAVEDMODEL_RETURN_IF_ERROR(CheckSize(entry));
  return entry;
}

}  // namespace savedmodel::internal
