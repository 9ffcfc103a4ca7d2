#include "savedmodel/checkpoint/bundle/internal/element_codec.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "savedmodel/base/internal/byte_reader.h"
#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

Error Bad(std::string what) { return Error(StatusCode::kDataLoss, std::move(what)); }

Status WrongChecksum(std::string what, uint32_t stored, uint32_t computed) {
  return Bad(std::move(what) + " does not match").Expected(Hex32(stored)).Found(Hex32(computed)).ToStatus();
}

template <class T>
T ToOrder(T value, bool big_endian) {
  return big_endian == (std::endian::native == std::endian::big) ? value : ByteSwap(value);
}

// Sums lengths as fixed-width numbers in the file's byte order, a block at a time.
class LengthCrc {
 public:
  explicit LengthCrc(bool big_endian) : big_endian_(big_endian) {}

  // 4 bytes where they suffice, else 8.
  void Add(uint64_t length) {
    if (length <= std::numeric_limits<uint32_t>::max()) return Append(static_cast<uint32_t>(length));
    Append(length);
  }
  uint32_t Finish() {
    Flush();
    return crc_;
  }

 private:
  template <class T>
  void Append(T value) {
    if (block_.size() - used_ < sizeof(T)) Flush();
    value = ToOrder(value, big_endian_);
    std::memcpy(block_.data() + used_, &value, sizeof(T));
    used_ += sizeof(T);
  }
  void Flush() {
    crc_ = ExtendCrc32c(crc_, std::span(block_).first(used_));
    used_ = 0;
  }

  bool big_endian_;
  uint32_t crc_ = 0;
  size_t used_ = 0;
  std::array<std::byte, 4096> block_;
};

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<uint64_t>::max() : sum;
}

// The lengths of all strings, as ends. Each takes a byte at least, so `count` is bounded by the entry's size.
Status ReadLengths(ByteReader& reader, uint64_t count, uint64_t base, LengthCrc& crc,
                   std::vector<uint64_t>* ends) {
  if (count > reader.remaining()) {
    return Bad("entry is too short for its strings' lengths").Expected(std::to_string(count)).ToStatus();
  }
  ends->reserve(static_cast<size_t>(count));
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t offset = reader.offset();
    uint64_t length = 0;
    if (!reader.ReadVarint64(&length)) {
      return Bad("length of string " + std::to_string(i) + " cannot be read")
          .Offset(base + offset)
          .ToStatus();
    }
    crc.Add(length);
    end = SaturatingAdd(end, length);
    ends->push_back(end);
  }
  return OkStatus();
}

uint32_t ReadRaw(std::span<const std::byte> bytes, bool big_endian) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return ToOrder(value, big_endian);
}

// Takes the length checksum off `reader`; the sum over the lengths and it goes to `*crc`.
Status ReadLengthChecksum(ByteReader& reader, LengthCrc& lengths, const ElementChecks& checks,
                          uint32_t* crc) {
  const uint64_t offset = checks.offset + reader.offset();
  std::span<const std::byte> raw;
  if (!reader.ReadBytes(sizeof(uint32_t), &raw)) {
    return Bad("entry ends before its length checksum").Offset(offset).ToStatus();
  }
  const uint32_t computed = lengths.Finish();
  const uint32_t stored = ReadRaw(raw, checks.big_endian);
  if (checks.verify && stored != MaskCrc(computed)) {
    return WithContext(WrongChecksum("length checksum of strings", stored, MaskCrc(computed)),
                       {.offset = offset});
  }
  *crc = ExtendCrc32c(computed, raw);
  return OkStatus();
}

// Takes one variant off `reader` and adds it to the sum. Unlike a string's, its length is summed as 8 bytes always, and
// it has a checksum of its own.
Status ReadVariant(ByteReader& reader, uint64_t number, const ElementChecks& checks, uint32_t* crc,
                   std::span<const std::byte>* element) {
  const uint64_t offset = checks.offset + reader.offset();
  uint64_t length = 0;
  std::span<const std::byte> raw;
  if (!reader.ReadVarint64(&length) || !reader.ReadBytes(length, element) ||
      !reader.ReadBytes(sizeof(uint32_t), &raw)) {
    return Bad("variant " + std::to_string(number) + " runs over the end of its entry")
        .Offset(offset)
        .ToStatus();
  }
  *crc = ExtendCrc32c(ExtendCrc32c(*crc, std::as_bytes(std::span(&length, 1))), *element);
  const uint32_t stored = ReadRaw(raw, checks.big_endian);
  if (checks.verify && stored != MaskCrc(*crc)) {
    return WithContext(WrongChecksum("checksum of a variant", stored, MaskCrc(*crc)), {.offset = offset});
  }
  *crc = ExtendCrc32c(*crc, raw);
  return OkStatus();
}

Status CheckWhole(std::string_view what, uint32_t crc, const ElementChecks& checks) {
  if (!checks.verify || MaskCrc(crc) == checks.masked_crc32c) return OkStatus();
  return WrongChecksum("checksum of the stored " + std::string(what), checks.masked_crc32c, MaskCrc(crc));
}

}  // namespace

std::string_view Elements::at(uint64_t i) const {
  const uint64_t begin = i == 0 ? 0 : ends[static_cast<size_t>(i - 1)];
  return payload.view().substr(static_cast<size_t>(begin),
                               static_cast<size_t>(ends[static_cast<size_t>(i)] - begin));
}

StatusOr<Elements> DecodeStrings(const Buffer& entry, uint64_t count, const ElementChecks& checks) {
  ByteReader reader(entry.bytes());
  LengthCrc lengths(checks.big_endian);
  Elements elements;
  uint32_t crc = 0;
  SAVEDMODEL_RETURN_IF_ERROR(ReadLengths(reader, count, checks.offset, lengths, &elements.ends));
  SAVEDMODEL_RETURN_IF_ERROR(ReadLengthChecksum(reader, lengths, checks, &crc));
  const uint64_t total = elements.ends.empty() ? 0 : elements.ends.back();
  if (total != reader.remaining()) {
    return Bad("lengths of strings do not add up to the entry's size")
        .Expected(std::to_string(reader.remaining()) + " bytes")
        .Found(std::to_string(total))
        .ToStatus();
  }
  elements.payload = entry.Slice(reader.offset(), reader.remaining());
  if (!checks.verify) return elements;
  SAVEDMODEL_RETURN_IF_ERROR(CheckWhole("strings", ExtendCrc32c(crc, elements.payload.bytes()), checks));
  return elements;
}

StatusOr<Elements> DecodeVariants(const Buffer& entry, uint64_t count, const ElementChecks& checks) {
  if (ToOrder(uint16_t{1}, checks.big_endian) != 1) {
    return Error(StatusCode::kUnimplemented, "variants of the other byte order are not read")
        .Found(checks.big_endian ? "big-endian" : "little-endian")
        .ToStatus();
  }
  ByteReader reader(entry.bytes());
  if (count > reader.remaining()) {
    return Bad("entry is too short for its variants").Expected(std::to_string(count)).ToStatus();
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const MutableBuffer payload, MutableBuffer::Allocate(entry.size()));
  Elements elements;
  elements.ends.reserve(static_cast<size_t>(count));
  size_t end = 0;
  uint32_t crc = 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::span<const std::byte> element;
    SAVEDMODEL_RETURN_IF_ERROR(ReadVariant(reader, i, checks, &crc, &element));
    if (!element.empty()) std::memcpy(payload.data() + end, element.data(), element.size());
    elements.ends.push_back(end += element.size());
  }
  if (!reader.AtEnd()) {
    return Bad("entry goes on behind its last variant").Offset(checks.offset + reader.offset()).ToStatus();
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckWhole("variants", crc, checks));
  elements.payload = Buffer(payload.owner(), payload.bytes().first(end));
  return elements;
}

}  // namespace savedmodel::internal
