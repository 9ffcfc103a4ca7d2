// Buffered text to a file descriptor. What goes wrong is kept and told at the end, so that callers just
// write.
//
// A reader that has gone (`savedmodel ls m | head -1`) is no error: what follows is dropped. The program
// ignores SIGPIPE for that. Thread-safety: none.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel::tools {

class Output {
 public:
  explicit Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { Flush(); }

  Output& operator<<(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kFlushBytes) Flush();
    return *this;
  }
  Output& operator<<(char c) { return *this << std::string_view(&c, 1); }

  void Flush();
  // Drops what was written, as long as none of it is out; else keeps it and gives false.
  bool Discard();
  // False once nothing that is written can arrive any more: long work for the output alone may stop.
  bool wanted() const { return !closed_ && status_.ok(); }
  // Writes what is left. Errors: those of the system (ResourceExhausted for a full disk); a reader that has
  // gone is none.
  Status Finish();
  bool is_terminal() const;

 private:
  static constexpr size_t kFlushBytes = size_t{64} << 10;

  int fd_;
  std::string name_;
  std::string buffer_;
  bool closed_ = false;
  bool begun_ = false;  // something was handed to the system
  Status status_;
};

}  // namespace savedmodel::tools
