// Messages of any type with random content, the same for the same seed.
#pragma once

#include <cstdint>
#include <random>

#include "google/protobuf/message.h"

namespace savedmodel::testing {

class RandomMessages {
 public:
  explicit RandomMessages(uint32_t seed) : random_(seed) {}

  // Adds to `message` until about `budget` messages are in it. Names come from a small set, so that some
  // repeat.
  void Fill(google::protobuf::Message* message, int budget);

 private:
  void FillMessage(google::protobuf::Message* message, int depth);
  void AddValue(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
                int depth);
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  uint64_t Number();
  std::string Text(bool utf8);

  std::mt19937 random_;
  int budget_ = 0;
};

}  // namespace savedmodel::testing
