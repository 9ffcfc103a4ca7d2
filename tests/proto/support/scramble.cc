#include "savedmodel/tests/proto/support/scramble.h"

#include <algorithm>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace savedmodel::testing {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using Wire = google::protobuf::internal::WireFormatLite;

constexpr int kTagBytes = 5;
constexpr int kSizeBytes = 5;
constexpr int kVarintBytes = 10;

std::string Join(const std::vector<std::string>& parts, size_t begin, size_t end) {
  std::string all;
  for (size_t i = begin; i < end; ++i) all += parts[i];
  return all;
}

std::string FixedBytes(uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

bool IsPackedVarint(const FieldDescriptor& field) {
  return field.is_packable() &&
         Wire::WireTypeForFieldType(static_cast<Wire::FieldType>(field.type())) == Wire::WIRETYPE_VARINT;
}

}  // namespace

std::string Scrambler::Varint(uint64_t value, int max_bytes) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  while (static_cast<int>(bytes.size()) < max_bytes && OneIn(5)) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes.push_back('\0');
  }
  return bytes;
}

std::string Scrambler::Tag(uint32_t number, int wire_type) {
  return Varint((number << 3) | static_cast<uint32_t>(wire_type), kTagBytes);
}

std::string Scrambler::LengthDelimited(uint32_t number, std::string_view payload) {
  return Tag(number, Wire::WIRETYPE_LENGTH_DELIMITED) + Varint(payload.size(), kSizeBytes) +
         std::string(payload);
}

std::string Scrambler::Unknown(uint32_t number, int depth) {
  switch (random_() % 5) {
    case 0:
      return Tag(number, Wire::WIRETYPE_VARINT) + Varint(random_(), kVarintBytes);
    case 1:
      return Tag(number, Wire::WIRETYPE_FIXED32) + FixedBytes(random_(), 4);
    case 2:
      return Tag(number, Wire::WIRETYPE_FIXED64) + FixedBytes(random_(), 8);
    case 3:
      return LengthDelimited(number, "\xff\xfe unknown");
    default:
      return Tag(number, Wire::WIRETYPE_START_GROUP) + (depth < 3 ? Unknown(number + 1, depth + 1) : "") +
             Tag(number, Wire::WIRETYPE_END_GROUP);
  }
}

// A message as one field, or as two that merge to it; a map's entry also after a forerunner with the same
// key.
void Scrambler::AddMessage(uint32_t number, std::string_view payload, const FieldDescriptor& field,
                           std::vector<std::string>* fields) {
  const std::vector<std::string> inner = Fields(payload, field.message_type());
  const size_t half = inner.empty() ? 0 : random_() % inner.size();
  if (!field.is_repeated() && OneIn(6)) {
    fields->push_back(LengthDelimited(number, Join(inner, 0, half)));
    fields->push_back(LengthDelimited(number, Join(inner, half, inner.size())));
    return;
  }
  if (field.is_map() && OneIn(6)) fields->push_back(LengthDelimited(number, Join(inner, 0, half)));
  fields->push_back(LengthDelimited(number, Join(inner, 0, inner.size())));
}

std::vector<std::string> Scrambler::Fields(std::string_view bytes, const Descriptor* type) {
  std::vector<std::string> fields;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (const uint32_t tag = in.ReadTag()) {
    const auto number = static_cast<uint32_t>(Wire::GetTagFieldNumber(tag));
    const FieldDescriptor* field = type->FindFieldByNumber(static_cast<int>(number));
    uint64_t value = 0;
    uint32_t narrow = 0, size = 0;
    std::string payload;
    switch (Wire::GetTagWireType(tag)) {
      case Wire::WIRETYPE_VARINT:
        in.ReadVarint64(&value);
        fields.push_back(Tag(number, Wire::WIRETYPE_VARINT) + Varint(value, kVarintBytes));
        break;
      case Wire::WIRETYPE_FIXED32:
        in.ReadLittleEndian32(&narrow);
        fields.push_back(Tag(number, Wire::WIRETYPE_FIXED32) + FixedBytes(narrow, 4));
        break;
      case Wire::WIRETYPE_FIXED64:
        in.ReadLittleEndian64(&value);
        fields.push_back(Tag(number, Wire::WIRETYPE_FIXED64) + FixedBytes(value, 8));
        break;
      default:
        in.ReadVarint32(&size);
        in.ReadString(&payload, static_cast<int>(size));
        if (field->message_type() != nullptr) {
          AddMessage(number, payload, *field, &fields);
        } else if (IsPackedVarint(*field) && OneIn(2)) {
          CodedInputStream packed(reinterpret_cast<const uint8_t*>(payload.data()),
                                  static_cast<int>(payload.size()));
          while (packed.ReadVarint64(&value))
            fields.push_back(Tag(number, Wire::WIRETYPE_VARINT) + Varint(value, kVarintBytes));
        } else {
          fields.push_back(LengthDelimited(number, payload));
        }
    }
    if (OneIn(20)) fields.push_back(Unknown(OneIn(2) ? 60 : 536870000, 0));
    // A known field under a wire type that it never has is an unknown one.
    if (OneIn(20) && field->type() == FieldDescriptor::TYPE_MESSAGE)
      fields.push_back(Tag(number, Wire::WIRETYPE_FIXED32) + FixedBytes(random_(), 4));
  }
  if (OneIn(3)) std::shuffle(fields.begin(), fields.end(), random_);
  return fields;
}

std::string Scrambler::Scramble(std::string_view bytes, const Descriptor* type) {
  const std::vector<std::string> fields = Fields(bytes, type);
  return Join(fields, 0, fields.size());
}

}  // namespace savedmodel::testing
