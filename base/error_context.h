// The facts of an error as data: which file, offset, key and object, and what was expected and found.
//
//   StatusOr<Tensor> t = reader.Read("w");
//   if (!t.ok()) {
//     std::string_view text = Message(t.status());                    // one line for people
//     if (auto where = GetErrorContext(t.status())) Log(where->file, where->offset);
//   }
//
// Thread-safety: pure functions.  Lifetime: Message() borrows from the status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel {

// Every member is empty where it does not apply. Bytes that are not UTF-8 stay as they are.
struct ErrorContext {
  std::string file = {};                // path of the file, as the caller named it
  std::optional<uint64_t> offset = {};  // byte offset in that file
  std::string key = {};                 // checkpoint key
  std::string path = {};                // object path, spelled root.a.b
  std::string expected = {};            // what was asked for
  std::string found = {};               // what was there

  bool operator==(const ErrorContext&) const = default;
};

// The context that the SDK attached to `status`; nothing for OK and for statuses made elsewhere.
std::optional<ErrorContext> GetErrorContext(const Status& status);

// The message of `status` as a standard view; valid as long as `status`.
std::string_view Message(const Status& status);

}  // namespace savedmodel
