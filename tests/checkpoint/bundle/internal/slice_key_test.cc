#include "savedmodel/checkpoint/bundle/internal/slice_key.h"

#include <gtest/gtest.h>

#include <string>

namespace savedmodel::internal {
namespace {

using std::string_literals::operator""s;

std::string Encode(std::string_view tensor, std::string_view slice) {
  return EncodeSliceKey(tensor, TensorSlice::Parse(slice).value());
}

// FORMAT.md#slice-keys
TEST(SliceKey, BytesAreThoseOfTheFormat) {
  EXPECT_EQ(Encode("foo", "-:0,1"),
            "\x00"
            "foo\x00\x01\x01\x02\x80\x7f\x80\x81"s);
  EXPECT_EQ(Encode("foo", "-:1,9"),
            "\x00"
            "foo\x00\x01\x01\x02\x80\x7f\x81\x89"s);
}

TEST(SliceKey, RoundTrips) {
  for (const std::string& tensor : {"foo"s, ""s, "\0\xff"s, "a/b/.ATTRIBUTES/VARIABLE_VALUE"s}) {
    for (const std::string slice : {"-", "0,1", "-:3,4:-", "100000,1:0,9000000000"}) {
      const auto key = DecodeSliceKey(Encode(tensor, slice));
      ASSERT_TRUE(key.has_value()) << slice;
      EXPECT_EQ(key->tensor, tensor);
      EXPECT_EQ(key->slice.ToString(), slice);
    }
  }
}

TEST(SliceKey, OrdinaryNamesAreNone) {
  for (const std::string& key : {""s, "foo"s, "\0"s, "\0foo"s, "\0foo\0\x01"s, "\0foo\0\x01\0"s}) {
    EXPECT_EQ(DecodeSliceKey(key), std::nullopt);
  }
}

TEST(SliceKey, ThereIsOneSpelling) {
  const std::string key = Encode("foo", "-:0,1");
  EXPECT_EQ(DecodeSliceKey(key + "x"), std::nullopt);
  EXPECT_EQ(DecodeSliceKey(key.substr(0, key.size() - 1)), std::nullopt);
  EXPECT_EQ(DecodeSliceKey("\0foo\0\x01\x02\0\x02\x80\x7f\x80\x81"s), std::nullopt);  // rank in two bytes
  EXPECT_EQ(DecodeSliceKey("\0foo\0\x01\x01\x01\xc0\0\x81"s), std::nullopt);          // start 0 in two bytes
  EXPECT_EQ(DecodeSliceKey("\0foo\0\x01\x01\x01\x7f\x81"s), std::nullopt);            // start -1
  EXPECT_EQ(DecodeSliceKey("\0foo\0\x01\x01\x01\x80\x80"s), std::nullopt);            // length 0
  EXPECT_EQ(DecodeSliceKey("\0foo\0\x01\x04\xff\xff\xff\xff\x80\x7f"s), std::nullopt);  // rank 2^32-1
}

}  // namespace

// For messages of EXPECT_EQ with optional values.
bool operator==(const SliceKey& a, const SliceKey& b) { return a.tensor == b.tensor && a.slice == b.slice; }

}  // namespace savedmodel::internal
