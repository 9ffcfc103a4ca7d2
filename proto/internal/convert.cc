#include "savedmodel/proto/internal/convert.h"

#include <cstdint>
#include <vector>

namespace savedmodel::internal {

StatusOr<PartialShape> PartialShapeFromProto(const proto::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return PartialShape();
  std::vector<int64_t> dims;
  dims.reserve(static_cast<size_t>(shape.dim_size()));
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  return PartialShape::Make(dims);
}

}  // namespace savedmodel::internal
