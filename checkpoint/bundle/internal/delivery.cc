#include "savedmodel/checkpoint/bundle/internal/delivery.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/internal/read_pass.h"

namespace savedmodel::internal {
namespace {

// TensorFlow packs tensors without gaps; a typed view needs the bytes at a multiple of this.
bool IsAligned(const Buffer& bytes, DType dtype) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % DTypeSwapUnit(dtype) == 0;
}

bool IsWholeEntry(const EntryRead& entry, const EntrySink& sink) {
  return sink.runs.run_count() == 1 && sink.runs.total() == entry.elements;
}

}  // namespace

// One stretch of one entry, large enough to be worth a mapping, in this machine's byte order.
bool Delivery::MayMap(size_t value, const EntrySink& sink) const {
  return requests_[value].tensor != nullptr && values_[value].parts.size() == 1 &&
         sink.runs.run_count() == 1 && sink.runs.total() >= kMappedBytes;
}

Status Delivery::MapValue(EntryRead& entry, const EntrySink& sink) {
  Buffer& mapped = places_[sink.value].mapped;
  const uint64_t from = sink.runs.from_begin();
  if (!entry.verify) {
    SAVEDMODEL_ASSIGN_OR_RETURN(mapped, MapFile(*entry.file, entry.bytes.offset + from, sink.runs.total()));
  } else {
    if (entry.mapping.empty()) {
      SAVEDMODEL_ASSIGN_OR_RETURN(entry.mapping, MapFile(*entry.file, entry.bytes.offset, entry.bytes.size));
    }
    mapped = entry.mapping.Slice(static_cast<size_t>(from), static_cast<size_t>(sink.runs.total()));
  }
  if (!IsAligned(mapped, entry.dtype)) mapped = Buffer();
  return OkStatus();
}

Status Delivery::Allocate(size_t value) {
  if (requests_[value].tensor == nullptr || !places_[value].mapped.empty()) return OkStatus();
  SAVEDMODEL_ASSIGN_OR_RETURN(places_[value].owned,
                              MutableBuffer::Allocate(static_cast<size_t>(values_[value].num_bytes())));
  return OkStatus();
}

void Delivery::PointSinks() {
  for (EntryRead& entry : entries_) {
    for (size_t i = 0; i < entry.sinks.size(); ++i) {
      EntrySink& sink = entry.sinks[i];
      Place& place = places_[sink.value];
      const bool to_caller = requests_[sink.value].tensor == nullptr;
      if (!entry.fixed_size()) {
        entry.keep_elements = true;
        place.sources.push_back(&entry);
        place.sinks.push_back(i);
      } else if (place.mapped.empty()) {
        sink.to = to_caller ? requests_[sink.value].destination.data() : place.owned.data();
      }
    }
  }
}

Status Delivery::Prepare(ReadMode mode, bool foreign) {
  for (EntryRead& entry : entries_) {
    if (mode != ReadMode::kMapped || !entry.fixed_size() || (foreign && DTypeSwapUnit(entry.dtype) > 1))
      continue;
    for (const EntrySink& sink : entry.sinks) {
      if (!MayMap(sink.value, sink)) continue;
      if (Status status = MapValue(entry, sink); !status.ok()) return AtEntry(status, entry);
    }
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (IsFixedSize(values_[i].dtype)) SAVEDMODEL_RETURN_IF_ERROR(Allocate(i));
  }
  PointSinks();
  return OkStatus();
}

StatusOr<Tensor> Delivery::GatherElements(size_t value) const {
  const Place& place = places_[value];
  std::vector<std::string_view> elements(static_cast<size_t>(values_[value].shape.num_elements()));
  uint64_t total = 0;
  for (size_t s = 0; s < place.sources.size(); ++s) {
    const Elements& source = place.sources[s]->decoded;
    const CopyRuns& runs = place.sources[s]->sinks[place.sinks[s]].runs;
    for (uint64_t r = 0; r < runs.run_count(); ++r) {
      const CopyRuns::Run run = runs.run(r);
      for (uint64_t i = 0; i < runs.run_length(); ++i) {
        const std::string_view element = source.at(run.from + i);
        elements[static_cast<size_t>(run.to + i)] = element;
        total += element.size();
      }
    }
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer payload, MutableBuffer::Allocate(static_cast<size_t>(total)));
  std::vector<uint64_t> ends;
  ends.reserve(elements.size());
  size_t end = 0;
  for (std::string_view element : elements) {
    if (!element.empty()) std::memcpy(payload.data() + end, element.data(), element.size());
    ends.push_back(end += element.size());
  }
  return Tensor::FromElements(values_[value].dtype, values_[value].shape, std::move(payload).Freeze(),
                              std::move(ends));
}

StatusOr<Tensor> Delivery::MakeTensor(size_t value) {
  const PlannedValue& planned = values_[value];
  Place& place = places_[value];
  if (IsFixedSize(planned.dtype)) {
    Buffer bytes = place.mapped.empty() ? std::move(place.owned).Freeze() : std::move(place.mapped);
    return Tensor::FromBuffer(planned.dtype, planned.shape, std::move(bytes));
  }
  if (place.sources.size() == 1 && IsWholeEntry(*place.sources[0], place.sources[0]->sinks[place.sinks[0]])) {
    const Elements& elements = place.sources[0]->decoded;
    return Tensor::FromElements(planned.dtype, planned.shape, elements.payload, elements.ends);
  }
  return GatherElements(value);
}

Status Delivery::Finish() {
  std::vector<Tensor> tensors(values_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    if (requests_[i].tensor == nullptr) continue;
    SAVEDMODEL_ASSIGN_OR_RETURN(tensors[i], MakeTensor(i));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (requests_[i].tensor != nullptr) *requests_[i].tensor = std::move(tensors[i]);
  }
  return OkStatus();
}

}  // namespace savedmodel::internal
