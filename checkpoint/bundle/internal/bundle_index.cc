#include "savedmodel/checkpoint/bundle/internal/bundle_index.h"

#include <optional>
#include <unordered_set>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_entry.h"
#include "savedmodel/checkpoint/bundle/internal/copy_runs.h"
#include "savedmodel/checkpoint/bundle/internal/overlap.h"
#include "savedmodel/checkpoint/bundle/internal/slice_key.h"

namespace savedmodel::internal {
namespace {

constexpr std::string_view kHeaderKey = "";

// The header is the first entry of a table, or there is none.
StatusOr<BundleHeader> ReadHeader(const Table& table) {
  if (table.entries().empty() || table.entries().front().key != kHeaderKey) {
    return Error(StatusCode::kDataLoss, "index has no checkpoint header")
        .Expected("an entry with the key \"\"")
        .Found(table.entries().empty()
                   ? "no entries"
                   : "\"" + Printable(table.entries().front().key) + "\" as the first key")
        .ToStatus();
  }
  return ParseBundleHeader(table.entries().front().value);
}

Status CheckNoOverlap(const TensorInfo& info) {
  std::vector<Box> boxes;
  for (const StoredSlice& part : info.slices) boxes.push_back(MakeBox(part.slice, info.shape));
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto overlap, FindOverlap(boxes));
  if (!overlap) return OkStatus();
  return Error(StatusCode::kDataLoss, "slices of a tensor overlap")
      .Found("\"" + info.slices[overlap->first].slice.ToString() + "\" and \"" +
             info.slices[overlap->second].slice.ToString() + "\"")
      .ToStatus();
}

// The keys under which the parts of partitioned tensors are stored, one tensor at a time.
class PartKeys {
 public:
  explicit PartKeys(const Table& table) : table_(table) {}

  // True when `key` is a part that its tensor's entry names (or would, were that entry sound).
  bool Contains(std::string_view key) {
    const std::optional<SliceKey> part = DecodeSliceKey(key);
    if (!part) return false;
    const TableEntry* whole = table_.Find(part->tensor);
    if (whole == nullptr || whole->key == kHeaderKey) return false;
    if (whole != whole_) Load(*whole);
    return !sound_ || parts_.contains(std::string(key));
  }

 private:
  void Load(const TableEntry& whole) {
    whole_ = &whole;
    parts_.clear();
    const StatusOr<BundleEntry> entry = ParseBundleEntry(whole.value, kMaxShards);
    sound_ = entry.ok();
    if (!sound_) return;
    for (const TensorSlice& slice : entry->slices) parts_.insert(EncodeSliceKey(whole.key, slice));
  }

  const Table& table_;
  const TableEntry* whole_ = nullptr;
  bool sound_ = false;
  std::unordered_set<std::string> parts_;
};

}  // namespace

StatusOr<BundleIndex> BundleIndex::Load(const Buffer& file, std::string name, const BundleLimits& limits) {
  BundleIndex index;
  index.name_ = std::move(name);
  SAVEDMODEL_ASSIGN_OR_RETURN(index.table_,
                              ReadTable(file, index.name_, {limits.max_index_bytes, limits.max_entries}));
  StatusOr<BundleHeader> header = ReadHeader(index.table_);
  if (!header.ok()) return WithContext(header.status(), {.file = index.name_});
  index.header_ = *header;
  index.ListKeys();
  return index;
}

void BundleIndex::ListKeys() {
  PartKeys parts(table_);
  keys_.reserve(table_.entries().size() - 1);
  for (const TableEntry& entry : table_.entries()) {
    if (entry.key != kHeaderKey && !parts.Contains(entry.key)) keys_.push_back(entry.key);
  }
}

StatusOr<TensorInfo> BundleIndex::Find(std::string_view key) const {
  if (key == kHeaderKey) {
    return Error(StatusCode::kInvalidArgument, "the empty key holds the checkpoint's header, not a tensor")
        .File(name_)
        .ToStatus();
  }
  const TableEntry* entry = table_.Find(key);
  if (entry == nullptr) return NoSuchKey(key);
  StatusOr<TensorInfo> info = Describe(entry->key, entry->value);
  if (!info.ok()) return WithContext(info.status(), {.file = name_, .key = std::string(key)});
  return info;
}

StatusOr<TensorInfo> BundleIndex::Describe(std::string_view key, std::string_view value) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const BundleEntry entry, ParseBundleEntry(value, header_.num_shards));
  TensorInfo info{.key = std::string(key), .dtype = entry.dtype, .shape = entry.shape, .bytes = entry.bytes};
  for (const TensorSlice& slice : entry.slices) info.slices.push_back(DescribeSlice(info, slice));
  SAVEDMODEL_RETURN_IF_ERROR(CheckNoOverlap(info));
  return info;
}

// A part is bad by itself: the others can still be read.
StoredSlice BundleIndex::DescribeSlice(const TensorInfo& info, const TensorSlice& slice) const {
  StoredSlice part{.slice = slice};
  const auto bad = [&](std::string what) {
    return Error(StatusCode::kDataLoss, std::move(what)).File(name_).Key(info.key);
  };
  const TableEntry* found = table_.Find(EncodeSliceKey(info.key, slice));
  if (found == nullptr) {
    part.status = bad("slice \"" + slice.ToString() + "\" has no entry of its own");
    return part;
  }
  const StatusOr<BundleEntry> entry = ParseBundleEntry(found->value, header_.num_shards);
  const StatusOr<Shape> shape = slice.ShapeWithin(info.shape);
  if (!entry.ok()) {
    part.status = WithContext(entry.status(), {.file = name_, .key = info.key});
  } else if (!entry->slices.empty() || entry->dtype != info.dtype || !shape.ok() || entry->shape != *shape) {
    part.status = bad("slice \"" + slice.ToString() + "\" is stored as something else")
                      .Expected(std::string(DTypeName(info.dtype)) + (shape.ok() ? shape->ToString() : ""))
                      .Found(std::string(DTypeName(entry->dtype)) + entry->shape.ToString());
  } else {
    part.bytes = entry->bytes;
  }
  return part;
}

Status BundleIndex::NoSuchKey(std::string_view key) const {
  return Error(StatusCode::kNotFound, "checkpoint has no such tensor")
      .File(name_)
      .Key(key)
      .Hint(DidYouMean(key, keys_))
      .ToStatus();
}

}  // namespace savedmodel::internal
