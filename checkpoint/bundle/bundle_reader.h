// Reads tensors from a TensorFlow "tensor bundle": <prefix>.index and <prefix>.data-SSSSS-of-NNNNN.
//
//   StatusOr<BundleReader> reader = BundleReader::Open("ckpt/model-1");
//   for (std::string_view key : reader->keys()) ...                     // in byte order
//   StatusOr<Tensor> kernel = reader->Read("dense/kernel");             // points into the file's mapping
//   StatusOr<Tensor> rows = reader->ReadRows("embedding", 1000, 10);    // ten rows
//   const ReadRequest wanted[] = {                                      // one pass, in file order
//       {.key = "dense/kernel", .destination = std::as_writable_bytes(std::span(my_kernel))},
//       {.key = "dense/bias", .tensor = &bias}};
//   Status status = reader->ReadMany(wanted);
//
// A bundle knows keys, not objects. The byte layout is in checkpoint/bundle/FORMAT.md. Files of either byte
// order are read; values are always in host order. Sub-byte types (int4, ...) have one byte per element, of
// which only the low bits count. A bool is the byte 0 or 1: no C++ bool may hold another, so reading or verifying
// one is DataLoss, in every mode (TensorFlow hands it on).
//
// Cost: Open reads the index file once (memory in proportion to it) and no tensor bytes; a shard is opened
// when a tensor in it is first read. A read costs the bytes of the stored entries it touches.
// Thread-safety: immutable after Open; all const methods may run concurrently. Copies share opened files.
// Lifetime: tensors stay valid after the reader is gone. Keys are views into the reader and its copies. A
// moved-from reader may only be assigned to or destroyed.
//
// Errors, all functions: NotFound (no index, shard, or key: names the nearest), DataLoss (bytes that cannot
// be what they claim, checksums included), Unimplemented (a header version, dtype or compression that is not
// read, variants of the other byte order), InvalidArgument (a request that does not fit; the header's key
// ""; an option out of range; null from a FileSystem), OutOfRange (a slice that leaves its tensor), ResourceExhausted (a limit of BundleLimits; memory),
// Cancelled, DeadlineExceeded, and those of base/file_system.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/control.h"
#include "savedmodel/base/dtype.h"
#include "savedmodel/base/error_context.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/base/tensor_slice.h"

namespace savedmodel {

namespace internal {
class Bundle;
}  // namespace internal

// What an index file may cost before it is refused with ResourceExhausted.
struct BundleLimits {
  uint64_t max_index_bytes = uint64_t{1} << 30;  // of the file, and of its blocks once decompressed
  uint64_t max_entries = uint64_t{1} << 24;      // slices of partitioned tensors count one each
};

struct BundleOptions {
  BundleLimits limits = {};
  // For Open by path; null: the operating system's files.
  std::shared_ptr<const FileSystem> file_system = {};
};

// Where bytes of a tensor lie.
struct StoredBytes {
  int32_t shard = 0;
  uint64_t offset = 0;  // in the shard
  uint64_t size = 0;
  uint32_t masked_crc32c = 0;  // as stored
  bool operator==(const StoredBytes&) const = default;
};

// One part of a partitioned tensor.
struct StoredSlice {
  TensorSlice slice = {};
  StoredBytes bytes = {};
  Status status = {};  // not OK: why this part cannot be read (its entry is missing or does not fit)
};

// What the index says about one tensor. The shape is the whole tensor's, also when it is stored in parts.
struct TensorInfo {
  std::string key = {};
  DType dtype = DType::kInvalid;
  Shape shape = {};
  StoredBytes bytes = {};                // of a tensor stored whole; all zero when it is stored in parts
  std::vector<StoredSlice> slices = {};  // the parts, as the index lists them; else empty
  bool partitioned() const { return !slices.empty(); }
  uint64_t stored_bytes() const;  // of all parts
};

enum class ReadMode {
  // Tensors point into a mapping of their shard where that is possible: whole tensors and row ranges of more than a few
  // pages, in host order, aligned for their dtype. The rest is copied. The mapping does not survive another process that
  // truncates or rewrites the shard in place (access then faults): copy where that can happen.
  kMapped,
  kCopied,
};

// Which checksums a read compares. A stored checksum covers a whole entry: a part has none of its own.
enum class Verify {
  kAlways,  // of every entry touched, also when only some rows are wanted: the rest is read for its checksum
  kWholeReads,  // of entries that are read whole; parts of an entry are read unverified and alone
  kNever,
};

struct ReadOptions {
  ReadMode mode = ReadMode::kMapped;
  Verify verify = Verify::kAlways;
  // Of all tensors that one call returns (of Restore: of all values, wherever they go); more is ResourceExhausted
  // before any is read. A file can name the same bytes any number of times: set it where files are not trusted
  // and memory is short.
  uint64_t max_tensor_bytes = std::numeric_limits<uint64_t>::max();
  Control control = {};
};

// One value wanted from a bundle, and where it goes.
struct ReadRequest {
  std::string_view key = {};
  // Nothing: the whole tensor.
  std::optional<TensorSlice> slice = {};
  // Receives the value; left as it was on any error. Null: the value goes to `destination`.
  Tensor* tensor = nullptr;
  // Used when `tensor` is null: as many bytes as the value has, in host order, row-major, any alignment. For
  // fixed-size dtypes only. Two requests of one call whose destinations or tensors share a byte are
  // InvalidArgument.
  std::span<std::byte> destination = {};
  // What the caller counts on: another dtype, or another shape of the value, is InvalidArgument.
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
};

// What became of each request of a ReadMany, and what the call cost.
struct ReadReport {
  enum class Outcome : uint8_t {
    kUntouched,  // destination as it was
    kPartial,    // destination overwritten in part, or by bytes that are not known to be sound
    kComplete,   // destination holds the value
  };
  std::vector<Outcome> outcomes = {};  // by request
  uint64_t bytes_read = 0;             // of shards
};

// One line of BundleReader::Verify.
struct VerifyResult {
  std::string key = {};
  Status status = {};
  uint64_t bytes = 0;  // stored size, 0 where the entry itself is bad
};

class BundleReader {
 public:
  // `prefix` is a path without ".index", taken literally. Another kind of file handed over in its place (the
  // index or a shard itself, a `checkpoint` state file, a directory, an archive) is named in the error with
  // the prefix to pass.
  // Errors: NotFound, DataLoss (broken table or header), Unimplemented (header version, first format (V1)),
  // ResourceExhausted.
  static StatusOr<BundleReader> Open(std::string_view prefix, const BundleOptions& options = {});
  // `prefix` relative to `directory`: "variables/variables". All files are opened through `directory`.
  static StatusOr<BundleReader> Open(std::shared_ptr<const Directory> directory, std::string_view prefix,
                                     const BundleOptions& options = {});

  // The path of the index file, for messages.
  const std::string& index_name() const;
  int num_shards() const;
  // The path of shard `i`, whether or not it exists.
  std::string ShardName(int i) const;
  // The size of shard `i`, which is opened for it. Errors: NotFound, OutOfRange (i), as base/file_system.h.
  StatusOr<uint64_t> ShardSize(int i) const;
  bool big_endian() const;

  // Keys of all tensors in byte order. A partitioned tensor appears once; the keys of its parts do not.
  std::span<const std::string_view> keys() const&;
  std::span<const std::string_view> keys() const&& = delete;
  bool Contains(std::string_view key) const;
  // What the index says of `key`; no shard is opened. A bad entry does not keep others from being read.
  // Errors: NotFound with near misses; DataLoss, Unimplemented (dtype); InvalidArgument ("").
  StatusOr<TensorInfo> Find(std::string_view key) const;

  // The whole tensor. An element of a variant is its serialised VariantTensorDataProto.
  StatusOr<Tensor> Read(std::string_view key, const ReadOptions& options = {}) const;
  // A part of any tensor of any dtype, stored whole or in parts.
  // Errors: OutOfRange (leaves the shape), InvalidArgument (other rank), DataLoss (stored parts leave a gap).
  StatusOr<Tensor> ReadSlice(std::string_view key, const TensorSlice& slice,
                             const ReadOptions& options = {}) const;
  // Rows [begin, begin + count) of dimension 0; [d0, d1, ...] gives [count, d1, ...].
  StatusOr<Tensor> ReadRows(std::string_view key, int64_t begin, int64_t count,
                            const ReadOptions& options = {}) const;

  // Reads all requests in one pass: sorted by place in the files, small neighbours together, large ones
  // split, spread over the threads of options.control.
  // Everything that can be known without reading tensor bytes (options, keys, dtypes, shapes, slices, sizes of
  // shards, sizes and overlap of destinations) is checked for all requests before the first destination is touched; the error
  // counts all requests that do not fit and names the first few. After that only I/O, checksums, contents (strings,
  // bools) and cancellation can fail. A large destination is filled before its checksum is known: to change
  // nothing unless everything is sound, call VerifyMany first or read into tensors.
  // Errors: InvalidArgument also for no requests at all.
  Status ReadMany(std::span<const ReadRequest> requests, const ReadOptions& options = {},
                  ReadReport* report = nullptr) const;
  // Does all of ReadMany but delivering: every checksum of every entry that the requests touch is compared
  // (whatever options.verify says), no destination and no tensor is touched.
  Status VerifyMany(std::span<const ReadRequest> requests, const ReadOptions& options = {}) const;
  // Checks every tensor of the bundle and goes on after errors; results are in key order.
  // Errors: InvalidArgument (control), ResourceExhausted (memory), Cancelled, DeadlineExceeded.
  StatusOr<std::vector<VerifyResult>> Verify(const Control& control = {}) const;

 private:
  explicit BundleReader(std::shared_ptr<const internal::Bundle> bundle) : bundle_(std::move(bundle)) {}

  std::shared_ptr<const internal::Bundle> bundle_;
};

}  // namespace savedmodel
