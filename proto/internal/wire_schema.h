// What the pre-check of a parse needs to know about each message of the schema, as flat tables.
//
// Made once from the generated descriptors and constant from then on: no state that a file or a caller could
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace savedmodel::internal {

// How a length-delimited field is looked into; every other field of that wire type is opaque.
enum class FieldKind : uint8_t { kOpaque, kString, kMessage, kPackedVarint, kPackedFixed32, kPackedFixed64 };

struct MessageRule;

struct FieldRule {
  FieldKind kind = FieldKind::kOpaque;
  const MessageRule* message = nullptr;  // of kMessage
};

struct MessageRule {
  const google::protobuf::Descriptor* descriptor = nullptr;
  size_t memory = 0;              // bytes an empty message of this type takes
  std::vector<FieldRule> fields;  // by number

  FieldRule field(uint32_t number) const { return number < fields.size() ? fields[number] : FieldRule{}; }
};

// The rule of a message of the SDK's own schema, google.protobuf.Any and the wrappers; null for any other.
const MessageRule* FindMessageRule(const google::protobuf::Descriptor* descriptor);

// Every file of the schema, those it imports included.
std::vector<const google::protobuf::FileDescriptor*> SchemaFiles();

}  // namespace savedmodel::internal
