// Silences and counts what libprotobuf logs, for tests that feed it broken bytes to compare with.
#pragma once

#include "google/protobuf/stubs/logging.h"

namespace savedmodel::testing {

class QuietProtobuf {
 public:
  QuietProtobuf() : previous_(google::protobuf::SetLogHandler(&Count)) { lines() = 0; }
  ~QuietProtobuf() { google::protobuf::SetLogHandler(previous_); }
  QuietProtobuf(const QuietProtobuf&) = delete;
  QuietProtobuf& operator=(const QuietProtobuf&) = delete;

  static int& lines() {
    static int count = 0;
    return count;
  }

 private:
  static void Count(google::protobuf::LogLevel, const char*, int, const std::string&) { ++lines(); }
  google::protobuf::LogHandler* previous_;
};

}  // namespace savedmodel::testing
