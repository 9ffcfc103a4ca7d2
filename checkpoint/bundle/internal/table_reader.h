// Reads a whole index table into memory, once: FORMAT.md#table.
//
// Every block's checksum, every handle and every key's order is checked; a table is read whole or refused.
// Iterative; no allocation is made from a number of the file that is not bounded by the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

struct TableLimits {
  uint64_t max_bytes = 0;  // of decompressed blocks
  uint64_t max_entries = 0;
};

struct TableEntry {
  std::string_view key;
  std::string_view value;
};

// The entries of a table in ascending key order. Views point into the buffers held here.
class Table {
 public:
  const std::vector<TableEntry>& entries() const { return entries_; }
  // The entry of `key`, or null. A binary search.
  const TableEntry* Find(std::string_view key) const;

 private:
  friend class TableBuilder;

  std::vector<TableEntry> entries_;
  std::vector<Buffer> blocks_;            // decompressed or sliced from the file
  std::vector<std::string> key_storage_;  // keys that share a prefix with the key before
};

// True when the last bytes of a file are those of a table. `tail` is the end of the file.
bool HasTableMagic(std::span<const std::byte> tail);

// Reads the table that is all of `file`; `name` is for messages.
// Errors: DataLoss, Unimplemented (compression type), ResourceExhausted (limits).
StatusOr<Table> ReadTable(const Buffer& file, std::string_view name, const TableLimits& limits);

}  // namespace savedmodel::internal
