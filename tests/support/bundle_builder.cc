#include "savedmodel/tests/support/bundle_builder.h"

#include <snappy.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "savedmodel/base/internal/crc32c.h"

namespace savedmodel::testing {
namespace {

constexpr std::string_view kMagic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
constexpr int64_t kStringType = 7;
constexpr int64_t kVariantType = 21;

uint32_t Crc(uint32_t crc, std::string_view bytes) {
  return internal::ExtendCrc32c(crc, std::as_bytes(std::span(bytes)));
}

std::string VarintField(int number, int64_t value) {
  return EncodeVarint(static_cast<uint64_t>(number) << 3) + EncodeVarint(static_cast<uint64_t>(value));
}
std::string NonZero(int number, int64_t value) { return value == 0 ? "" : VarintField(number, value); }
std::string MessageField(int number, const std::string& value) {
  return EncodeVarint(static_cast<uint64_t>(number) << 3 | 2) + EncodeVarint(value.size()) + value;
}

std::string EncodeShape(const EntryFields& fields) {
  std::string out;
  for (int64_t dim : fields.shape) out += MessageField(2, NonZero(1, dim));
  return out + NonZero(3, fields.unknown_rank ? 1 : 0);
}

std::string EncodeSlice(const SliceFields& slice) {
  std::string out;
  for (const ExtentFields& extent : slice) {
    out += MessageField(
        1, NonZero(1, extent.start) + (extent.length == -1 ? "" : VarintField(2, extent.length)));
  }
  return out;
}

size_t SharedPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// Enough for an index key: a data block's last key itself is not before any of its keys.
std::string IndexKey(const Records& block) { return block.back().first; }

void AppendSigned(int64_t value, std::string* out) {
  int size = 1;
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  while (size < 10 && magnitude >> (7 * size - 1) != 0) ++size;
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<char>(value >> std::min(8 * i, 63)));
  const unsigned head = (0xffffu << (16 - size)) & 0xffffu;
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) ^ (head >> 8));
  if (size > 1) bytes[1] = static_cast<char>(static_cast<unsigned char>(bytes[1]) ^ (head & 0xff));
  *out += bytes;
}

}  // namespace

std::string EncodeVarint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string EncodeBlock(const Records& records, int restart_interval) {
  std::string out;
  std::string restarts;
  uint32_t count = 0;
  std::string_view previous;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto& [key, value] = records[i];
    size_t shared = 0;
    if (i % static_cast<size_t>(restart_interval) == 0) {
      restarts += BytesOf({static_cast<uint32_t>(out.size())});
      ++count;
    } else {
      shared = SharedPrefix(key, previous);
    }
    out += EncodeVarint(shared) + EncodeVarint(key.size() - shared) + EncodeVarint(value.size());
    out += key.substr(shared) + value;
    previous = key;
  }
  if (count == 0) restarts = BytesOf({uint32_t{0}}), count = 1;
  return out + restarts + BytesOf({count});
}

std::string WithTrailer(std::string contents, char type) {
  contents.push_back(type);
  return contents + BytesOf({internal::MaskCrc(Crc(0, contents))});
}

std::string EncodeHandle(uint64_t offset, uint64_t size) { return EncodeVarint(offset) + EncodeVarint(size); }

std::string EncodeFooter(std::string metaindex_handle, std::string index_handle) {
  std::string out = metaindex_handle + index_handle;
  out.resize(40);
  return out.append(kMagic);
}

std::string SnappyCompress(std::string_view bytes) {
  std::string out;
  snappy::Compress(bytes.data(), bytes.size(), &out);
  return out;
}

void RawTable::AddBlock(std::string contents, std::string index_key, char type) {
  std::string handle = EncodeHandle(bytes_.size(), contents.size());
  AddBlock(std::move(contents), std::move(index_key), std::move(handle), type);
}

void RawTable::AddBlock(std::string contents, std::string index_key, std::string handle, char type) {
  index_.emplace_back(std::move(index_key), std::move(handle));
  bytes_ += WithTrailer(std::move(contents), type);
}

std::string RawTable::Finish(std::optional<std::string> metaindex_handle,
                             std::optional<std::string> index_handle) const {
  std::string out = bytes_;
  const std::string metaindex = EncodeBlock({});
  const std::string index = EncodeBlock(index_, 1);
  const std::string true_metaindex = EncodeHandle(out.size(), metaindex.size());
  out += WithTrailer(metaindex);
  const std::string true_index = EncodeHandle(out.size(), index.size());
  out += WithTrailer(index);
  return out + EncodeFooter(metaindex_handle.value_or(true_metaindex), index_handle.value_or(true_index));
}

std::string EncodeTable(const Records& records, const TableOptions& options) {
  RawTable table;
  Records block;
  size_t size = 0;
  const auto flush = [&] {
    if (block.empty()) return;
    const std::string contents = EncodeBlock(block, options.restart_interval);
    table.AddBlock(options.snappy ? SnappyCompress(contents) : contents, IndexKey(block),
                   options.snappy ? 1 : 0);
    block.clear();
    size = 0;
  };
  for (const auto& record : records) {
    block.push_back(record);
    size += record.first.size() + record.second.size() + 3;
    if (size >= options.block_size) flush();
  }
  flush();
  return table.Finish();
}

std::string EncodeHeader(const HeaderFields& fields) {
  std::string version = NonZero(1, fields.producer) + NonZero(2, fields.min_consumer);
  for (int64_t bad : fields.bad_consumers) version += VarintField(3, bad);
  return NonZero(1, fields.num_shards) + NonZero(2, fields.endianness) +
         (fields.has_version ? MessageField(3, version) : "");
}

std::string EncodeEntry(const EntryFields& fields) {
  std::string out = NonZero(1, fields.dtype) + MessageField(2, EncodeShape(fields)) +
                    NonZero(3, fields.shard) + NonZero(4, fields.offset) + NonZero(5, fields.size);
  if (fields.crc32c != 0) out += '\x35' + BytesOf({fields.crc32c});
  for (const SliceFields& slice : fields.slices) out += MessageField(7, EncodeSlice(slice));
  return out;
}

std::string EncodePartKey(std::string_view tensor, const SliceFields& slice) {
  std::string out(1, '\0');
  for (char c : tensor) {
    out += c;
    if (c == '\0' || c == '\xff') out += static_cast<char>(~c);
  }
  out += std::string("\0\1", 2);
  out += static_cast<char>(slice.empty() ? 0 : 1);
  if (!slice.empty()) out += static_cast<char>(slice.size());
  for (const ExtentFields& extent : slice) {
    AppendSigned(extent.start, &out);
    AppendSigned(extent.length, &out);
  }
  return out;
}

Payload EncodePlain(std::string bytes) {
  const uint32_t crc = internal::MaskCrc(Crc(0, bytes));
  return {std::move(bytes), crc};
}

Payload EncodeStrings(const std::vector<std::string>& strings, bool big_endian) {
  std::string out;
  std::string body;
  uint32_t crc = 0;
  for (const std::string& s : strings) {
    out += EncodeVarint(s.size());
    crc = Crc(crc, BytesOf({static_cast<uint32_t>(s.size())}, big_endian));
    body += s;
  }
  const std::string checksum = BytesOf({internal::MaskCrc(crc)}, big_endian);
  crc = Crc(Crc(crc, checksum), body);
  return {out + checksum + body, internal::MaskCrc(crc)};
}

Payload EncodeVariants(const std::vector<std::string>& messages, bool big_endian) {
  std::string out;
  uint32_t crc = 0;
  for (const std::string& message : messages) {
    crc = Crc(Crc(crc, BytesOf({uint64_t{message.size()}}, big_endian)), message);
    const std::string checksum = BytesOf({internal::MaskCrc(crc)}, big_endian);
    crc = Crc(crc, checksum);
    out += EncodeVarint(message.size()) + message + checksum;
  }
  return {out, internal::MaskCrc(crc)};
}

BundleBuilder::BundleBuilder(int num_shards, bool big_endian) : shards(static_cast<size_t>(num_shards)) {
  header.num_shards = num_shards;
  header.endianness = big_endian ? 1 : 0;
}

EntryFields& BundleBuilder::Add(const TensorFields& tensor) {
  return AddPayload(tensor.key, tensor.dtype, tensor.shape, EncodePlain(tensor.payload), tensor.shard);
}

EntryFields& BundleBuilder::AddStrings(std::string key, std::vector<int64_t> shape,
                                       const std::vector<std::string>& strings, int shard) {
  return AddPayload(std::move(key), kStringType, std::move(shape), EncodeStrings(strings, big_endian()),
                    shard);
}

EntryFields& BundleBuilder::AddVariants(std::string key, std::vector<int64_t> shape,
                                        const std::vector<std::string>& messages, int shard) {
  return AddPayload(std::move(key), kVariantType, std::move(shape), EncodeVariants(messages, big_endian()),
                    shard);
}

EntryFields& BundleBuilder::AddPayload(std::string key, int64_t dtype, std::vector<int64_t> shape,
                                       const Payload& payload, int shard) {
  std::string& data = shards[static_cast<size_t>(shard)];
  data.resize((data.size() + alignment - 1) / alignment * alignment);
  EntryFields entry{.dtype = dtype, .shape = std::move(shape), .shard = shard};
  entry.offset = static_cast<int64_t>(data.size());
  entry.size = static_cast<int64_t>(payload.bytes.size());
  entry.crc32c = payload.crc32c;
  data += payload.bytes;
  return entries[std::move(key)] = std::move(entry);
}

EntryFields& BundleBuilder::AddDirectory(std::string key, int64_t dtype, std::vector<int64_t> shape) {
  return entries[std::move(key)] = {.dtype = dtype, .shape = std::move(shape)};
}

EntryFields& BundleBuilder::AddPart(const std::string& key, const SliceFields& slice, const Payload& payload,
                                    int shard) {
  EntryFields& directory = entries[key];
  directory.slices.push_back(slice);
  std::vector<int64_t> shape = directory.shape;
  for (size_t i = 0; i < slice.size() && i < shape.size(); ++i) {
    if (slice[i].length != -1) shape[i] = slice[i].length;
  }
  return AddPayload(EncodePartKey(key, slice), directory.dtype, std::move(shape), payload, shard);
}

FileMap BundleBuilder::Files(std::string_view prefix) const {
  FileMap files;
  Records records = extra_records;
  records.emplace_back("", EncodeHeader(header));
  for (const auto& [key, fields] : entries) records.emplace_back(key, EncodeEntry(fields));
  std::sort(records.begin(), records.end());
  files[std::string(prefix) + ".index"] = index.value_or(EncodeTable(records, table));
  for (size_t i = 0; i < shards.size(); ++i) {
    char suffix[40];
    std::snprintf(suffix, sizeof(suffix), ".data-%05zu-of-%05zu", i, shards.size());
    files[std::string(prefix) + suffix] = shards[i];
  }
  return files;
}

void BundleBuilder::WriteTo(MemoryFileSystem& files, std::string_view prefix) const {
  WriteFiles(Files(prefix), files);
}

void WriteFiles(const FileMap& files, MemoryFileSystem& to, std::string_view directory) {
  for (const auto& [name, content] : files) to.Add(JoinPath(directory, name), Buffer::FromString(content));
}

}  // namespace savedmodel::testing
