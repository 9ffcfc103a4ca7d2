#include "savedmodel/base/internal/error_payload.h"

#include <cstdint>
#include <utility>

#include "absl/strings/cord.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/byte_reader.h"

namespace savedmodel::internal {
namespace {

constexpr char kFormat = 1;

enum Tag : uint8_t { kWhat = 1, kHint, kFile, kOffset, kKey, kPath, kExpected, kFound };

void PutVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void PutField(std::string& out, Tag tag, std::string_view value) {
  if (value.empty()) return;
  out.push_back(static_cast<char>(tag));
  PutVarint(out, value.size());
  out.append(value);
}

bool ReadOffset(std::string_view value, std::optional<uint64_t>* offset) {
  ByteReader reader(value);
  uint64_t number = 0;
  if (!reader.ReadVarint64(&number) || !reader.AtEnd()) return false;
  *offset = number;
  return true;
}

bool SetField(uint8_t tag, std::string_view value, ErrorPayload* payload) {
  ErrorContext& context = payload->context;
  switch (tag) {
    case kWhat:
      payload->what = value;
      return true;
    case kHint:
      payload->hint = value;
      return true;
    case kFile:
      context.file = value;
      return true;
    case kOffset:
      return ReadOffset(value, &context.offset);
    case kKey:
      context.key = value;
      return true;
    case kPath:
      context.path = value;
      return true;
    case kExpected:
      context.expected = value;
      return true;
    case kFound:
      context.found = value;
      return true;
    default:
      return true;  // a field of a later version
  }
}

bool ReadField(ByteReader* reader, ErrorPayload* payload) {
  uint8_t tag = 0;
  uint64_t size = 0;
  std::string_view value;
  return reader->ReadFixedLittleEndian(&tag) && reader->ReadVarint64(&size) &&
         reader->ReadString(size, &value) && SetField(tag, value, payload);
}

}  // namespace

std::string EncodeErrorPayload(const ErrorPayload& payload) {
  std::string out(1, kFormat);
  const ErrorContext& context = payload.context;
  PutField(out, kWhat, payload.what);
  PutField(out, kHint, payload.hint);
  PutField(out, kFile, context.file);
  if (context.offset) {
    std::string offset;
    PutVarint(offset, *context.offset);
    PutField(out, kOffset, offset);
  }
  PutField(out, kKey, context.key);
  PutField(out, kPath, context.path);
  PutField(out, kExpected, context.expected);
  PutField(out, kFound, context.found);
  return out;
}

std::optional<ErrorPayload> DecodeErrorPayload(std::string_view bytes) {
  ByteReader reader(bytes);
  std::string_view format;
  if (!reader.ReadString(1, &format) || format[0] != kFormat) return std::nullopt;
  ErrorPayload payload;
  while (!reader.AtEnd()) {
    if (!ReadField(&reader, &payload)) return std::nullopt;
  }
  return payload;
}

std::optional<ErrorPayload> GetErrorPayload(const Status& status) {
  const auto cord = status.GetPayload(ToAbsl(kErrorPayloadUrl));
  if (!cord) return std::nullopt;
  return DecodeErrorPayload(std::string(*cord));
}

}  // namespace savedmodel::internal
