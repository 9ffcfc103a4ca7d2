#include "savedmodel/tools/json_writer.h"

#include <gtest/gtest.h>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/tests/tools/capture.h"
#include "savedmodel/tools/json_values.h"

namespace savedmodel::tools {
namespace {

template <class Write>
std::string Written(const Write& write) {
  Capture capture;
  JsonWriter json(&capture.out());
  write(json);
  return capture.Text();
}

TEST(JsonWriter, MembersStandInTheOrderTheyWereWritten) {
  EXPECT_EQ(Written([](JsonWriter& json) {
              json.BeginObject()
                  .Key("z")
                  .Int(-1)
                  .Key("a")
                  .BeginArray()
                  .Uint(UINT64_MAX)
                  .Null()
                  .Bool(true)
                  .EndArray();
              json.Key("o").BeginObject().EndObject().Key("e").BeginArray().EndArray().EndObject().Finish();
            }),
            "{\"z\":-1,\"a\":[18446744073709551615,null,true],\"o\":{},\"e\":[]}\n");
}

TEST(JsonWriter, ItemsOfALongListStandOnLinesOfTheirOwn) {
  EXPECT_EQ(Written([](JsonWriter& json) {
              json.BeginArray();
              for (int i = 0; i < 2; ++i)
                json.BeginObject(JsonWriter::Layout::kLine).Key("i").Int(i).EndObject();
              json.EndArray();
            }),
            "[\n{\"i\":0},\n{\"i\":1}\n]");
}

TEST(JsonWriter, NamesOfAnyBytesCanBeToldApart) {
  EXPECT_EQ(Written([](JsonWriter& json) { json.Text("a\xff\\\"\n\xc3\xa9"); }),
            "\"a\\\\xff\\\\\\\\\\\"\\n\xc3\xa9\"");
  EXPECT_EQ(Written([](JsonWriter& json) { json.String("a\xff"); }), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(Written([](JsonWriter& json) { json.TextOrNull(""); }), "null");
}

TEST(JsonValues, AnErrorHasAllMembersAndNullWhereOneDoesNotApply) {
  internal::Error error(StatusCode::kDataLoss, "bad");
  error.Offset(7);
  const std::vector<std::string> names = {"f\xff", "k\\", "root.\"a\\\\b\""};
  error.File(names[0]).Key(names[1]).Path(names[2]);
  const Status status = error;
  EXPECT_EQ(
      Written([&](JsonWriter& json) { WriteError(json, status); }),
      "{\"code\":\"DataLoss\",\"message\":" + JsonString(std::string(status.message())) +
          ",\"file\":\"f\\\\xff\",\"offset\":7,\"key\":\"k\\\\\\\\\",\"path\":\"root.\\\"a\\\\\\\\b\\\"\"}");
  EXPECT_EQ(Written([&](JsonWriter& json) { WriteError(json, absl::NotFoundError("x")); }),
            R"({"code":"NotFound","message":"x","file":null,"offset":null,"key":null,"path":null})");
}

TEST(JsonValues, UnknownSizesAreNull) {
  const auto written = [](const PartialShape& shape) {
    return Written([&](JsonWriter& json) { WriteShape(json, shape); });
  };
  EXPECT_EQ(written(PartialShape()), "null");
  EXPECT_EQ(written(*PartialShape::Make(std::vector<int64_t>{-1, 3})), "[null,3]");
  EXPECT_EQ(written(Shape{}), "[]");
}

}  // namespace
}  // namespace savedmodel::tools
