// Faults of one kind, gathered so that one error names all of them, up to a few.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

class Faults {
 public:
  static constexpr size_t kMaxNamed = 10;  // offenders named in one message

  Faults(StatusCode code, std::string what) : code_(code), what_(std::move(what)) {}
  // `line` names the offender; the first one's context is the error's.
  void Add(const std::string& line, ErrorContext context);
  size_t count() const { return count_; }
  // OK when there are none.
  Status ToStatus() const;

 private:
  StatusCode code_;
  std::string what_;
  std::string lines_;
  size_t count_ = 0;
  ErrorContext first_;
};

}  // namespace savedmodel::internal
