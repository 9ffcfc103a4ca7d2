#include "savedmodel/tools/output.h"

#include <unistd.h>

#include <cerrno>

#include "savedmodel/base/internal/errno_error.h"

namespace savedmodel::tools {

void Output::Flush() {
  std::string_view rest = buffer_;
  begun_ = begun_ || !rest.empty();
  while (!rest.empty() && wanted()) {
    const ssize_t done = write(fd_, rest.data(), rest.size());
    if (done >= 0) {
      rest.remove_prefix(static_cast<size_t>(done));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      status_ = internal::ErrnoError(errno, "write", name_);
    }
  }
  buffer_.clear();
}

bool Output::Discard() {
  if (!begun_) buffer_.clear();
  return !begun_;
}

Status Output::Finish() {
  Flush();
  return status_;
}

bool Output::is_terminal() const { return isatty(fd_) == 1; }

}  // namespace savedmodel::tools
