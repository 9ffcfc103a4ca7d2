#include "savedmodel/object_graph/internal/captures.h"

#include "savedmodel/base/internal/byte_reader.h"
#include "savedmodel/proto/saved_object_graph.pb.h"

namespace savedmodel::internal {
namespace {

constexpr uint64_t kBoundInputsField = proto::SavedConcreteFunction::kBoundInputsFieldNumber;

// How protobuf encodes a field: the low three bits of its tag.
enum WireType : uint64_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupStart = 3,
  kGroupEnd = 4,
  kFixed32 = 5
};
constexpr uint64_t kWireTypeBits = 3;
constexpr uint64_t kWireTypeMask = 7;

bool SkipScalar(ByteReader* reader, uint64_t wire_type) {
  uint64_t number = 0;
  switch (wire_type) {
    case kVarint:
      return reader->ReadVarint64(&number);
    case kFixed64:
      return reader->Skip(8);
    case kBytes:
      return reader->ReadVarint64(&number) && reader->Skip(number);
    case kFixed32:
      return reader->Skip(4);
    default:
      return false;
  }
}

bool ReadPacked(ByteReader* reader, std::vector<int32_t>* ids) {
  uint64_t size = 0;
  std::span<const std::byte> bytes;
  if (!reader->ReadVarint64(&size) || !reader->ReadBytes(size, &bytes)) return false;
  ByteReader packed(bytes);
  while (!packed.AtEnd()) {
    uint64_t id = 0;
    if (!packed.ReadVarint64(&id)) return false;
    ids->push_back(static_cast<int32_t>(id));  // protobuf keeps the low 32 bits too
  }
  return true;
}

}  // namespace

std::optional<std::vector<int32_t>> ReadBoundInputs(std::string_view message) {
  std::vector<int32_t> ids;
  ByteReader reader(message);
  uint64_t open_groups = 0;  // an unknown field may be a group; what is inside belongs to it
  while (!reader.AtEnd()) {
    uint64_t tag = 0;
    if (!reader.ReadVarint64(&tag)) return std::nullopt;
    const uint64_t wire_type = tag & kWireTypeMask;
    const bool ours = open_groups == 0 && tag >> kWireTypeBits == kBoundInputsField;
    if (wire_type == kGroupStart) {
      ++open_groups;
    } else if (wire_type == kGroupEnd) {
      if (open_groups-- == 0) return std::nullopt;
    } else if (ours && wire_type == kBytes) {
      if (!ReadPacked(&reader, &ids)) return std::nullopt;
    } else if (ours && wire_type == kVarint) {
      uint64_t id = 0;
      if (!reader.ReadVarint64(&id)) return std::nullopt;
      ids.push_back(static_cast<int32_t>(id));
    } else if (!SkipScalar(&reader, wire_type)) {
      return std::nullopt;
    }
  }
  if (open_groups != 0) return std::nullopt;
  return ids;
}

}  // namespace savedmodel::internal
