#include "savedmodel/proto/internal/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "google/protobuf/struct.pb.h"
#include "savedmodel/proto/chunk.pb.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/tensor_bundle.pb.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/proto/support/quiet_protobuf.h"
#include "savedmodel/tests/proto/support/random_message.h"
#include "savedmodel/tests/proto/support/scramble.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::QuietProtobuf;
using ::savedmodel::testing::RandomMessages;
using ::savedmodel::testing::Scrambler;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Optional;
using std::string_literals::operator""s;

ParseLimits EncodingOnly() {
  ParseLimits limits;
  limits.max_memory_floor = uint64_t{1} << 40;
  return limits;
}

// The check says what libprotobuf's own parse says, and libprotobuf is quiet about what passed the check.
template <class M>
void ExpectSameVerdict(const std::string& bytes, const std::string& about) {
  QuietProtobuf quiet;
  M theirs;
  const bool they_accept = theirs.ParseFromString(bytes);
  QuietProtobuf::lines() = 0;
  M ours;
  const Status status = ParseBounded(bytes, &ours, {}, EncodingOnly());
  EXPECT_EQ(QuietProtobuf::lines(), 0) << about;
  EXPECT_EQ(status.ok(), they_accept) << about << ": " << status;
  // The check alone, too: nothing is left for libprotobuf to refuse.
  EXPECT_EQ(CheckEncoding(bytes, M::descriptor(), {}, EncodingOnly()), status) << about;
  if (!they_accept) theirs.Clear();
  EXPECT_EQ(*SerializeParsed(ours), *SerializeParsed(theirs)) << about;
}

std::string Repeated(const std::string& piece, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += piece;
  return all;
}

// `count` messages inside each other, each the only field `tag` of the one around it; for short ones only.
std::string Nested(char tag, int count, std::string inside = "") {
  for (int i = 0; i < count; ++i) {
    std::string size;
    for (size_t rest = inside.size();; rest >>= 7) {
      size.push_back(static_cast<char>(rest >= 0x80 ? rest | 0x80 : rest));
      if (rest < 0x80) break;
    }
    inside = tag + size + inside;
  }
  return inside;
}

TEST(ParseBounded, ParsesAndKeepsUnknownFields) {
  const std::string bytes =
      "\x0a\x01n\x12\x05"
      "Const"
      "\xf8\x07\x2a"s;  // name, op, field 127
  proto::NodeDef node;
  ASSERT_THAT(ParseBounded(bytes, &node, {.file = "f"}), IsOk());
  EXPECT_EQ(node.name(), "n");
  EXPECT_EQ(node.op(), "Const");
  EXPECT_EQ(*SerializeParsed(node), bytes);
}

TEST(ParseBounded, KeepsTheRetiredOptionalRestore) {
  const std::string bytes = "\x0a\x01v\x20\x01"s;
  proto::TrackableObjectGraph::TrackableObject::SerializedTensor tensor;
  ASSERT_THAT(ParseBounded(bytes, &tensor, {}), IsOk());
  EXPECT_EQ(*SerializeParsed(tensor), bytes);
}

TEST(ParseBounded, ReplacesWhatTheMessageHeldAndEmptiesItOnError) {
  proto::NodeDef node;
  node.add_input("old");
  ASSERT_THAT(ParseBounded("\x0a\x01n", &node, {}), IsOk());
  EXPECT_EQ(node.input_size(), 0);
  ASSERT_FALSE(ParseBounded("\x0a\x02n", &node, {}).ok());
  EXPECT_EQ(node.ByteSizeLong(), 0u);
}

TEST(ParseBounded, SaysFileOffsetFieldAndReason) {
  proto::GraphDef graph;
  // node { name: "ab" op: <length 9 of 1 byte> }
  const Status status = ParseBounded(
      "\x0a\x07\x0a\x02"
      "ab\x12\x09x"s,
      &graph, {.file = "m/saved_model.pb", .base_offset = 1000, .what = "graph"});
  EXPECT_THAT(status,
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("graph (GraphDef)"), HasSubstr("past the end"),
                                                    HasSubstr("NodeDef.op"))));
  EXPECT_THAT(status, StatusHasContext(AllOf(Field(&ErrorContext::file, "m/saved_model.pb"),
                                             Field(&ErrorContext::offset, Optional(1007u)))));
}

TEST(ParseBounded, LeavesTheOffsetOutWhereItMeansNothing) {
  proto::GraphDef graph;
  const Status status = ParseBounded("\x0a", &graph, {.file = "f", .base_offset = std::nullopt});
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::offset, std::nullopt)));
}

TEST(ParseBounded, FindsTheByteThatIsNotUtf8AndStaysQuiet) {
  ::testing::internal::CaptureStderr();
  proto::NodeDef node;
  const Status status = ParseBounded(
      "\x0a\x03"
      "a\xffz"s,
      &node, {.file = "f"});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(status,
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("not UTF-8"), HasSubstr("NodeDef.name"))));
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::offset, Optional(3u))));
}

TEST(ParseBounded, RefusesStringsOfDebugInfoThatAreNotUtf8) {
  proto::GraphDebugInfo info;
  EXPECT_THAT(ParseBounded("\x0a\x01\xff", &info, {}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("GraphDebugInfo.files")));
}

TEST(ParseBounded, BytesNeedNotBeUtf8) {
  proto::TensorProto tensor;
  EXPECT_THAT(ParseBounded("\x22\x01\xff", &tensor, {}), IsOk());
}

TEST(ParseBounded, LimitsSizeAndDepth) {
  proto::StructuredValue value;
  EXPECT_THAT(ParseBounded("\x58\x01", &value, {}, {.max_bytes = 1}),
              StatusIs(StatusCode::kResourceExhausted));
  proto::FullTypeDef type;
  EXPECT_THAT(ParseBounded(Nested('\x12', 100), &type, {}), IsOk());
  EXPECT_THAT(ParseBounded(Nested('\x12', 101), &type, {}),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("nested too deep")));
  EXPECT_THAT(ParseBounded(Nested('\x12', 3), &type, {}, {.max_depth = 2}),
              StatusIs(StatusCode::kResourceExhausted));
}

TEST(ParseBounded, AMillionGroupsInsideEachOtherAreALimitAndNoStackOverflow) {
  proto::NodeDef node;
  EXPECT_THAT(ParseBounded(Repeated("\x4b", 1000000), &node, {}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(ParseBounded(Repeated("\x4b", 100) + Repeated("\x4c", 100), &node, {}), IsOk());
}

TEST(ParseBounded, EmptyMessagesThatWasteMemoryAreALimit) {
  proto::TensorProto tensor;  // two bytes for each variant element of over a hundred
  EXPECT_THAT(ParseBounded(Repeated("\x7a\x00"s, 1 << 20), &tensor, {}),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("memory")));
  EXPECT_THAT(ParseBounded(Repeated("\x7a\x00"s, 1 << 10), &tensor, {}), IsOk());
}

TEST(ParseBounded, AMessageOfAnotherSchemaIsOurOwnBug) {
  google::protobuf::Struct other;
  EXPECT_THAT(ParseBounded("", &other, {}), StatusIs(StatusCode::kInternal));
}

TEST(ParseBounded, JudgesOddEncodingsAsLibprotobufDoes) {
  const std::pair<const char*, std::string> cases[] = {
      {"nothing", ""},
      {"tag 0", "\x00"s},
      {"field 0", "\x01"s + std::string(8, '\0')},
      {"field 0 as bytes", "\x02\x00"s},
      {"wire type 6", "\x0e\x00"s},
      {"wire type 7", "\x0f\x00"s},
      {"tag of five bytes", "\x8a\x80\x80\x80\x00\x01n"s},
      {"tag of five bytes with bits above the 32nd", "\x8a\x80\x80\x80\x70\x01n"s},
      {"tag of six bytes", "\x8a\x80\x80\x80\x80\x00\x01n"s},
      {"largest field number", "\xf8\xff\xff\xff\x0f\x01"s},
      {"length of five bytes", "\x0a\x81\x80\x80\x80\x00n"s},
      {"length of five bytes above 2 GiB", "\x0a\x81\x80\x80\x80\x08n"s},
      {"length of six bytes", "\x0a\x81\x80\x80\x80\x80\x00n"s},
      {"length past the end", "\x0a\x02n"s},
      {"no length", "\x0a"s},
      {"varint of ten bytes", "\x78" + Repeated("\xff", 9) + "\x01"},
      {"varint of ten bytes with bits above the 64th", "\x78" + Repeated("\xff", 9) + "\x7f"},
      {"varint of eleven bytes", "\x78" + Repeated("\xff", 10) + "\x01"},
      {"varint without an end", "\x78\x80"s},
      {"fixed32 cut short", "\x7d\x01\x02\x03"s},
      {"fixed64 cut short", "\x79\x01\x02\x03\x04\x05\x06\x07"s},
      {"name as a varint", "\x08\x01"s},
      {"name as a group", "\x0b\x0c"s},
      {"group in group", "\x4b\x53\x54\x4c"s},
      {"group closed by another", "\x4b\x54"s},
      {"group not closed", "\x4b\x08\x01"s},
      {"end of group alone", "\x4c"s},
      {"group that swallows its message's end", "\x2a\x01\x4b\x4c"s},
      {"attr entry without key and value", "\x2a\x00"s},
      {"attr entry with unknown fields", "\x2a\x04\x0a\x00\x18\x01"s},
      {"attr key that is not UTF-8", "\x2a\x03\x0a\x01\x80"s},
      {"attr with two values", "\x2a\x0b\x0a\x01k\x12\x02\x18\x01\x12\x02\x20\x01"s},
      {"packed list", "\x2a\x09\x12\x07\x0a\x05\x1a\x03\x01\x80\x01"s},
      {"packed list cut in a varint", "\x2a\x08\x12\x06\x0a\x04\x1a\x02\x01\x80"s},
      {"packed floats", "\x2a\x0a\x12\x08\x0a\x06\x22\x04\x01\x02\x03\x04"s},
      {"packed floats of 6 bytes", "\x2a\x0c\x12\x0a\x0a\x08\x22\x06"s + std::string(6, 'x')},
      {"packed doubles of 16 bytes", "\x2a\x16\x12\x14\x42\x12\x32\x10"s + std::string(16, 'x')},
      {"packed doubles of 12 bytes", "\x2a\x12\x12\x10\x42\x0e\x32\x0c"s + std::string(12, 'x')},
      {"packed floats that do not divide", "\x2a\x09\x12\x07\x0a\x05\x22\x03\x01\x02\x03"s},
      {"overlong UTF-8", "\x0a\x02\xc0\x80"s},
      {"surrogate", "\x0a\x03\xed\xa0\x80"s},
      {"last code point", "\x0a\x04\xf4\x8f\xbf\xbf"s},
      {"past the last code point", "\x0a\x04\xf4\x90\x80\x80"s},
      {"NUL in a name", "\x0a\x01\x00"s},
  };
  for (const auto& [about, bytes] : cases) ExpectSameVerdict<proto::NodeDef>(bytes, about);
}

TEST(ParseBounded, CountsDepthAsLibprotobufDoes) {
  for (int n : {98, 99, 100, 101, 102}) {
    const std::string about = std::to_string(n);
    ExpectSameVerdict<proto::FullTypeDef>(Nested('\x12', n), "messages " + about);
    ExpectSameVerdict<proto::FullTypeDef>(Repeated("\x4b", n) + Repeated("\x4c", n), "groups " + about);
    const std::string groups = Repeated("\x4b", 50) + Repeated("\x4c", 50);
    ExpectSameVerdict<proto::FullTypeDef>(Nested('\x12', n - 50, groups), "groups in messages " + about);
    // StructuredValue.dict_value.fields[""].value...: a map's entry is a message, too.
    std::string value;
    for (int i = 0; i < n / 3; ++i)
      value = Nested('\x12', 1, value), value = Nested('\x0a', 1, value),
      value = "\xaa\x03" + Nested('\x12', 1, value).substr(1);
    for (int i = 0; i < n % 3; ++i) value = "\xa2\x03" + Nested('\x12', 1, value).substr(1);
    ExpectSameVerdict<proto::StructuredValue>(value, "maps " + about);
  }
}

TEST(ParseBounded, JudgesEveryTwoByteStringAsLibprotobufDoes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
      ExpectSameVerdict<proto::NodeDef>("\x0a\x02" + bytes, "name " + std::to_string(first * 256 + second));
      ExpectSameVerdict<proto::NodeDef>(bytes, "bytes " + std::to_string(first * 256 + second));
    }
  }
}

template <class M>
void JudgesDamageAsLibprotobufDoes(uint32_t seed) {
  M message;
  RandomMessages(seed).Fill(&message, 15);
  std::string bytes = Scrambler(seed).Scramble(*SerializeParsed(message), M::descriptor());
  for (size_t size = 0; size <= bytes.size(); ++size)
    ExpectSameVerdict<M>(bytes.substr(0, size), "size " + std::to_string(size));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char right = bytes[i];
    for (int flip : {0x01, 0x02, 0x08, 0x80, 0xff}) {
      bytes[i] = static_cast<char>(right ^ flip);
      ExpectSameVerdict<M>(bytes, "byte " + std::to_string(i) + ", flip " + std::to_string(flip));
    }
    bytes[i] = right;
  }
}

TEST(ParseBounded, JudgesDamageAsLibprotobufDoes) {
  for (uint32_t seed = 0; seed < 3; ++seed) {
    JudgesDamageAsLibprotobufDoes<proto::FunctionDef>(seed);
    JudgesDamageAsLibprotobufDoes<proto::SavedObject>(seed);
    JudgesDamageAsLibprotobufDoes<proto::TrackableObjectGraph>(seed);
    JudgesDamageAsLibprotobufDoes<proto::BundleEntryProto>(seed);
    JudgesDamageAsLibprotobufDoes<proto::SignatureDef>(seed);
    JudgesDamageAsLibprotobufDoes<proto::proto_splitter::ChunkMetadata>(seed);
  }
}

TEST(CheckEncoding, SaysTheSameWithoutParsing) {
  EXPECT_THAT(CheckEncoding("\x0a\x01n", proto::NodeDef::descriptor(), {}), IsOk());
  EXPECT_THAT(CheckEncoding("\x0a\x02n", proto::NodeDef::descriptor(), {}), StatusIs(StatusCode::kDataLoss));
}

}  // namespace
}  // namespace savedmodel::internal
