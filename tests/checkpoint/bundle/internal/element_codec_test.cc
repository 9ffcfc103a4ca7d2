#include "savedmodel/checkpoint/bundle/internal/element_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::EncodeStrings;
using ::savedmodel::testing::EncodeVariants;
using ::savedmodel::testing::Payload;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr bool kHostIsBig = std::endian::native == std::endian::big;

std::vector<std::string> All(const Elements& elements) {
  std::vector<std::string> all;
  for (size_t i = 0; i < elements.ends.size(); ++i) all.emplace_back(elements.at(i));
  return all;
}

std::vector<std::string> ManyStrings() {
  std::vector<std::string> strings{"", std::string("\0\xff", 2), std::string(300, 'x')};
  for (int i = 0; i < 3000; ++i) strings.push_back(std::to_string(i * i));
  return strings;
}

TEST(ElementCodec, StringsOfEitherByteOrder) {
  for (const bool big : {false, true}) {
    const std::vector<std::string> strings = ManyStrings();
    const Payload payload = EncodeStrings(strings, big);
    SM_ASSERT_OK_AND_ASSIGN(const Elements elements,
                            DecodeStrings(Buffer::FromString(payload.bytes), strings.size(),
                                          {.big_endian = big, .masked_crc32c = payload.crc32c}));
    EXPECT_EQ(All(elements), strings);
  }
}

TEST(ElementCodec, StringsAreNotCopied) {
  const Payload payload = EncodeStrings({"hello"});
  const Buffer entry = Buffer::FromString(payload.bytes);
  SM_ASSERT_OK_AND_ASSIGN(const Elements elements,
                          DecodeStrings(entry, 1, {.masked_crc32c = payload.crc32c}));
  EXPECT_EQ(elements.payload.data(), entry.data() + 5);
}

// The bytes of FORMAT.md#strings.
TEST(ElementCodec, StringsOfTheFormat) {
  const std::string bytes("\x05\x00\xea\xb2\x04\x3ehello", 11);
  SM_ASSERT_OK_AND_ASSIGN(const Elements two,
                          DecodeStrings(Buffer::FromString(bytes), 2, {.masked_crc32c = 0x77c7475d}));
  EXPECT_EQ(All(two), (std::vector<std::string>{"hello", ""}));
  SM_ASSERT_OK_AND_ASSIGN(const Elements none, DecodeStrings(Buffer::FromString("\xd8\xea\x82\xa2"), 0,
                                                             {.masked_crc32c = EncodeStrings({}).crc32c}));
  EXPECT_TRUE(All(none).empty());
}

TEST(ElementCodec, WithoutVerifyingStructureIsStillChecked) {
  std::string bytes = EncodeStrings({"hello", "you"}).bytes;
  bytes[7] ^= 1;
  EXPECT_THAT(DecodeStrings(Buffer::FromString(bytes), 2, {.verify = true}), StatusIs(StatusCode::kDataLoss));
  EXPECT_TRUE(DecodeStrings(Buffer::FromString(bytes), 2, {.verify = false}).ok());
  bytes[0] ^= 1;
  EXPECT_THAT(DecodeStrings(Buffer::FromString(bytes), 2, {.verify = false}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("add up")));
}

TEST(ElementCodec, StringsCutAnywhereAreRefused) {
  const Payload payload = EncodeStrings({"hello", "you"});
  for (size_t size = 0; size < payload.bytes.size(); ++size) {
    const Buffer cut = Buffer::FromString(payload.bytes.substr(0, size));
    EXPECT_THAT(DecodeStrings(cut, 2, {.masked_crc32c = payload.crc32c}), StatusIs(StatusCode::kDataLoss))
        << size;
  }
}

TEST(ElementCodec, ErrorsNameTheOffsetInTheFile) {
  std::string bytes = EncodeStrings({"hello", "you"}).bytes;
  bytes[2] ^= 1;  // the length checksum
  EXPECT_THAT(DecodeStrings(Buffer::FromString(bytes), 2, {.offset = 1000}),
              StatusHasContext(Field(&ErrorContext::offset, 1002u)));
}

TEST(ElementCodec, Variants) {
  const std::vector<std::string> messages{"\x0a\x03int", "", std::string(5000, 'v')};
  const Payload payload = EncodeVariants(messages, kHostIsBig);
  const ElementChecks checks{.big_endian = kHostIsBig, .masked_crc32c = payload.crc32c};
  SM_ASSERT_OK_AND_ASSIGN(const Elements elements,
                          DecodeVariants(Buffer::FromString(payload.bytes), messages.size(), checks));
  EXPECT_EQ(All(elements), messages);
  for (size_t i = 0; i < payload.bytes.size(); i += 7) {
    std::string broken = payload.bytes;
    broken[i] = static_cast<char>(broken[i] ^ 0x10);
    EXPECT_THAT(DecodeVariants(Buffer::FromString(broken), messages.size(), checks),
                StatusIs(StatusCode::kDataLoss))
        << i;
  }
  for (size_t size = 0; size < payload.bytes.size(); size += 3) {
    const Buffer cut = Buffer::FromString(payload.bytes.substr(0, size));
    EXPECT_THAT(DecodeVariants(cut, messages.size(), checks), StatusIs(StatusCode::kDataLoss)) << size;
  }
}

TEST(ElementCodec, VariantsOfTheOtherByteOrderAreRefused) {
  const Payload payload = EncodeVariants({"x"}, !kHostIsBig);
  EXPECT_THAT(DecodeVariants(Buffer::FromString(payload.bytes), 1,
                             {.big_endian = !kHostIsBig, .masked_crc32c = payload.crc32c}),
              StatusIs(StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace savedmodel::internal
