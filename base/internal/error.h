// Builds the SDK's errors: one message shape and the same facts as a typed payload.
//
//   return Error(StatusCode::kDataLoss, "block checksum does not match")
//       .File(name).Offset(handle.offset).Expected(Hex(stored)).Found(Hex(computed));
//
// The message reads: what, in FILE at byte OFFSET, key "KEY", object PATH: expected E, found F.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

class Error {
 public:
  Error(StatusCode code, std::string what) : code_(code), what_(std::move(what)) {}

  Error& File(std::string_view file) { return context_.file = file, *this; }
  Error& Offset(uint64_t offset) { return context_.offset = offset, *this; }
  Error& Key(std::string_view key) { return context_.key = key, *this; }
  Error& Path(std::string_view path) { return context_.path = path, *this; }
  Error& Expected(std::string expected) { return context_.expected = std::move(expected), *this; }
  Error& Found(std::string found) { return context_.found = std::move(found), *this; }
  // Says that a path leads to something of the wrong kind, so that the fault is the path's and not the call's
  // (IsWrongKindOfFile).
  Error& WrongKindOfFile() { return wrong_kind_of_file_ = true, *this; }
  // Advice for the reader of the message, after the facts ("did you mean ...", "pass the prefix ...").
  Error& Hint(std::string hint) { return hint_ = std::move(hint), *this; }

  Status ToStatus() const;
  operator Status() const { return ToStatus(); }  // NOLINT: errors are returned as they are built
  template <class T>
  operator StatusOr<T>() const {
    return ToStatus();
  }  // NOLINT

 private:
  StatusCode code_;
  std::string what_;
  std::string hint_;
  ErrorContext context_;
  bool wrong_kind_of_file_ = false;
};

// True for InvalidArgument that stands for a path: a directory, FIFO, socket or device where a file was meant, a file
// where a directory was, too many links. Elsewhere InvalidArgument says that the call is wrong.
bool IsWrongKindOfFile(const Status& status);

// `status` with every empty member of its context filled from `more`; message and payload agree afterwards.
Status WithContext(const Status& status, const ErrorContext& more);
// `status` with advice added behind what it has.
Status WithHint(const Status& status, std::string hint);

}  // namespace savedmodel::internal
