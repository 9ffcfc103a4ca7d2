#include "savedmodel/base/internal/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace savedmodel::internal {
namespace {

// One character as UTF-8 would write it, without looking whether it may.
std::string Encode(uint32_t c) {
  const auto tail = [](uint32_t v) { return static_cast<char>(0x80 | (v & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | (c >> 6)), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | (c >> 12)), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xf0 | (c >> 18)), tail(c >> 12), tail(c >> 6), tail(c)};
}

TEST(Utf8, EveryCodePointButSurrogatesIsValid) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    ASSERT_EQ(IsValidUtf8(Encode(c)), c < 0xd800 || c > 0xdfff) << c;
  }
  for (uint32_t c : {0x110000u, 0x13ffffu, 0x1fffffu}) EXPECT_FALSE(IsValidUtf8(Encode(c)));
}

TEST(Utf8, OverlongFormsAreNotValid) {
  for (std::string_view bytes :
       {"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf"}) {
    EXPECT_EQ(ValidUtf8Prefix(bytes), 0u);
  }
}

TEST(Utf8, PrefixEndsBeforeACutCharacter) {
  const std::string text = "ab\xf0\x9f\x98\x80";
  for (size_t size = 2; size < text.size(); ++size) EXPECT_EQ(ValidUtf8Prefix(text.substr(0, size)), 2u);
  EXPECT_EQ(ValidUtf8Prefix(text), text.size());
  EXPECT_EQ(ValidUtf8Prefix(""), 0u);
}

TEST(Escape, EscapeNonUtf8KeepsControlCharacters) {
  EXPECT_EQ(EscapeNonUtf8("a\n\\\xff\xc3\xa4\xc3"), "a\n\\\\\\xff\xc3\xa4\\xc3");
}

TEST(Escape, PrintableEscapesControlCharacters) {
  EXPECT_EQ(Printable(std::string_view("\0\x1f\x7f ~", 5)), "\\x00\\x1f\\x7f ~");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "the one-character escape sequence of terminals";
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "abc"),
            "\\xe2\\x80\\xae"
            "abc")
      << "text that would run backwards";
  EXPECT_EQ(Printable("\xe6\xa8\xa1\xe5\x9e\x8b \\"), "\xe6\xa8\xa1\xe5\x9e\x8b \\\\");
}

TEST(Escape, DifferentBytesStayDifferent) { EXPECT_NE(Printable("\xff"), Printable("\\xff")); }

TEST(Escape, OneLineTwiceIsOneLineOnce) {
  const std::string odd("x\\y\n\xff\xe2\x80\xa8", 8);
  EXPECT_EQ(OneLine(odd), "x\\y\\x0a\\xff\\xe2\\x80\\xa8");
  EXPECT_EQ(OneLine(OneLine(odd)), OneLine(odd));
}

TEST(Escape, ResultsAreValidUtf8ForAnyBytePair) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes = {static_cast<char>(a), static_cast<char>(b)};
      ASSERT_TRUE(IsValidUtf8(EscapeNonUtf8(bytes)) && IsValidUtf8(Printable(bytes)) &&
                  IsValidUtf8(OneLine(bytes)));
    }
  }
}

TEST(Hex32, HasEightDigits) {
  EXPECT_EQ(Hex32(0), "0x00000000");
  EXPECT_EQ(Hex32(0xe3069283), "0xe3069283");
}

}  // namespace
}  // namespace savedmodel::internal
