// TensorProto values: bounded memory, and what decodes comes back from an encoding.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string_view>

#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/tensor_value.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace sm = savedmodel;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sm::proto::TensorProto message, back;
  if (!sm::internal::ParseBounded(bytes, &message, {}).ok()) return 0;
  const sm::internal::TensorValueLimits limits{.max_filled_bytes = 1 << 16};
  const auto tensor = sm::internal::DecodeTensor(message, limits);
  if (!tensor.ok()) return 0;
  const sm::Status encoded = sm::internal::EncodeTensor(*tensor, &back);
  const auto again = sm::internal::DecodeTensor(std::move(back), limits);
  if (encoded.ok() && again.ok() && *again == *tensor) return 0;
  std::cerr << encoded << "\n" << again.status() << "\n";
  __builtin_trap();
}
