#include "savedmodel/base/error_context.h"

#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/cord.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/error_payload.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::ErrorPayload;
using internal::WithContext;

TEST(ErrorContext, NothingForOkAndForForeignStatuses) {
  EXPECT_EQ(GetErrorContext(OkStatus()), std::nullopt);
  EXPECT_EQ(GetErrorContext(absl::NotFoundError("elsewhere")), std::nullopt);
}

TEST(ErrorContext, MessageIsTheText) {
  EXPECT_EQ(Message(absl::NotFoundError("x is gone")), "x is gone");
  EXPECT_EQ(Message(OkStatus()), "");
}

TEST(ErrorContext, AllFactsTravelWithTheStatus) {
  const Status status = Error(StatusCode::kDataLoss, "block checksum does not match")
                            .File("m/variables.index")
                            .Offset(0)
                            .Key("w")
                            .Path("root.w")
                            .Expected("1")
                            .Found("2");
  const ErrorContext want{"m/variables.index", 0, "w", "root.w", "1", "2"};
  EXPECT_EQ(GetErrorContext(status), want);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
}

// Bytes that the message must escape are in the context as they were.
TEST(ErrorContext, BytesStayAsTheyAre) {
  const std::string odd("a\n\xff\\\0z", 6);
  const Status status =
      Error(StatusCode::kNotFound, "x").File(odd).Key(odd).Offset(std::numeric_limits<uint64_t>::max());
  ASSERT_TRUE(GetErrorContext(status).has_value());
  EXPECT_EQ(GetErrorContext(status)->file, odd);
  EXPECT_EQ(GetErrorContext(status)->key, odd);
  EXPECT_EQ(GetErrorContext(status)->offset, std::numeric_limits<uint64_t>::max());
}

ErrorPayload FullPayload() {
  return {"what", "hint",
          ErrorContext{"file", uint64_t{1} << 40, std::string(300, 'k'), "path", "expected", "found"}};
}

TEST(ErrorPayload, RoundTrip) {
  const auto payload = internal::DecodeErrorPayload(internal::EncodeErrorPayload(FullPayload()));
  ASSERT_TRUE(payload.has_value());
  EXPECT_EQ(payload->what, "what");
  EXPECT_EQ(payload->hint, "hint");
  EXPECT_EQ(payload->context, FullPayload().context);
}

// A payload that someone else put under our name is refused or read, but never more than its bytes.
TEST(ErrorPayload, DecodesNoPrefixThatCutsAField) {
  const std::string whole = internal::EncodeErrorPayload(FullPayload());
  int decoded = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (internal::DecodeErrorPayload(std::string_view(whole).substr(0, size))) ++decoded;
  }
  EXPECT_EQ(decoded, 8) << "only the cuts between fields: before each of the eight";
}

TEST(ErrorPayload, AnyFlippedByteIsHandled) {
  const std::string whole = internal::EncodeErrorPayload(FullPayload());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = whole;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      if (const auto payload = internal::DecodeErrorPayload(bad)) {
        EXPECT_LE(payload->what.size() + payload->context.key.size(), whole.size());
      }
    }
  }
  EXPECT_FALSE(internal::DecodeErrorPayload("\x02").has_value()) << "another format";
}

TEST(ErrorPayload, GarbageUnderOurNameIsNoContext) {
  Status status = absl::InternalError("x");
  status.SetPayload("savedmodel/error_context",
                    absl::Cord("\x01\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  EXPECT_EQ(GetErrorContext(status), std::nullopt);
  EXPECT_EQ(Message(WithContext(status, {.file = "f"})), "x, in f");
}

}  // namespace
}  // namespace savedmodel
