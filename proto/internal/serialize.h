// Encodes messages the same way every time: sorted maps, fields by number, unknown fields kept.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// `message` as bytes. Errors: InvalidArgument (a string that is not UTF-8, naming its field),
// ResourceExhausted (2 GiB or more).
StatusOr<std::string> SerializeDeterministic(const google::protobuf::Message& message);
// The same for a message whose strings are known to be UTF-8, as after a parse. Errors: ResourceExhausted.
StatusOr<std::string> SerializeParsed(const google::protobuf::Message& message);

// The field ("NodeDef.name") of the first string in `message` that is not UTF-8; nothing when all are.
// Libprotobuf would print about it on encoding. Cost: O(message).
std::optional<std::string> FindInvalidUtf8(const google::protobuf::Message& message);

}  // namespace savedmodel::internal
