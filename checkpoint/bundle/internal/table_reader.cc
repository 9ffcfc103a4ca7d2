#include "savedmodel/checkpoint/bundle/internal/table_reader.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "savedmodel/base/internal/byte_reader.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/internal/table_block.h"
#include "savedmodel/checkpoint/bundle/internal/table_format.h"

namespace savedmodel::internal {
namespace {

Error Bad(std::string what) { return Error(StatusCode::kDataLoss, std::move(what)); }

bool ReadHandle(ByteReader& reader, BlockHandle* handle) {
  return reader.ReadVarint64(&handle->offset) && reader.ReadVarint64(&handle->size);
}

struct Footer {
  BlockHandle metaindex;
  BlockHandle index;
};

StatusOr<Footer> ReadFooter(const Buffer& file) {
  if (file.size() < kTableFooterSize) {
    return Bad("file is too short to be a table")
        .Expected("at least " + std::to_string(kTableFooterSize) + " bytes")
        .Found(std::to_string(file.size()))
        .ToStatus();
  }
  const size_t offset = file.size() - kTableFooterSize;
  const Buffer bytes = file.Slice(offset, kTableFooterSize);
  if (!HasTableMagic(bytes.bytes()))
    return Bad("file does not end as a table does").Offset(offset).ToStatus();
  ByteReader reader(bytes.bytes().first(kTableFooterSize - sizeof(kTableMagic)));
  Footer footer;
  if (!ReadHandle(reader, &footer.metaindex) || !ReadHandle(reader, &footer.index)) {
    return Bad("table footer holds no two block handles").Offset(offset).ToStatus();
  }
  return footer;
}

// Blocks that lie over one another: none is what it claims to be. Both are known to be inside the file.
bool Overlap(BlockHandle a, BlockHandle b) {
  return a.offset < b.offset + b.size + kBlockTrailerSize && b.offset < a.offset + a.size + kBlockTrailerSize;
}

// How many bytes all keys of a table may take, prefixes written out, for each byte of its blocks. TensorFlow
// writes every 16th key whole, so its tables stay under 16; a hostile one could grow with the square of its
// size.
constexpr uint64_t kMaxKeyGrowth = 32;
constexpr uint64_t kSmallKeys = 4096;

// Keys are kept in strings of this capacity, which never grow.
constexpr size_t kKeyStorageSize = 64 << 10;

}  // namespace

// Collects entries and holds them against limits, order and the index block's separators.
class TableBuilder {
 public:
  TableBuilder(const Buffer& file, const TableLimits& limits) : file_(file), limits_(limits) {}

  StatusOr<Table> Build() {
    SAVEDMODEL_ASSIGN_OR_RETURN(footer_, ReadFooter(file_));
    SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer index, LoadBlock(file_, footer_.index, limits_.max_bytes));
    SAVEDMODEL_RETURN_IF_ERROR(CheckMetaindex());
    if (Status status = ReadIndexBlock(index.view()); !status.ok()) return AtBlock(status, footer_.index);
    return std::move(table_);
  }

 private:
  // Its contents say nothing about tensors, but broken bytes are broken bytes.
  Status CheckMetaindex() {
    SAVEDMODEL_RETURN_IF_ERROR(LoadBlock(file_, footer_.metaindex, limits_.max_bytes).status());
    if (Overlap(footer_.metaindex, footer_.index)) {
      return Bad("the table's two index blocks overlap").Offset(footer_.index.offset).ToStatus();
    }
    return OkStatus();
  }

  Status ReadIndexBlock(std::string_view contents) {
    SAVEDMODEL_ASSIGN_OR_RETURN(BlockCursor cursor, BlockCursor::Open(contents));
    std::string separator;  // no key of the block before is after it, all of the next are
    bool first = true;
    for (;;) {
      SAVEDMODEL_ASSIGN_OR_RETURN(const std::optional<BlockEntry> entry, cursor.Next());
      if (!entry) return OkStatus();
      std::string next;
      SAVEDMODEL_RETURN_IF_ERROR(ExpandKey(*entry, separator, &next));
      if (!first && next <= separator) return Bad("keys of the index block are not ascending").ToStatus();
      SAVEDMODEL_ASSIGN_OR_RETURN(const BlockHandle handle, DataBlockHandle(entry->value));
      const size_t begin = table_.entries_.size();
      if (Status status = ReadDataBlock(handle); !status.ok()) return AtBlock(status, handle);
      SAVEDMODEL_RETURN_IF_ERROR(CheckSeparators(begin, first ? nullptr : &separator, next, handle));
      separator = std::move(next);
      first = false;
    }
  }

  // The handle in an index entry: all of the value, behind the data block before, over no other block.
  StatusOr<BlockHandle> DataBlockHandle(std::string_view value) {
    ByteReader reader(value);
    BlockHandle handle;
    if (!ReadHandle(reader, &handle) || !reader.AtEnd()) {
      return Bad("value in the index block is not one block handle").ToStatus();
    }
    const uint64_t end = file_.size() - kTableFooterSize;
    if (handle.offset > end || handle.size > end - handle.offset) {
      return Bad("block lies outside the file")
          .Offset(handle.offset)
          .Found(std::to_string(handle.size))
          .ToStatus();
    }
    if (handle.offset < data_end_ || Overlap(handle, footer_.index) || Overlap(handle, footer_.metaindex)) {
      return Bad("block overlaps another").Offset(handle.offset).ToStatus();
    }
    data_end_ = handle.offset + handle.size + kBlockTrailerSize;
    return handle;
  }

  Status ReadDataBlock(BlockHandle handle) {
    SAVEDMODEL_ASSIGN_OR_RETURN(Buffer contents, LoadBlock(file_, handle, limits_.max_bytes - bytes_));
    if (contents.size() > limits_.max_bytes - bytes_) return OverLimit("bytes", limits_.max_bytes);
    bytes_ += contents.size();
    SAVEDMODEL_ASSIGN_OR_RETURN(BlockCursor cursor, BlockCursor::Open(contents.view()));
    table_.blocks_.push_back(std::move(contents));
    for (std::string_view previous;;) {  // a block's first key shares nothing
      SAVEDMODEL_ASSIGN_OR_RETURN(const std::optional<BlockEntry> entry, cursor.Next());
      if (!entry) return OkStatus();
      SAVEDMODEL_RETURN_IF_ERROR(AddEntry(*entry, previous));
      previous = table_.entries_.back().key;
    }
  }

  Status AddEntry(const BlockEntry& entry, std::string_view previous) {
    if (table_.entries_.size() >= limits_.max_entries) return OverLimit("entries", limits_.max_entries);
    if (entry.shared > previous.size()) return SharedTooLong(entry, previous);
    SAVEDMODEL_ASSIGN_OR_RETURN(const std::string_view key,
                                StoreKey(previous.substr(0, entry.shared), entry.suffix));
    if (!table_.entries_.empty() && key <= table_.entries_.back().key) {
      return Bad("keys are not ascending").Key(key).ToStatus();
    }
    table_.entries_.push_back({key, entry.value});
    return OkStatus();
  }

  // A key that shares nothing stays where it is.
  StatusOr<std::string_view> StoreKey(std::string_view prefix, std::string_view suffix) {
    if (prefix.empty()) return suffix;
    const size_t size = prefix.size() + suffix.size();
    key_bytes_ += size;
    if (key_bytes_ > kSmallKeys + kMaxKeyGrowth * bytes_) {
      return Error(StatusCode::kResourceExhausted, "keys of the index repeat each other beyond reason")
          .ToStatus();
    }
    std::string& storage = KeyStorage(size);
    const size_t begin = storage.size();
    storage.append(prefix).append(suffix);
    return std::string_view(storage).substr(begin);
  }

  // A string with room for `size` more bytes.
  std::string& KeyStorage(size_t size) {
    std::vector<std::string>& all = table_.key_storage_;
    if (all.empty() || all.back().capacity() - all.back().size() < size) {
      all.emplace_back().reserve(std::max(size, kKeyStorageSize));
    }
    return all.back();
  }

  static Status SharedTooLong(const BlockEntry& entry, std::string_view previous) {
    return Bad("key shares more bytes than the key before it has")
        .Expected("at most " + std::to_string(previous.size()))
        .Found(std::to_string(entry.shared))
        .ToStatus();
  }

  static Status ExpandKey(const BlockEntry& entry, std::string_view previous, std::string* key) {
    if (entry.shared > previous.size()) return SharedTooLong(entry, previous);
    key->assign(previous.substr(0, entry.shared));
    key->append(entry.suffix);
    return OkStatus();
  }

  // Keys from `begin` on are the block's.
  Status CheckSeparators(size_t begin, const std::string* before, std::string_view after,
                         BlockHandle handle) const {
    const std::vector<TableEntry>& entries = table_.entries_;
    if (begin == entries.size()) return OkStatus();
    if ((before == nullptr || entries[begin].key > *before) && entries.back().key <= after) return OkStatus();
    return Bad("index block and data block disagree about keys").Offset(handle.offset).ToStatus();
  }

  static Status OverLimit(std::string_view what, uint64_t limit) {
    return Error(StatusCode::kResourceExhausted, "index holds more " + std::string(what) + " than the limit")
        .Expected("at most " + std::to_string(limit))
        .ToStatus();
  }

  static Status AtBlock(const Status& status, BlockHandle handle) {
    return WithContext(status, {.offset = handle.offset});
  }

  const Buffer& file_;
  const TableLimits& limits_;
  Footer footer_;
  Table table_;
  uint64_t data_end_ = 0;   // of the data blocks so far
  uint64_t bytes_ = 0;      // of their contents
  uint64_t key_bytes_ = 0;  // of keys that were written out
};

const TableEntry* Table::Find(std::string_view key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const TableEntry& entry, std::string_view k) { return entry.key < k; });
  return at != entries_.end() && at->key == key ? &*at : nullptr;
}

bool HasTableMagic(std::span<const std::byte> tail) {
  if (tail.size() < sizeof(kTableMagic)) return false;
  ByteReader reader(tail.last(sizeof(kTableMagic)));
  uint64_t magic = 0;
  return reader.ReadFixedLittleEndian(&magic) && magic == kTableMagic;
}

StatusOr<Table> ReadTable(const Buffer& file, std::string_view name, const TableLimits& limits) {
  StatusOr<Table> table = TableBuilder(file, limits).Build();
  if (!table.ok()) return WithContext(table.status(), {.file = std::string(name)});
  return table;
}

}  // namespace savedmodel::internal
