// Protobuf's text format, as saved_model.pbtxt and a directory's checkpoint file are written: bounded and
// quiet.
//
// `Any` values are read under TensorFlow's names ("[type.googleapis.com/tensorflow.AssetFileDef] { ... }")
// and keep their type_url. Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "google/protobuf/message.h"
#include "savedmodel/base/status.h"
#include "savedmodel/proto/internal/parse.h"

namespace savedmodel::internal {

// Replaces the content of `message`, which is empty after an error. Of the limits, memory is not looked at: a
// message takes a small multiple of its text. Errors, with line and column: DataLoss (not UTF-8, syntax, an
// unknown field or enum value, a string that is not UTF-8 once unescaped), ResourceExhausted (size or depth).
Status ParseText(std::string_view text, google::protobuf::Message* message, const ParseSource& source,
                 const ParseLimits& limits = {});

// `message` as text that ParseText reads; `Any` values of known types are spelled out.
std::string PrintText(const google::protobuf::Message& message);

}  // namespace savedmodel::internal
