// Index tables: whatever is read is in order and found again.
//
// An input whose first byte is even is a file. An odd one is a list of blocks (type, 16-bit size, bytes), to
// which the right checksums and handles are put, so that what lies behind them is reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "savedmodel/checkpoint/bundle/internal/table_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"

namespace {

namespace sm = savedmodel;

std::string BuildTable(std::string_view blocks) {
  sm::testing::RawTable table;
  for (char key = 'a'; blocks.size() >= 3 && key <= 'z'; ++key) {
    const char type = static_cast<char>(blocks[0] & 1);
    const size_t size = static_cast<uint8_t>(blocks[1]) | static_cast<size_t>(static_cast<uint8_t>(blocks[2]))
                                                              << 8;
    table.AddBlock(std::string(blocks.substr(3, size)), std::string(1, key), type);
    blocks.remove_prefix(std::min(blocks.size(), size + 3));
  }
  return table.Finish();
}

void Check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << "\n";
  __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = (data[0] & 1) != 0 ? BuildTable(bytes) : std::string(bytes);
  const auto table = sm::internal::ReadTable(sm::Buffer::FromString(file), "m.index", {1 << 22, 1 << 16});
  if (!table.ok()) {
    Check(!absl::IsInternal(table.status()), "a file cannot show a fault of our own");
    return 0;
  }
  const auto& entries = table->entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    Check(i == 0 || entries[i - 1].key < entries[i].key, "keys ascend");
    Check(table->Find(entries[i].key) == &entries[i], "each key is found");
  }
  return 0;
}
