// The error vocabulary of every public function: absl::Status and absl::StatusOr, under our own names.
//
// Which code stands for which condition is listed in docs/errors.md; each header names the codes it can give.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace savedmodel {

using absl::Status;
using absl::StatusCode;
template <class T>
using StatusOr = absl::StatusOr<T>;

inline Status OkStatus() { return absl::OkStatus(); }

}  // namespace savedmodel
