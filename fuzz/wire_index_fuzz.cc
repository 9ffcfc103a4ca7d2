// The wire index against a full parse of the same bytes (tests/proto/support/compare_index.h says what must
// agree).
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

#include "savedmodel/tests/proto/support/compare_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string contradiction = savedmodel::testing::CheckAgreement(bytes);
  if (contradiction.empty()) return 0;
  std::cerr << contradiction << "\n";
  __builtin_trap();
}
