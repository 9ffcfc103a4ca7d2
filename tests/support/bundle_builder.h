// Writes tensor bundles for tests, sound ones and broken ones, in either byte order.
//
//   BundleBuilder bundle;
//   bundle.Add({.key = "w", .dtype = 1, .shape = {2, 3}, .payload = BytesOf<float>({0, 1, 2, 3, 4, 5})});
//   bundle.Entry("w").offset = -1;                        // any field may be any number
//   bundle.WriteTo(*memory_file_system, "m/ckpt");
//
// Knows only FORMAT.md: shares no code with the reader but the checksum, and writes messages by hand so that
// they may say anything.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "savedmodel/base/memory_file_system.h"

namespace savedmodel::testing {

// ---- The index table ----

using Records = std::vector<std::pair<std::string, std::string>>;

struct TableOptions {
  size_t block_size = 262144;
  int restart_interval = 16;
  bool snappy = false;
};

// A block of `records` in the order given.
std::string EncodeBlock(const Records& records, int restart_interval = 16);
// `contents` with a block's type byte and checksum; `type` may be any.
std::string WithTrailer(std::string contents, char type = 0);
std::string EncodeHandle(uint64_t offset, uint64_t size);
// The 48 bytes at the end of a table.
std::string EncodeFooter(std::string metaindex_handle, std::string index_handle);
// A table of `records` in the order given.
std::string EncodeTable(const Records& records, const TableOptions& options = {});
// Compressed as the format's other type of block.
std::string SnappyCompress(std::string_view bytes);

// A table put together from blocks as they are.
class RawTable {
 public:
  // Appends a block and its trailer, and an entry for it to the index block.
  void AddBlock(std::string contents, std::string index_key, char type = 0);
  // The same with another handle in the index block.
  void AddBlock(std::string contents, std::string index_key, std::string handle, char type = 0);
  // The file. Handles that are given stand in the footer in place of the true ones.
  std::string Finish(std::optional<std::string> metaindex_handle = {},
                     std::optional<std::string> index_handle = {}) const;

 private:
  std::string bytes_;
  Records index_;
};

// ---- Messages ----

std::string EncodeVarint(uint64_t value);

struct HeaderFields {
  int64_t num_shards = 1;
  int64_t endianness = 0;
  bool has_version = true;
  int64_t producer = 1;
  int64_t min_consumer = 0;
  std::vector<int64_t> bad_consumers = {};
};
std::string EncodeHeader(const HeaderFields& fields);

// [start, start + length) of a dimension; length -1 is left out and means all of it.
struct ExtentFields {
  int64_t start = 0;
  int64_t length = -1;
};
using SliceFields = std::vector<ExtentFields>;

struct EntryFields {
  int64_t dtype = 0;
  std::vector<int64_t> shape = {};
  bool unknown_rank = false;
  int64_t shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t crc32c = 0;  // masked
  std::vector<SliceFields> slices = {};
};
std::string EncodeEntry(const EntryFields& fields);
std::string EncodePartKey(std::string_view tensor, const SliceFields& slice);

// ---- Payloads ----

// The bytes of numbers in little-endian or big-endian order.
template <class T>
std::string BytesOf(std::initializer_list<T> values, bool big_endian = false) {
  std::string out;
  for (const T& value : values) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big))
      bytes = std::string(bytes.rbegin(), bytes.rend());
    out += bytes;
  }
  return out;
}

struct Payload {
  std::string bytes;
  uint32_t crc32c = 0;  // masked
};
Payload EncodePlain(std::string bytes);
Payload EncodeStrings(const std::vector<std::string>& strings, bool big_endian = false);
Payload EncodeVariants(const std::vector<std::string>& messages, bool big_endian = false);

// ---- Bundles ----

// Names relative to the bundle's folder, and contents.
using FileMap = std::map<std::string, std::string>;

class BundleBuilder {
 public:
  struct TensorFields {
    std::string key = {};
    int64_t dtype = 1;
    std::vector<int64_t> shape = {};
    std::string payload = {};  // as stored
    int shard = 0;
  };

  explicit BundleBuilder(int num_shards = 1, bool big_endian = false);

  bool big_endian() const { return header.endianness == 1; }
  // Each returns the entry to change.
  EntryFields& Add(const TensorFields& tensor);
  EntryFields& AddStrings(std::string key, std::vector<int64_t> shape,
                          const std::vector<std::string>& strings, int shard = 0);
  EntryFields& AddVariants(std::string key, std::vector<int64_t> shape,
                           const std::vector<std::string>& messages, int shard = 0);
  EntryFields& AddPayload(std::string key, int64_t dtype, std::vector<int64_t> shape, const Payload& payload,
                          int shard = 0);
  // A directory entry of `key`; its parts are added by AddPart.
  EntryFields& AddDirectory(std::string key, int64_t dtype, std::vector<int64_t> shape);
  // A part of the directory `key`, listed there: `payload` has the elements of the box.
  EntryFields& AddPart(const std::string& key, const SliceFields& slice, const Payload& payload,
                       int shard = 0);

  // Entries by key; a key of a part is what EncodePartKey gives.
  EntryFields& Entry(const std::string& key) { return entries[key]; }

  // "<prefix>.index" and the shards.
  FileMap Files(std::string_view prefix) const;
  void WriteTo(MemoryFileSystem& files, std::string_view prefix) const;

  HeaderFields header;
  TableOptions table;
  size_t alignment = 1;
  std::map<std::string, EntryFields> entries;  // by key
  Records extra_records;                       // further records of the index, put in order with the others
  std::vector<std::string> shards;
  // The index in place of the one made from the entries.
  std::optional<std::string> index;
};

void WriteFiles(const FileMap& files, MemoryFileSystem& to, std::string_view directory = "");

}  // namespace savedmodel::testing
