#include "savedmodel/checkpoint/bundle/internal/ordered_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace savedmodel::internal {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string Signed(int64_t value) {
  std::string bytes;
  AppendOrderedSigned(value, &bytes);
  return bytes;
}
std::string Unsigned(uint64_t value) {
  std::string bytes;
  AppendOrderedUnsigned(value, &bytes);
  return bytes;
}
std::string Text(std::string_view value) {
  std::string bytes;
  AppendOrderedString(value, &bytes);
  return bytes;
}

using std::string_literals::operator""s;

// The table in FORMAT.md#slice-keys and further values of the format's documentation.
TEST(OrderedCode, SignedBytesAreThoseOfTheFormat) {
  EXPECT_EQ(Signed(0), "\x80"s);
  EXPECT_EQ(Signed(1), "\x81"s);
  EXPECT_EQ(Signed(63), "\xbf"s);
  EXPECT_EQ(Signed(64), "\xc0\x40"s);
  EXPECT_EQ(Signed(8191), "\xdf\xff"s);
  EXPECT_EQ(Signed(8192), "\xe0\x20\x00"s);
  EXPECT_EQ(Signed(-1), "\x7f"s);
  EXPECT_EQ(Signed(-64), "\x40"s);
  EXPECT_EQ(Signed(-65), "\x3f\xbf"s);
  EXPECT_EQ(Signed(-2048), "\x38\x00"s);
  EXPECT_EQ(Signed(0x424242), "\xf0\x42\x42\x42"s);
  EXPECT_EQ(Signed(kMax), "\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff"s);
}

std::vector<int64_t> Interesting() {
  std::vector<int64_t> values{kMin, kMax};
  for (int bit = 0; bit < 63; ++bit) {
    for (int64_t near : {-1, 0, 1}) {
      values.push_back((int64_t{1} << bit) + near);
      values.push_back(-(int64_t{1} << bit) + near);
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TEST(OrderedCode, SignedRoundTripsAndSorts) {
  std::string previous;
  for (int64_t value : Interesting()) {
    const std::string bytes = Signed(value);
    EXPECT_LT(previous, bytes) << value;
    previous = bytes;
    const std::string followed = bytes + "rest";
    std::string_view rest = followed;
    int64_t read = 0;
    ASSERT_TRUE(ReadOrderedSigned(&rest, &read)) << value;
    EXPECT_EQ(read, value);
    EXPECT_EQ(rest, "rest");
  }
}

TEST(OrderedCode, SignedOfEveryCutIsRefused) {
  for (int64_t value : Interesting()) {
    const std::string bytes = Signed(value);
    for (size_t size = 0; size < bytes.size(); ++size) {
      std::string_view cut = std::string_view(bytes).substr(0, size);
      int64_t read = 0;
      EXPECT_FALSE(ReadOrderedSigned(&cut, &read)) << value << " cut to " << size;
    }
  }
}

TEST(OrderedCode, SignedOverSixtyFourBitsIsRefused) {
  for (const std::string& bytes :
       {"\xff\xc0\x80\0\0\0\0\0\0\0"s, "\xff\xdf\xff\xff\xff\xff\xff\xff\xff\xff"s,
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s, "\0\0\0\0\0\0\0\0\0\0\0\0"s}) {
    std::string_view rest = bytes;
    int64_t read = 0;
    EXPECT_FALSE(ReadOrderedSigned(&rest, &read));
  }
}

TEST(OrderedCode, UnsignedBytes) {
  EXPECT_EQ(Unsigned(0), "\x00"s);
  EXPECT_EQ(Unsigned(2), "\x01\x02"s);
  EXPECT_EQ(Unsigned(256), "\x02\x01\x00"s);
  EXPECT_EQ(Unsigned(~uint64_t{0}), "\x08\xff\xff\xff\xff\xff\xff\xff\xff"s);
  for (uint64_t value : {uint64_t{0}, uint64_t{255}, uint64_t{1} << 40, ~uint64_t{0}}) {
    const std::string bytes = Unsigned(value);
    std::string_view rest = bytes;
    uint64_t read = 1;
    ASSERT_TRUE(ReadOrderedUnsigned(&rest, &read));
    EXPECT_EQ(read, value);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(OrderedCode, UnsignedOfTooManyBytesIsRefused) {
  for (const std::string& bytes :
       {""s, "\x01"s, "\x02\x01"s, "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09"s, "\xff"s}) {
    std::string_view rest = bytes;
    uint64_t read = 0;
    EXPECT_FALSE(ReadOrderedUnsigned(&rest, &read));
  }
}

TEST(OrderedCode, StringsEscapeTheTwoOuterBytes) {
  EXPECT_EQ(Text("foo"), "foo\x00\x01"s);
  EXPECT_EQ(Text("\0x\xff"s), "\x00\xffx\xff\x00\x00\x01"s);
  for (const std::string& text : {""s, "foo"s, "\0\0\xff\xff"s, "a\0b"s}) {
    const std::string bytes = Text(text) + "rest";
    std::string_view rest = bytes;
    std::string read;
    ASSERT_TRUE(ReadOrderedString(&rest, &read));
    EXPECT_EQ(read, text);
    EXPECT_EQ(rest, "rest");
  }
}

TEST(OrderedCode, StringsWithoutEndOrWithAnotherEscapeAreRefused) {
  for (const std::string& bytes : {""s, "foo"s, "foo\0"s, "foo\0\x02"s, "foo\xff"s, "foo\xff\x01"s}) {
    std::string_view rest = bytes;
    std::string read;
    EXPECT_FALSE(ReadOrderedString(&rest, &read));
  }
}

}  // namespace
}  // namespace savedmodel::internal
