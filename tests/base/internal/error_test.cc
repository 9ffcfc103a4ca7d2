#include "savedmodel/base/internal/error.h"

#include <gtest/gtest.h>

#include "absl/strings/cord.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

std::string Text(const Status& status) { return std::string(Message(status)); }

TEST(Error, MessageHasOneShape) {
  const Status status = Error(StatusCode::kDataLoss, "block checksum does not match")
                            .File("m/variables.index")
                            .Offset(4096)
                            .Key("w")
                            .Path("root.w")
                            .Expected("0x00000001")
                            .Found("0x00000002")
                            .Hint("copy the file again");
  EXPECT_EQ(Text(status),
            "block checksum does not match, in m/variables.index at byte 4096, key \"w\", object root.w: "
            "expected 0x00000001, found 0x00000002; copy the file again");
}

TEST(Error, MembersThatAreEmptyLeaveNoTrace) {
  constexpr auto kCode = StatusCode::kNotFound;
  EXPECT_EQ(Text(Error(kCode, "no such tag set")), "no such tag set");
  EXPECT_EQ(Text(Error(kCode, "a").File("f")), "a, in f");
  EXPECT_EQ(Text(Error(kCode, "a").Offset(3)), "a, at byte 3");
  EXPECT_EQ(Text(Error(kCode, "a").Key("k")), "a, key \"k\"");
  EXPECT_EQ(Text(Error(kCode, "a").Expected("e")), "a: expected e");
  EXPECT_EQ(Text(Error(kCode, "a").Found("f")), "a: found f");
  EXPECT_EQ(Text(Error(kCode, "a").Hint("")), "a");
}

TEST(Error, BecomesStatusOr) {
  const StatusOr<int> result = Error(StatusCode::kOutOfRange, "x");
  EXPECT_THAT(result, StatusIs(StatusCode::kOutOfRange, "x"));
}

// B79: a path of any bytes gives a message that a terminal and a log line can take.
TEST(Error, B79_MessageIsPrintableWhateverTheNames) {
  const std::string message = Text(Error(StatusCode::kNotFound, "no such\nfile")
                                       .File("m\xc3\xb6"
                                             "del/\xff\x1b[31m")
                                       .Key(std::string("a\0b", 3))
                                       .Found("tab\there"));
  EXPECT_EQ(message,
            "no such\\x0afile, in m\xc3\xb6"
            "del/\\xff\\x1b[31m, key \"a\\x00b\": found tab\\x09here");
}

TEST(Error, NamesOfMegabytesAreCutInTheMessageOnly) {
  const std::string name(5'000'000, 'n');
  const Status status = Error(StatusCode::kNotFound, "no such key").Key(name);
  EXPECT_LT(Message(status).size(), 2000u);
  EXPECT_THAT(Text(status), HasSubstr("(5000000 bytes)"));
  EXPECT_EQ(GetErrorContext(status)->key, name);
}

TEST(Error, APathIsShownAsItIsSpelled) {
  const Status status = Error(StatusCode::kNotFound, "no node").Path("root.a\\\\b\n\xff");
  EXPECT_EQ(Text(status), "no node, object root.a\\\\b\\x0a\\xff") << "its backslashes are not doubled again";
}

TEST(Error, CutNamesStayValidUtf8) {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string name(shift, 'a');
    while (name.size() < 3000) name += "\xf0\x9f\x98\x80";
    const std::string message = Text(Error(StatusCode::kNotFound, "x").Key(name));
    EXPECT_EQ(message.find("\\x"), std::string::npos) << message;
  }
}

TEST(WithContext, FillsEmptyMembersAndMessageAgrees) {
  const Status inner =
      Error(StatusCode::kDataLoss, "bad varint").Offset(7).Found("11 bytes").Hint("copy it again");
  const Status outer = WithContext(inner, {.file = "f", .offset = 99, .key = "k", .found = "other"});
  EXPECT_EQ(Text(outer), "bad varint, in f at byte 7, key \"k\": found 11 bytes; copy it again");
  const ErrorContext want{
      .file = "f", .offset = 7, .key = "k", .path = "", .expected = "", .found = "11 bytes"};
  EXPECT_EQ(GetErrorContext(outer), want);
}

TEST(WithContext, AnOffsetOfAnotherFileIsNotTaken) {
  const Status inner = Error(StatusCode::kDataLoss, "x").File("shard");
  EXPECT_EQ(Text(WithContext(inner, {.file = "index", .offset = 5})), "x, in shard");
}

TEST(WithContext, OkStaysOk) { EXPECT_TRUE(WithContext(OkStatus(), {.file = "f"}).ok()); }

TEST(WithContext, ForeignStatusKeepsCodeTextAndPayloads) {
  Status foreign = absl::UnavailableError("remote said no");
  foreign.SetPayload("store/reason", absl::Cord("42"));
  const Status status = WithContext(foreign, {.file = "f", .path = "root.w"});
  EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, "remote said no, in f, object root.w"));
  EXPECT_EQ(status.GetPayload("store/reason"), absl::Cord("42"));
}

TEST(WithContext, AddedTwiceChangesNothing) {
  const Status once = WithContext(Error(StatusCode::kDataLoss, "a\\b"), {.file = "f\\g"});
  EXPECT_EQ(WithContext(once, {.file = "f\\g"}), once);
}

TEST(WithContext, AWrongKindOfFileStaysOne) {
  const Status status = Error(StatusCode::kInvalidArgument, "not a file").WrongKindOfFile();
  EXPECT_TRUE(IsWrongKindOfFile(WithContext(status, {.file = "f"})));
  EXPECT_TRUE(IsWrongKindOfFile(WithHint(status, "pass the prefix")));
  EXPECT_FALSE(IsWrongKindOfFile(Error(StatusCode::kInvalidArgument, "not a file")));
  EXPECT_FALSE(IsWrongKindOfFile(OkStatus()));
}

TEST(WithHint, AddsAdviceBehindWhatIsThere) {
  const Status status =
      WithHint(Error(StatusCode::kNotFound, "no such key").Key("w").Hint("did you mean \"v\"?"), "list them");
  EXPECT_EQ(Text(status), "no such key, key \"w\"; did you mean \"v\"?; list them");
  EXPECT_EQ(GetErrorContext(status)->key, "w");
  EXPECT_EQ(Text(WithHint(absl::NotFoundError("x"), "y")), "x; y");
  EXPECT_TRUE(WithHint(OkStatus(), "y").ok());
}

}  // namespace
}  // namespace savedmodel::internal
