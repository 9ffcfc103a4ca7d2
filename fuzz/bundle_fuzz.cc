// Bundles: every way to read a tensor gives the same value or the same refusal.
//
// An input whose first byte is even is a 16-bit size, an index of that size and a shard. An odd one is a list
// of records (sizes of key and value in a byte each, then both) up to an empty pair, then a shard: a sound
// table is made of them, with a header when they bring none, so that what lies behind the table's checksums
// is reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"

namespace {

namespace sm = savedmodel;

struct Input {
  std::string index;
  std::string shard;
};

Input Raw(std::string_view bytes) {
  if (bytes.size() < 2) return {};
  const size_t size = static_cast<uint8_t>(bytes[0]) | static_cast<size_t>(static_cast<uint8_t>(bytes[1]))
                                                           << 8;
  bytes.remove_prefix(2);
  return {std::string(bytes.substr(0, size)), std::string(bytes.substr(std::min(size, bytes.size())))};
}

Input FromRecords(std::string_view bytes) {
  std::map<std::string, std::string> records;
  while (bytes.size() >= 2) {
    const size_t key_size = static_cast<uint8_t>(bytes[0]);
    const size_t value_size = static_cast<uint8_t>(bytes[1]);
    bytes.remove_prefix(2);
    if (key_size + value_size == 0 || key_size + value_size > bytes.size()) break;
    records[std::string(bytes.substr(0, key_size))] = bytes.substr(key_size, value_size);
    bytes.remove_prefix(key_size + value_size);
  }
  records.emplace("", sm::testing::EncodeHeader({}));
  return {sm::testing::EncodeTable({records.begin(), records.end()}, {.block_size = 100}),
          std::string(bytes)};
}

void Check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << "\n";
  __builtin_trap();
}

bool SameElements(const sm::Tensor& whole, const sm::Tensor& rows) {
  if (sm::IsFixedSize(whole.dtype())) return whole.buffer().view().starts_with(rows.buffer().view());
  for (int64_t i = 0; i < rows.num_elements(); ++i) {
    if (*whole.StringAt(i) != *rows.StringAt(i)) return false;
  }
  return true;
}

void ReadTensor(const sm::BundleReader& reader, std::string_view key, sm::Verify verify) {
  const sm::Control here{.threads = 1};
  const auto mapped = reader.Read(key, {.verify = verify, .control = here});
  const auto copied = reader.Read(key, {.mode = sm::ReadMode::kCopied, .verify = verify, .control = here});
  Check(mapped.status().code() == copied.status().code(), "mapped and copied agree on the code");
  Check(!absl::IsInternal(mapped.status()) && !absl::IsInvalidArgument(mapped.status()),
        "a file causes no such error");
  if (!mapped.ok()) return;
  Check(*mapped == *copied, "mapped and copied agree on the value");
  if (mapped->shape().rank() == 0 || mapped->shape().dim(0) == 0) return;
  const auto row = reader.ReadRows(key, 0, 1, {.verify = verify, .control = here});
  Check(row.ok() && SameElements(*mapped, *row), "the first row is the tensor's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Input input = (data[0] & 1) != 0 ? FromRecords(bytes) : Raw(bytes);
  const auto files = std::make_shared<sm::MemoryFileSystem>();
  files->Add("m.index", sm::Buffer::FromString(std::move(input.index)));
  files->Add("m.data-00000-of-00001", sm::Buffer::FromString(std::move(input.shard)));
  const auto reader = sm::BundleReader::Open("m", {.file_system = files});
  if (!reader.ok()) return 0;
  for (std::string_view key : reader->keys()) {
    const auto info = reader->Find(key);
    if (info.ok()) Check(info->key == key, "an entry knows its key");
    ReadTensor(*reader, key, sm::Verify::kAlways);
    ReadTensor(*reader, key, sm::Verify::kNever);
  }
  Check(reader->Verify({.threads = 1}).ok(), "verifying itself does not fail");
  return 0;
}
