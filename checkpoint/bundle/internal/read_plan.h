// From requests to the stored entries whose bytes they need, without reading any: all that can be wrong with
// a request comes out here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/dtype.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_files.h"
#include "savedmodel/checkpoint/bundle/internal/bundle_index.h"
#include "savedmodel/checkpoint/bundle/internal/copy_runs.h"
#include "savedmodel/checkpoint/bundle/internal/element_codec.h"

namespace savedmodel::internal {

// A stored entry that gives some or all elements of a value.
struct ValuePart {
  StoredBytes bytes = {};
  uint64_t elements = 0;  // in the entry
  CopyRuns runs = {};     // in elements, from the entry to the value
};

// One request, understood.
struct PlannedValue {
  std::string key = {};
  DType dtype = DType::kInvalid;
  Shape shape = {};  // of the value
  std::vector<ValuePart> parts = {};

  // Of fixed-size dtypes.
  uint64_t num_bytes() const { return static_cast<uint64_t>(shape.num_elements()) * DTypeSize(dtype); }
  // The most that the value can take: strings and variants are known by the size of their entries only.
  uint64_t max_bytes() const;
};

// What `request` means, given what the index says of its key. Errors: those of BundleReader::ReadMany that
// need no file but the index.
StatusOr<PlannedValue> PlanValue(const BundleIndex& index, const TensorInfo& info,
                                 const ReadRequest& request);
// Whether `request` can receive `value`: a destination must have the right size. Errors: InvalidArgument.
Status CheckDestination(const ReadRequest& request, const PlannedValue& value);

// Where the bytes or elements of an entry go.
struct EntrySink {
  size_t value = 0;         // index of the PlannedValue
  CopyRuns runs = {};       // bytes for fixed-size dtypes, else elements
  std::byte* to = nullptr;  // start of the value; null: nothing is copied
};

// One stored entry to read: once, however many values need it.
struct EntryRead {
  std::string key = {};  // of the first value, for messages
  DType dtype = DType::kInvalid;
  StoredBytes bytes = {};
  uint64_t elements = 0;
  bool verify = true;
  bool keep_elements = false;  // of strings and variants
  std::shared_ptr<const RandomAccessFile> file = {};
  std::vector<EntrySink> sinks = {};

  Buffer mapping = {};    // of the whole entry, when some value points into it
  Elements decoded = {};  // strings and variants, when kept
  bool fixed_size() const { return IsFixedSize(dtype); }
  // Nobody may get a bool that is none, so bools are looked at also where they are neither copied nor summed.
  bool has_bools() const { return dtype == DType::kBool; }
};

// The entries of all values in the order of their place in the files. Each value's parts become sinks without
// `to`.
std::vector<EntryRead> GroupEntries(std::span<const PlannedValue> values, Verify verify);
// Opens the entry's shard and holds its size against the entry. `explain`: as ShardFiles::Open. Errors: NotFound,
// DataLoss, as base/file_system.h.
Status OpenShard(const ShardFiles& shards, EntryRead* entry, bool explain);

// `status` with the entry's place added.
Status AtEntry(const Status& status, const EntryRead& entry);

}  // namespace savedmodel::internal
