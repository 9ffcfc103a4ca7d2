// Where values come to lie: the caller's memory, new memory, or a mapping; and tensors made of them at the
// end.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/bundle/internal/read_plan.h"

namespace savedmodel::internal {

class Delivery {
 public:
  // All must outlive the delivery. `values[i]` is what `requests[i]` asks for; `entries` are those of the
  // values.
  Delivery(std::span<const ReadRequest> requests, std::span<const PlannedValue> values,
           std::span<EntryRead> entries)
      : requests_(requests), values_(values), entries_(entries), places_(values.size()) {}

  // Maps or allocates, and tells the entries' sinks where to copy. `foreign`: the file has the other byte
  // order. Errors: ResourceExhausted, as base/file_system.h.
  Status Prepare(ReadMode mode, bool foreign);
  // Once all entries are read and sound: hands the tensors over, all or none. Errors: ResourceExhausted.
  Status Finish();

 private:
  struct Place {
    Buffer mapped;                          // the value itself
    MutableBuffer owned;                    // filled by the pass
    std::vector<const EntryRead*> sources;  // of strings and variants, with the sink's number
    std::vector<size_t> sinks;
  };

  bool MayMap(size_t value, const EntrySink& sink) const;
  Status MapValue(EntryRead& entry, const EntrySink& sink);
  Status Allocate(size_t value);
  void PointSinks();
  StatusOr<Tensor> MakeTensor(size_t value);
  StatusOr<Tensor> GatherElements(size_t value) const;

  std::span<const ReadRequest> requests_;
  std::span<const PlannedValue> values_;
  std::span<EntryRead> entries_;
  std::vector<Place> places_;
};

}  // namespace savedmodel::internal
