#include "savedmodel/base/internal/crc32c.h"

#include <array>
#include <cstring>

#include "savedmodel/base/internal/byte_reader.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define SAVEDMODEL_CRC32C_X86 1
#endif

namespace savedmodel::internal {
namespace {

// Polynomials over GF(2) modulo the Castagnoli polynomial, bit-reversed: bit 31 is x^0, bit 0 is x^31.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr uint32_t kOne = 0x80000000u;

constexpr uint32_t TimesX(uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? kPolynomial : 0); }

constexpr uint32_t Multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = TimesX(b);
  }
  return product;
}

// x^(8 * 2^k) for each bit k of a size in bytes.
constexpr auto kShiftByBit = [] {
  std::array<uint32_t, 64> powers{};
  powers[0] = kOne >> 8;
  for (size_t k = 1; k < powers.size(); ++k) powers[k] = Multiply(powers[k - 1], powers[k - 1]);
  return powers;
}();

// x^(8 * size): what the crc of earlier bytes is multiplied by when `size` bytes follow.
constexpr uint32_t ShiftFactor(uint64_t size) {
  uint32_t factor = kOne;
  for (size_t k = 0; size != 0; ++k, size >>= 1) {
    if ((size & 1) != 0) factor = Multiply(factor, kShiftByBit[k]);
  }
  return factor;
}

// kTables[k][b]: the crc of byte b followed by k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = TimesX(crc);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}();

uint64_t LoadLittleEndian64(const std::byte* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return FromLittleEndian(value);
}

// The functions below work on the inverted register, as the definition of the crc does inside.

uint32_t StepByte(uint32_t state, std::byte byte) {
  return (state >> 8) ^ kTables[0][(state ^ static_cast<uint32_t>(byte)) & 0xff];
}

uint32_t ExtendPortable(uint32_t state, const std::byte* p, size_t size) {
  for (; size >= 8; p += 8, size -= 8) {
    const uint64_t word = LoadLittleEndian64(p) ^ state;
    state = 0;
    for (size_t k = 0; k < 8; ++k) state ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; size > 0; ++p, --size) state = StepByte(state, *p);
  return state;
}

#if SAVEDMODEL_CRC32C_X86
#define SAVEDMODEL_CRC32C_TARGET __attribute__((target("sse4.2,pclmul")))

bool HasInstructions() { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"); }

// x^(8 * size - 33). The carry-less product of two reversed 32-bit values, read as a reversed 64-bit message,
// is their product times x, and the crc instruction multiplies by x^32: together the 33 that this factor
// leaves out.
constexpr uint32_t FoldFactor(uint64_t size) {
  uint32_t factor = ShiftFactor(size - 8);
  for (int i = 0; i < 64 - 33; ++i) factor = TimesX(factor);
  return factor;
}

SAVEDMODEL_CRC32C_TARGET inline __m128i Fold(uint64_t state, uint32_t factor) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(state)),
                              _mm_cvtsi64_si128(static_cast<int64_t>(factor)), 0);
}

// Steps the crc over the eight bytes at `from + i`, and copies them to `to + i` when there is a copy to make.
template <bool kCopy>
SAVEDMODEL_CRC32C_TARGET inline uint64_t StepWord(uint64_t state, const std::byte* from, std::byte* to,
                                                  size_t i) {
  uint64_t word;
  std::memcpy(&word, from + i, sizeof(word));
  if constexpr (kCopy) std::memcpy(to + i, &word, sizeof(word));
  return _mm_crc32_u64(state, word);
}

// Advances over whole triples of kPart bytes. The instruction takes three cycles and one can start in each,
// so three independent parts run side by side and are folded into one crc at the end.
template <bool kCopy, size_t kPart>
SAVEDMODEL_CRC32C_TARGET uint64_t ExtendTriples(uint64_t state, const std::byte*& from, std::byte*& to,
                                                size_t& size) {
  constexpr uint32_t kOverOne = FoldFactor(kPart), kOverTwo = FoldFactor(2 * kPart);
  for (; size >= 3 * kPart; from += 3 * kPart, size -= 3 * kPart) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kPart; i += 8) {
      state = StepWord<kCopy>(state, from, to, i);
      second = StepWord<kCopy>(second, from, to, kPart + i);
      third = StepWord<kCopy>(third, from, to, 2 * kPart + i);
    }
    const __m128i folded = _mm_xor_si128(Fold(state, kOverTwo), Fold(second, kOverOne));
    state = _mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(folded))) ^ third;
    if constexpr (kCopy) to += 3 * kPart;
  }
  return state;
}

template <bool kCopy>
SAVEDMODEL_CRC32C_TARGET uint32_t ExtendWithInstructions(uint32_t crc, const std::byte* from, std::byte* to,
                                                         size_t size) {
  uint64_t state = crc;
  state = ExtendTriples<kCopy, 4096>(state, from, to, size);
  state = ExtendTriples<kCopy, 256>(state, from, to, size);
  for (; size >= 8; from += 8, size -= 8) {
    state = StepWord<kCopy>(state, from, to, 0);
    if constexpr (kCopy) to += 8;
  }
  for (; size > 0; ++from, --size) {
    state = _mm_crc32_u8(static_cast<uint32_t>(state), static_cast<uint8_t>(*from));
    if constexpr (kCopy) *to++ = *from;
  }
  return static_cast<uint32_t>(state);
}
#endif

// Copies in pieces that stay in the first-level cache between the copy and the sum.
uint32_t CopyAndExtendPortable(uint32_t state, std::span<const std::byte> from, std::byte* to) {
  constexpr size_t kPiece = 16 << 10;
  while (!from.empty()) {
    const auto piece = from.first(from.size() < kPiece ? from.size() : kPiece);
    std::memcpy(to, piece.data(), piece.size());
    state = ExtendPortable(state, piece.data(), piece.size());
    to += piece.size();
    from = from.subspan(piece.size());
  }
  return state;
}

}  // namespace

uint32_t ExtendCrc32cPortable(uint32_t crc, std::span<const std::byte> bytes) {
  return ~ExtendPortable(~crc, bytes.data(), bytes.size());
}

uint32_t ExtendCrc32c(uint32_t crc, std::span<const std::byte> bytes) {
#if SAVEDMODEL_CRC32C_X86
  if (HasInstructions()) return ~ExtendWithInstructions<false>(~crc, bytes.data(), nullptr, bytes.size());
#endif
  return ExtendCrc32cPortable(crc, bytes);
}

uint32_t CopyAndExtendCrc32c(uint32_t crc, std::span<const std::byte> from, std::byte* to) {
#if SAVEDMODEL_CRC32C_X86
  if (HasInstructions()) return ~ExtendWithInstructions<true>(~crc, from.data(), to, from.size());
#endif
  return ~CopyAndExtendPortable(~crc, from, to);
}

uint32_t CombineCrc32c(uint32_t crc_a, uint32_t crc_b, uint64_t size_b) {
  return Multiply(crc_a, ShiftFactor(size_b)) ^ crc_b;
}

}  // namespace savedmodel::internal
