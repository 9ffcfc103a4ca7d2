#include "savedmodel/base/internal/crc32c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace savedmodel::internal {
namespace {

using Bytes = std::vector<std::byte>;

Bytes RandomBytes(size_t size) {
  std::mt19937 random(12345);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

uint32_t Crc(std::string_view text) { return ExtendCrc32c(0, std::as_bytes(std::span(text))); }

// The definition, bit by bit: shares nothing with the code under test.
uint32_t CrcByDefinition(std::span<const std::byte> bytes) {
  uint32_t state = 0xffffffffu;
  for (std::byte byte : bytes) {
    state ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~state;
}

TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(Crc(""), 0u);
  EXPECT_EQ(Crc("123456789"), 0xe3069283u);
  // The vectors of RFC 3720, appendix B.4.
  EXPECT_EQ(Crc(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc(std::string(32, '\xff')), 0x62a8ab43u);
  std::string up(32, 0), down(32, 0);
  for (int i = 0; i < 32; ++i) up[static_cast<size_t>(i)] = static_cast<char>(i);
  for (int i = 0; i < 32; ++i) down[static_cast<size_t>(i)] = static_cast<char>(31 - i);
  EXPECT_EQ(Crc(up), 0x46dd794eu);
  EXPECT_EQ(Crc(down), 0x113fdb5cu);
}

TEST(Crc32c, AllPathsAgreeForLengthsAndOffsets) {
  const Bytes bytes = RandomBytes(1700);
  for (size_t offset = 0; offset < 9; ++offset) {
    for (size_t size = 0; size + offset < 1690; size += size < 300 ? 1 : 37) {
      const auto part = std::span(bytes).subspan(offset, size);
      const uint32_t want = CrcByDefinition(part);
      ASSERT_EQ(ExtendCrc32cPortable(0, part), want) << offset << "+" << size;
      ASSERT_EQ(ExtendCrc32c(0, part), want) << offset << "+" << size;
    }
  }
}

// Around the sizes at which the three-way loops begin and end.
TEST(Crc32c, LongInputsAgree) {
  const Bytes bytes = RandomBytes(100'000);
  for (size_t edge : {768u, 1536u, 12288u, 13056u, 24576u, 99'000u}) {
    for (size_t size = edge - 9; size < edge + 10; ++size) {
      const auto part = std::span(bytes).subspan(size % 7, size);
      const uint32_t want = CrcByDefinition(part);
      ASSERT_EQ(ExtendCrc32cPortable(0, part), want) << size;
      ASSERT_EQ(ExtendCrc32c(0, part), want) << size;
    }
  }
}

TEST(Crc32c, ExtendContinues) {
  const Bytes bytes = RandomBytes(5000);
  const std::span<const std::byte> all(bytes);
  const uint32_t want = CrcByDefinition(all);
  for (size_t cut : {size_t{0}, size_t{1}, size_t{7}, size_t{768}, size_t{4999}, size_t{5000}}) {
    EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, all.first(cut)), all.subspan(cut)), want) << cut;
    EXPECT_EQ(ExtendCrc32cPortable(ExtendCrc32cPortable(0, all.first(cut)), all.subspan(cut)), want) << cut;
  }
}

TEST(Crc32c, CombineJoinsParts) {
  const Bytes bytes = RandomBytes(3000);
  const std::span<const std::byte> all(bytes);
  const uint32_t want = CrcByDefinition(all);
  for (size_t cut = 0; cut <= all.size(); cut += 125) {
    const uint32_t a = ExtendCrc32c(0, all.first(cut)), b = ExtendCrc32c(0, all.subspan(cut));
    EXPECT_EQ(CombineCrc32c(a, b, all.size() - cut), want) << cut;
  }
}

// Sizes past 2^32 and up to 2^64-1 are checked by joining in another order, since no test can hold such
// bytes.
TEST(Crc32c, CombineIsAssociativeForHugeSizes) {
  const uint32_t a = 0x12345678, b = 0x9abcdef0, c = 0x0badcafe;
  const struct {
    uint64_t size_b, size_c;
  } cases[] = {{uint64_t{1} << 33, 5},
               {7, (uint64_t{1} << 62) + 3},
               {uint64_t{1} << 63, (uint64_t{1} << 63) - 1},
               {0, ~uint64_t{0}}};
  for (const auto& [size_b, size_c] : cases) {
    const uint32_t left = CombineCrc32c(CombineCrc32c(a, b, size_b), c, size_c);
    const uint32_t right = CombineCrc32c(a, CombineCrc32c(b, c, size_c), size_b + size_c);
    EXPECT_EQ(left, right) << size_b << " " << size_c;
  }
  EXPECT_EQ(CombineCrc32c(a, b, 0), a ^ b);
}

TEST(Crc32c, CopySumsAndCopies) {
  const Bytes bytes = RandomBytes(60'000);
  for (size_t size : {0u, 1u, 8u, 15u, 767u, 768u, 12'288u, 12'295u, 40'001u, 59'990u}) {
    for (size_t offset : {0u, 1u, 5u}) {
      const auto from = std::span<const std::byte>(bytes).subspan(offset, size);
      Bytes to(size + 2, std::byte{0x5a});
      const uint32_t start = ExtendCrc32c(0, std::span<const std::byte>(bytes).first(3));
      ASSERT_EQ(CopyAndExtendCrc32c(start, from, to.data() + 1), ExtendCrc32cPortable(start, from)) << size;
      ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1)) << size;
      ASSERT_EQ(to.front(), std::byte{0x5a});
      ASSERT_EQ(to.back(), std::byte{0x5a}) << "nothing past the end";
    }
  }
}

TEST(Crc32c, MaskAndUnmask) {
  EXPECT_EQ(MaskCrc(0), 0xa282ead8u);
  EXPECT_EQ(MaskCrc(0xe3069283u), ((0xe3069283u >> 15) | (0xe3069283u << 17)) + 0xa282ead8u);
  for (uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu, 0x80000000u}) {
    EXPECT_EQ(UnmaskCrc(MaskCrc(crc)), crc);
    EXPECT_NE(MaskCrc(crc), crc);
  }
}

}  // namespace
}  // namespace savedmodel::internal
