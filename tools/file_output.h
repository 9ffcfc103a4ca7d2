// A file that a verb writes: complete under its name, or not there at all.
//
// Written beside the target and renamed when it is complete; an older file of that name is replaced then.
// A symbolic link is followed: what it leads to is replaced, and the link stays. Devices and FIFOs are
// written into. Thread-safety: none.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

class FileOutput {
 public:
  // Errors: those of the system; InvalidArgument for a directory.
  static StatusOr<FileOutput> Create(std::string_view path);
  FileOutput(FileOutput&& other) noexcept;
  FileOutput& operator=(FileOutput&&) = delete;
  // What was not committed is gone.
  ~FileOutput();

  Output& out() { return *out_; }
  // Errors: those of the system, those of earlier writes included.
  Status Commit();

 private:
  FileOutput(std::string path, std::string temporary, int fd);

  std::string path_;
  std::string temporary_;  // empty where the target itself is written
  int fd_ = -1;
  std::unique_ptr<Output> out_;
};

}  // namespace savedmodel::tools
