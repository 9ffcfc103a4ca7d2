#include "savedmodel/base/error_context.h"

#include <utility>

#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/error_payload.h"

namespace savedmodel {

std::optional<ErrorContext> GetErrorContext(const Status& status) {
  auto payload = internal::GetErrorPayload(status);
  if (!payload) return std::nullopt;
  return std::move(payload->context);
}

std::string_view Message(const Status& status) { return internal::ToStd(status.message()); }

}  // namespace savedmodel
