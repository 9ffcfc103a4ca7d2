#include "savedmodel/object_graph/internal/captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "savedmodel/proto/saved_object_graph.pb.h"
#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Optional;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

// bound_inputs is field 2: packed it begins with 0x12, one by one with 0x10.
TEST(ReadBoundInputs, ReadsBothEncodings) {
  EXPECT_THAT(ReadBoundInputs(""), Optional(ElementsAre()));
  EXPECT_THAT(ReadBoundInputs(Bytes({0x12, 2, 3, 5})), Optional(ElementsAre(3, 5)));
  EXPECT_THAT(ReadBoundInputs(Bytes({0x10, 3, 0x10, 5})), Optional(ElementsAre(3, 5)));
  EXPECT_THAT(ReadBoundInputs(Bytes({0x10, 3, 0x12, 1, 5, 0x10, 7})), Optional(ElementsAre(3, 5, 7)));
  EXPECT_THAT(ReadBoundInputs(Bytes({0x12, 0})), Optional(ElementsAre()));
}

TEST(ReadBoundInputs, AgreesWithProtobuf) {
  testing::Random random(14);
  for (int i = 0; i < 2000; ++i) {
    proto::SavedConcreteFunction function;
    for (size_t n = random.Below(6); n > 0; --n) {
      function.add_bound_inputs(static_cast<int32_t>(random.Below(size_t{1} << 32)));
    }
    if (random.OneIn(2)) {
      function.mutable_output_signature()->mutable_list_value()->add_values()->set_string_value(
          random.Bytes(0));
    }
    if (random.OneIn(2)) function.mutable_canonicalized_input_signature()->set_int64_value(-3);
    EXPECT_THAT(ReadBoundInputs(function.SerializeAsString()),
                Optional(ElementsAreArray(function.bound_inputs())));
  }
}

TEST(ReadBoundInputs, NegativeIdsStayNegative) {
  proto::SavedConcreteFunction function;
  function.add_bound_inputs(-1);
  EXPECT_THAT(ReadBoundInputs(function.SerializeAsString()), Optional(ElementsAre(-1)));
}

TEST(ReadBoundInputs, SkipsWhatItDoesNotKnow) {
  // Fields 1 (bytes), 3 (fixed32), 4 (fixed64), 2 as fixed32, 5 (a group that holds a field 2), then the
  // field 2.
  EXPECT_THAT(
      ReadBoundInputs(Bytes({0x0a, 1, 9, 0x1d, 1, 2,    3,    4, 0x21, 1,    2,    3,    4, 5, 6, 7, 8,  //
                             0x15, 1, 2, 3,    4, 0x2b, 0x10, 1, 0x2b, 0x2c, 0x2c, 0x10, 7})),
      Optional(ElementsAre(7)));
}

TEST(ReadBoundInputs, BrokenEncodingsAreNothing) {
  for (const std::string& broken :
       {Bytes({0x10}), Bytes({0x12}), Bytes({0x12, 2, 1}), Bytes({0x12, 1, 0x80}), Bytes({0x0a, 5, 1}),
        Bytes({0x2b}), Bytes({0x2c}), Bytes({0x1d, 1}), Bytes({0x16}), Bytes({0x80}),
        Bytes({0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02})}) {
    EXPECT_EQ(ReadBoundInputs(broken), std::nullopt) << ::testing::PrintToString(broken);
  }
}

TEST(ReadBoundInputs, AnyBytesAreReadOrRefused) {
  testing::Random random(15);
  proto::SavedConcreteFunction function;
  for (int id = 0; id < 20; ++id) function.add_bound_inputs(id * 1000);
  const std::string sound = function.SerializeAsString();
  for (size_t i = 0; i <= sound.size(); ++i) (void)ReadBoundInputs(sound.substr(0, i));
  for (int i = 0; i < 20'000; ++i) (void)ReadBoundInputs(random.Bytes(random.Below(20)));
}

TEST(ReadBoundInputs, NestingDoesNotRecurse) {
  EXPECT_EQ(ReadBoundInputs(std::string(1'000'000, 0x2b)), std::nullopt);
  EXPECT_THAT(ReadBoundInputs(std::string(500'000, 0x2b) + std::string(500'000, 0x2c)),
              Optional(ElementsAre()));
}

}  // namespace
}  // namespace savedmodel::internal
