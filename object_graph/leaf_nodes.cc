#include "savedmodel/object_graph/leaf_nodes.h"

#include "savedmodel/base/internal/error.h"

namespace savedmodel {

StatusOr<Tensor> Constant::Read() const {
  if (!source_)
    return internal::Error(StatusCode::kFailedPrecondition, "the constant has no source to read from");
  return source_();
}

}  // namespace savedmodel
