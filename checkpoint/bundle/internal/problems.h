// Several errors of one call as one error.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

class Problems {
 public:
  void Add(Status status) {
    if (status.ok()) return;
    if (count_++ < kMaxNamed) named_.push_back(std::move(status));
  }

  // OK without problems; else the first, with the next few and the number of all in its message.
  Status ToStatus() const {
    if (named_.empty()) return OkStatus();
    if (count_ == 1) return named_.front();
    std::string more = std::to_string(count_ - 1) + " more:";
    for (size_t i = 1; i < named_.size(); ++i)
      more += (i == 1 ? " " : "; ") + std::string(Message(named_[i]));
    if (count_ > kMaxNamed) more += "; ...";
    return WithHint(named_.front(), std::move(more));
  }

 private:
  static constexpr size_t kMaxNamed = 6;

  std::vector<Status> named_;
  size_t count_ = 0;
};

}  // namespace savedmodel::internal
