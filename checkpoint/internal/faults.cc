#include "savedmodel/checkpoint/internal/faults.h"

#include "savedmodel/base/internal/error.h"

namespace savedmodel::internal {

void Faults::Add(const std::string& line, ErrorContext context) {
  if (count_ == 0) first_ = std::move(context);
  if (count_ < kMaxNamed) lines_ += (count_ == 0 ? "" : "; ") + line;
  ++count_;
}

Status Faults::ToStatus() const {
  if (count_ == 0) return OkStatus();
  // The number comes first: a long message is cut at its end.
  const std::string all = count_ > 1 ? " (" + std::to_string(count_) + " in all)" : "";
  return Error(code_, what_ + all + ": " + lines_ + (count_ > kMaxNamed ? "; ..." : ""))
      .File(first_.file)
      .Key(first_.key)
      .Path(first_.path)
      .Expected(first_.expected)
      .Found(first_.found);
}

}  // namespace savedmodel::internal
