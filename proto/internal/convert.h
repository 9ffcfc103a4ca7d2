// Small wire messages as values of base/.
#pragma once

#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/proto/tensor_shape.pb.h"

namespace savedmodel::internal {

// Errors: InvalidArgument (a size below -1, too many dimensions); the caller knows which file it is and says DataLoss.
StatusOr<PartialShape> PartialShapeFromProto(const proto::TensorShapeProto& shape);

}  // namespace savedmodel::internal
