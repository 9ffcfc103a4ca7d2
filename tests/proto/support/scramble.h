// Other encodings: the same fields out of order, in pieces, with longer numbers, with fields nobody knows in
// between.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace savedmodel::testing {

// What libprotobuf makes of the result is well-defined but, since fields change their order, need not be what
// it makes of the original.
class Scrambler {
 public:
  explicit Scrambler(uint32_t seed) : random_(seed) {}

  // `bytes` must be an encoding of `type`.
  std::string Scramble(std::string_view bytes, const google::protobuf::Descriptor* type);

 private:
  std::vector<std::string> Fields(std::string_view bytes, const google::protobuf::Descriptor* type);
  void AddMessage(uint32_t number, std::string_view payload, const google::protobuf::FieldDescriptor& field,
                  std::vector<std::string>* fields);
  std::string Varint(uint64_t value, int max_bytes);
  std::string Tag(uint32_t number, int wire_type);
  std::string LengthDelimited(uint32_t number, std::string_view payload);
  std::string Unknown(uint32_t number, int depth);
  bool OneIn(uint32_t n) { return random_() % n == 0; }

  std::mt19937 random_;
};

}  // namespace savedmodel::testing
