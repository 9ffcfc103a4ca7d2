#include "savedmodel/base/internal/byte_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace savedmodel::internal {
namespace {

using std::string_view_literals::operator""sv;

TEST(ByteReader, Varints) {
  const struct {
    std::string_view bytes;
    uint64_t want;
  } cases[] = {{"\x00"sv, 0},
               {"\x7f", 127},
               {"\x80\x01", 128},
               {"\xac\x02", 300},
               {"\x80\x00"sv, 0},  // longer than needed, but a number
               {"\xff\xff\xff\xff\x0f", 0xffffffffu},
               {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", std::numeric_limits<uint64_t>::max()}};
  for (const auto& c : cases) {
    ByteReader reader(c.bytes);
    uint64_t value = 1;
    EXPECT_TRUE(reader.ReadVarint64(&value));
    EXPECT_EQ(value, c.want);
    EXPECT_TRUE(reader.AtEnd());
  }
}

TEST(ByteReader, VarintsThatEndEarlyOrAreTooLargeAreRefused) {
  for (std::string_view bytes : {""sv, "\x80"sv, "\xff\xff"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv,
                                 "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"sv}) {
    ByteReader reader(bytes);
    uint64_t value = 0;
    EXPECT_FALSE(reader.ReadVarint64(&value)) << bytes.size();
  }
}

TEST(ByteReader, Varint32EndsAt32Bits) {
  uint32_t value = 0;
  ByteReader largest("\xff\xff\xff\xff\x0f"sv), beyond("\x80\x80\x80\x80\x10"sv);
  EXPECT_TRUE(largest.ReadVarint32(&value));
  EXPECT_EQ(value, std::numeric_limits<uint32_t>::max());
  EXPECT_FALSE(beyond.ReadVarint32(&value));
}

TEST(ByteReader, FixedNumbersAreLittleEndianOnAnyMachine) {
  ByteReader reader("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"sv);
  uint64_t wide = 0;
  uint16_t narrow = 0;
  uint8_t none = 0;
  EXPECT_TRUE(reader.ReadFixedLittleEndian(&wide));
  EXPECT_EQ(wide, 0x0807060504030201u);
  EXPECT_TRUE(reader.ReadFixedLittleEndian(&narrow));
  EXPECT_EQ(narrow, 0x0a09u);
  EXPECT_FALSE(reader.ReadFixedLittleEndian(&none));
  EXPECT_EQ(reader.offset(), 10u);
}

TEST(ByteReader, SizesPastTheEndAreRefusedAndNothingMoves) {
  ByteReader reader("abcd"sv);
  std::string_view text;
  EXPECT_TRUE(reader.ReadString(1, &text));
  EXPECT_EQ(text, "a");
  for (uint64_t size : {uint64_t{4}, uint64_t{1} << 32, std::numeric_limits<uint64_t>::max()}) {
    std::span<const std::byte> bytes;
    EXPECT_FALSE(reader.ReadBytes(size, &bytes));
    EXPECT_FALSE(reader.ReadString(size, &text));
    EXPECT_FALSE(reader.Skip(size));
    EXPECT_EQ(reader.offset(), 1u);
  }
  EXPECT_TRUE(reader.Skip(3));
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.Skip(0));
}

TEST(ByteReader, EmptyInput) {
  ByteReader reader(std::span<const std::byte>{});
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(reader.remaining(), 0u);
  std::string_view text = "x";
  EXPECT_TRUE(reader.ReadString(0, &text));
  EXPECT_EQ(text, "");
}

TEST(ByteSwap, ReversesBytes) {
  EXPECT_EQ(ByteSwap(uint8_t{0x12}), 0x12);
  EXPECT_EQ(ByteSwap(uint16_t{0x1234}), 0x3412);
  EXPECT_EQ(ByteSwap(uint32_t{0x12345678}), 0x78563412u);
  EXPECT_EQ(ByteSwap(uint64_t{0x0123456789abcdef}), 0xefcdab8967452301u);
}

}  // namespace
}  // namespace savedmodel::internal
