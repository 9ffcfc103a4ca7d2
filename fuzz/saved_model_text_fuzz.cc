// Text format: no crash, nothing logged, and an index that says what a parse says.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

#include "savedmodel/proto/internal/text_format.h"
#include "savedmodel/tests/proto/support/compare_index.h"
#include "savedmodel/tests/proto/support/quiet_protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  savedmodel::testing::QuietProtobuf quiet;
  savedmodel::proto::SavedModel model;
  const savedmodel::Status status = savedmodel::internal::ParseText(text, &model, {});
  const auto index = savedmodel::WireIndex::BuildFromText(text, "model");
  std::string contradiction;
  if (index.ok()) contradiction = savedmodel::testing::CompareIndex(*index, model);
  if (index.ok() && !status.ok()) contradiction = "indexed and not parsed";
  if (savedmodel::testing::QuietProtobuf::lines() != 0) contradiction = "logged";
  if (contradiction.empty()) return 0;
  std::cerr << contradiction << "\n";
  __builtin_trap();
}
