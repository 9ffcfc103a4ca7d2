// What a test writes to an Output, as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

class Capture {
 public:
  Capture() : file_(std::tmpfile(), std::fclose), out_(fileno(file_.get()), "test") {}

  Output& out() { return out_; }
  std::string Text() {
    EXPECT_TRUE(out_.Finish().ok());
    std::string text(static_cast<size_t>(lseek(fileno(file_.get()), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fileno(file_.get()), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Output out_;
};

}  // namespace savedmodel::tools
