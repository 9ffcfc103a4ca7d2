// An error's facts as bytes inside a status, so that they travel with it and can be read back and added to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// Under this name the payload sits in the status.
inline constexpr std::string_view kErrorPayloadUrl = "savedmodel/error_context";

// Everything that the message of a status is made of.
struct ErrorPayload {
  std::string what;
  std::string hint;
  ErrorContext context;
};

// A format byte, then fields: a tag byte, a varint length and that many bytes; empty members are left out.
std::string EncodeErrorPayload(const ErrorPayload& payload);
// Nothing when `bytes` are not exactly what EncodeErrorPayload writes; fields with unknown tags are passed
// over.
std::optional<ErrorPayload> DecodeErrorPayload(std::string_view bytes);

// The payload of `status`; nothing for OK and for statuses made elsewhere.
std::optional<ErrorPayload> GetErrorPayload(const Status& status);

}  // namespace savedmodel::internal
