#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {

std::string Count(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string DTypeText(DType dtype) {
  const std::string_view name = DTypeName(dtype);
  const bool has_name = dtype == DType::kInvalid || name != DTypeName(DType::kInvalid);
  return has_name ? std::string(name) : "dtype " + std::to_string(static_cast<int32_t>(dtype));
}

std::string SpecText(const TensorSpec& spec) {
  return DTypeText(spec.dtype) + (spec.shape.unknown_rank() ? " " : "") + spec.shape.ToString();
}

}  // namespace savedmodel::tools
