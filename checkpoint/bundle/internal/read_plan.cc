#include "savedmodel/checkpoint/bundle/internal/read_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/internal/wrong_prefix.h"

namespace savedmodel::internal {
namespace {

// A pointer file of some store is never longer.
constexpr uint64_t kMaxPointerFile = 1024;

Status CheckExpected(const ReadRequest& request, const PlannedValue& value) {
  if (request.dtype && *request.dtype != value.dtype) {
    return Error(StatusCode::kInvalidArgument, "tensor has another dtype than asked for")
        .Expected(std::string(DTypeName(*request.dtype)))
        .Found(std::string(DTypeName(value.dtype)))
        .ToStatus();
  }
  if (request.shape && *request.shape != value.shape) {
    return Error(StatusCode::kInvalidArgument, "tensor has another shape than asked for")
        .Expected(request.shape->ToString())
        .Found(value.shape.ToString())
        .ToStatus();
  }
  return OkStatus();
}

// Adds the stored part at `bytes` when it holds something of `wanted`.
void AddPart(const StoredBytes& bytes, const Box& stored, const Box& wanted, PlannedValue* value) {
  const auto elements = static_cast<uint64_t>(stored.num_elements());
  if (elements == 0) {  // read all the same: its shard must exist and its checksum hold
    value->parts.push_back({bytes, 0, CopyRuns::Whole(0)});
  } else if (auto runs = CopyRuns::Between(stored, wanted)) {
    value->parts.push_back({bytes, elements, *std::move(runs)});
  }
}

Status AddSlices(const TensorInfo& info, const Box& wanted, PlannedValue* value) {
  uint64_t found = 0;
  for (const StoredSlice& part : info.slices) {
    const size_t before = value->parts.size();
    AddPart(part.bytes, MakeBox(part.slice, info.shape), wanted, value);
    if (value->parts.size() == before) continue;
    SAVEDMODEL_RETURN_IF_ERROR(part.status);
    found += value->parts.back().runs.total();
  }
  // The parts do not overlap, so equal counts mean that each element is there.
  const auto needed = static_cast<uint64_t>(wanted.num_elements());
  if (found == needed) return OkStatus();
  return Error(StatusCode::kDataLoss, "stored slices do not cover what is wanted")
      .Expected(std::to_string(needed) + " elements")
      .Found(std::to_string(found))
      .ToStatus();
}

StatusOr<PlannedValue> PlanFound(const TensorInfo& info, const ReadRequest& request) {
  PlannedValue value{.key = info.key, .dtype = info.dtype};
  const TensorSlice slice = request.slice.value_or(TensorSlice::Full(info.shape.rank()));
  SAVEDMODEL_ASSIGN_OR_RETURN(value.shape, slice.ShapeWithin(info.shape));
  SAVEDMODEL_RETURN_IF_ERROR(CheckExpected(request, value));
  const Box wanted = MakeBox(slice, info.shape);
  if (info.partitioned()) {
    SAVEDMODEL_RETURN_IF_ERROR(AddSlices(info, wanted, &value));
  } else {
    AddPart(info.bytes, MakeBox(TensorSlice::Full(info.shape.rank()), info.shape), wanted, &value);
  }
  return value;
}

// Entries with equal places are the same entry.
auto Place(const EntryRead& entry) {
  return std::tuple(entry.bytes.shard, entry.bytes.offset, entry.bytes.size, entry.bytes.masked_crc32c,
                    entry.dtype, entry.elements);
}

bool VerifiesPart(Verify verify, const ValuePart& part) {
  if (verify == Verify::kWholeReads) return part.runs.total() == part.elements;
  return verify == Verify::kAlways;
}

EntryRead MakeEntry(const PlannedValue& value, size_t index, const ValuePart& part, Verify verify) {
  EntryRead entry{.key = value.key, .dtype = value.dtype, .bytes = part.bytes, .elements = part.elements};
  entry.verify = VerifiesPart(verify, part);
  entry.sinks.push_back(
      {.value = index, .runs = entry.fixed_size() ? part.runs.Scaled(DTypeSize(value.dtype)) : part.runs});
  return entry;
}

}  // namespace

uint64_t PlannedValue::max_bytes() const {
  if (IsFixedSize(dtype)) return num_bytes();
  uint64_t size = 0;
  for (const ValuePart& part : parts) size += std::min(part.bytes.size, UINT64_MAX - size);
  return size;
}

StatusOr<PlannedValue> PlanValue(const BundleIndex& index, const TensorInfo& info,
                                 const ReadRequest& request) {
  StatusOr<PlannedValue> value = PlanFound(info, request);
  if (!value.ok()) return WithContext(value.status(), {.file = index.name(), .key = info.key});
  return value;
}

Status CheckDestination(const ReadRequest& request, const PlannedValue& value) {
  if (request.tensor != nullptr) return OkStatus();
  if (!IsFixedSize(value.dtype)) {
    return Error(StatusCode::kInvalidArgument,
                 "a tensor of elements of variable length cannot go to memory of a fixed size")
        .Key(value.key)
        .Found(std::string(DTypeName(value.dtype)))
        .ToStatus();
  }
  if (request.destination.size() == value.num_bytes()) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "destination has another size than the tensor")
      .Key(value.key)
      .Expected(std::to_string(value.num_bytes()) + " bytes for " + std::string(DTypeName(value.dtype)) +
                value.shape.ToString())
      .Found(std::to_string(request.destination.size()))
      .ToStatus();
}

std::vector<EntryRead> GroupEntries(std::span<const PlannedValue> values, Verify verify) {
  std::vector<EntryRead> all;
  for (size_t i = 0; i < values.size(); ++i) {
    for (const ValuePart& part : values[i].parts) all.push_back(MakeEntry(values[i], i, part, verify));
  }
  std::sort(all.begin(), all.end(), [](const EntryRead& a, const EntryRead& b) {
    return std::tuple(Place(a), a.sinks.front().value) < std::tuple(Place(b), b.sinks.front().value);
  });
  std::vector<EntryRead> grouped;
  for (EntryRead& entry : all) {
    if (grouped.empty() || Place(grouped.back()) != Place(entry)) {
      grouped.push_back(std::move(entry));
    } else {
      grouped.back().verify |= entry.verify;
      grouped.back().sinks.push_back(std::move(entry.sinks.front()));
    }
  }
  return grouped;
}

Status OpenShard(const ShardFiles& shards, EntryRead* entry, bool explain) {
  StatusOr<std::shared_ptr<const RandomAccessFile>> file = shards.Open(entry->bytes.shard, explain);
  if (!file.ok()) return WithContext(file.status(), {.key = entry->key});
  entry->file = *std::move(file);
  const uint64_t size = entry->file->size();
  if (entry->bytes.offset <= size && entry->bytes.size <= size - entry->bytes.offset) return OkStatus();
  std::string looks;
  if (size <= kMaxPointerFile) looks = LooksLike(*entry->file).value_or("");
  return Error(StatusCode::kDataLoss, "data shard is too short for a tensor in it")
      .File(entry->file->name())
      .Key(entry->key)
      .Expected(std::to_string(entry->bytes.size) + " bytes at byte " + std::to_string(entry->bytes.offset))
      .Found("a file of " + std::to_string(size) + " bytes" + (looks.empty() ? "" : ", " + looks))
      .ToStatus();
}

Status AtEntry(const Status& status, const EntryRead& entry) {
  if (status.ok()) return status;
  return WithContext(status, {.file = entry.file->name(), .offset = entry.bytes.offset, .key = entry.key});
}

}  // namespace savedmodel::internal
