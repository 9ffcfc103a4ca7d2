#include "savedmodel/checkpoint/bundle/internal/slice_key.h"

#include <utility>
#include <vector>

#include "savedmodel/checkpoint/bundle/internal/ordered_code.h"

namespace savedmodel::internal {
namespace {

// -1 stands for a whole dimension, in memory as in the key.
static_assert(TensorSlice::kWholeDimension == -1);

bool ReadExtents(std::string_view* bytes, uint64_t rank, std::vector<TensorSlice::Extent>* extents) {
  for (uint64_t i = 0; i < rank; ++i) {
    TensorSlice::Extent extent;
    if (!ReadOrderedSigned(bytes, &extent.start) || !ReadOrderedSigned(bytes, &extent.length)) return false;
    extents->push_back(extent);
  }
  return true;
}

}  // namespace

std::string EncodeSliceKey(std::string_view tensor, const TensorSlice& slice) {
  std::string key(1, kSliceKeyMark);
  AppendOrderedString(tensor, &key);
  AppendOrderedUnsigned(static_cast<uint64_t>(slice.rank()), &key);
  for (const TensorSlice::Extent& extent : slice.extents()) {
    AppendOrderedSigned(extent.start, &key);
    AppendOrderedSigned(extent.length, &key);
  }
  return key;
}

std::optional<SliceKey> DecodeSliceKey(std::string_view key) {
  if (key.empty() || key.front() != kSliceKeyMark) return std::nullopt;
  std::string_view rest = key.substr(1);
  SliceKey result;
  uint64_t rank = 0;
  if (!ReadOrderedString(&rest, &result.tensor) || !ReadOrderedUnsigned(&rest, &rank)) return std::nullopt;
  std::vector<TensorSlice::Extent> extents;
  if (rank == 0 || rank > Shape::kMaxRank || !ReadExtents(&rest, rank, &extents)) return std::nullopt;
  StatusOr<TensorSlice> slice = TensorSlice::Make(extents);
  if (!slice.ok()) return std::nullopt;
  result.slice = *std::move(slice);
  if (EncodeSliceKey(result.tensor, result.slice) != key) return std::nullopt;
  return result;
}

}  // namespace savedmodel::internal
