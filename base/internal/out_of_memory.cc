#include "savedmodel/base/internal/out_of_memory.h"

#include "savedmodel/base/internal/error.h"

namespace savedmodel::internal {

Status OutOfMemory() noexcept {
  try {
    return Error(StatusCode::kResourceExhausted, "out of memory");
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kResourceExhausted, "");  // held in the status itself
  }
}

}  // namespace savedmodel::internal
