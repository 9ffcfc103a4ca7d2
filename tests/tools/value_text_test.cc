#include "savedmodel/tools/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/tools/capture.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::IsOk;
using savedmodel::testing::StatusIs;

std::string Written(const Tensor& tensor, ValueStyle style) {
  EXPECT_THAT(CheckWritable(tensor), IsOk());
  Capture capture;
  WriteValues(tensor, style, capture.out());
  return capture.Text();
}
std::string Json(const Tensor& tensor) { return Written(tensor, ValueStyle::kJson); }
std::string Text(const Tensor& tensor) { return Written(tensor, ValueStyle::kText); }

Tensor OfBytes(DType dtype, Shape shape, std::string_view bytes) {
  return *Tensor::FromBytes(dtype, std::move(shape), std::as_bytes(std::span(bytes)));
}

TEST(ValueText, ListsAreNestedAsTheShapeIs) {
  const Tensor tensor = *Tensor::FromValues<int32_t>({2, 1, 3}, {1, 2, 3, 4, 5, -6});
  EXPECT_EQ(Json(tensor), "[[[1,2,3]],[[4,5,-6]]]");
  EXPECT_EQ(Text(tensor), "[[[1, 2, 3]],\n [[4, 5, -6]]]");
  EXPECT_EQ(Json(*Tensor::FromValues<int32_t>({}, {7})), "7");
  EXPECT_EQ(Json(*Tensor::FromValues<int32_t>({1}, {7})), "[7]");
}

TEST(ValueText, EmptyTensorsKeepTheirShape) {
  EXPECT_EQ(Json(*Tensor::FromValues<float>({0}, {})), "[]");
  EXPECT_EQ(Json(*Tensor::FromValues<float>({2, 0}, {})), "[[],[]]");
  EXPECT_EQ(Json(*Tensor::FromValues<float>({0, 5}, {})), "[]");
  EXPECT_EQ(Json(*Tensor::FromValues<float>({1, 2, 0, 9}, {})), "[[[],[]]]");
}

TEST(ValueText, NoElementsInAbsurdlyManyListsAreRefused) {
  EXPECT_THAT(CheckWritable(*Tensor::FromValues<float>({1'000'000'000'000, 0}, {})),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckWritable(*Tensor::FromValues<float>({1000, 1000, 1000, 0}, {})),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(CheckWritable(*Tensor::FromValues<float>({0, 1'000'000'000'000}, {})), IsOk());
}

TEST(ValueText, FloatsAreTheShortestTextThatReadsBack) {
  const Tensor floats = *Tensor::FromValues<float>({5}, {0.1f, 1.0f, -0.0f, 3.4028235e38f, 1e-45f});
  EXPECT_EQ(Json(floats), "[0.1,1,-0.0,3.4028235e+38,1e-45]");
  const Tensor doubles = *Tensor::FromValues<double>({3}, {0.1, 1.0 / 3, 1e300});
  EXPECT_EQ(Json(doubles), "[0.1,0.3333333333333333,1e+300]");
}

TEST(ValueText, WhatIsNoNumberIsAStringInJson) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Tensor tensor =
      *Tensor::FromValues<float>({3}, {std::numeric_limits<float>::quiet_NaN(), kInf, -kInf});
  EXPECT_EQ(Json(tensor), R"(["NaN","Infinity","-Infinity"])");
  EXPECT_EQ(Text(tensor), "[NaN, Infinity, -Infinity]");
  EXPECT_EQ(Json(OfBytes(DType::kFloat8E5m2, {2}, "\x7c\x7d")), R"(["Infinity","NaN"])");
}

TEST(ValueText, ComplexNumbersArePairs) {
  const Tensor tensor = *Tensor::FromValues<std::complex<float>>({2}, {{1.5f, -2}, {0, 0.25f}});
  EXPECT_EQ(Json(tensor), "[[1.5,-2],[0,0.25]]");
  EXPECT_EQ(Text(tensor), "[1.5-2j, 0+0.25j]");
}

TEST(ValueText, IntegersOfEveryWidth) {
  EXPECT_EQ(Json(*Tensor::FromValues<int64_t>({2}, {INT64_MIN, INT64_MAX})),
            "[-9223372036854775808,9223372036854775807]");
  EXPECT_EQ(Json(*Tensor::FromValues<uint64_t>({1}, {UINT64_MAX})), "[18446744073709551615]");
  EXPECT_EQ(Json(*Tensor::FromValues<int8_t>({2}, {-128, 127})), "[-128,127]");
  EXPECT_EQ(Json(*Tensor::FromValues<uint8_t>({2}, {0, 255})), "[0,255]");
  EXPECT_EQ(Json(*Tensor::FromValues<int16_t>({1}, {-32768})), "[-32768]");
  EXPECT_EQ(Json(*Tensor::FromValues<uint16_t>({1}, {65535})), "[65535]");
  EXPECT_EQ(Json(*Tensor::FromValues<uint32_t>({1}, {UINT32_MAX})), "[4294967295]");
}

TEST(ValueText, OfSubByteTypesOnlyTheLowBitsCount) {
  EXPECT_EQ(Json(OfBytes(DType::kInt4, {4}, "\x07\x08\x0f\xf7")), "[7,-8,-1,7]");
  EXPECT_EQ(Json(OfBytes(DType::kUint4, {3}, "\x07\x0f\xf8")), "[7,15,8]");
  EXPECT_EQ(Json(OfBytes(DType::kInt2, {4}, std::string_view("\x00\x01\x02\xff", 4))), "[0,1,-2,-1]");
  EXPECT_EQ(Json(OfBytes(DType::kUint2, {2}, "\x03\xfe")), "[3,2]");
}

TEST(ValueText, Bools) {
  EXPECT_EQ(Json(OfBytes(DType::kBool, {2}, std::string_view("\x01\x00", 2))), "[true,false]");
}

TEST(ValueText, StringsAreTextWhereTheyAreUtf8) {
  const std::string elements[] = {"plain", "\xc3\xa9\"\n", "\xff\x01", std::string("\0", 1), ""};
  const Tensor tensor = *Tensor::FromStrings({5}, elements);
  const nlohmann::json parsed = nlohmann::json::parse(Json(tensor));
  EXPECT_EQ(parsed, (nlohmann::json{"plain", "\xc3\xa9\"\n", {{"b64", "/wE="}}, std::string("\0", 1), ""}));
  EXPECT_EQ(Text(tensor), "[\"plain\", \"\xc3\xa9\\\"\\x0a\", \"\\xff\\x01\", \"\\x00\", \"\"]");
}

TEST(ValueText, VariantsAreBytes) {
  const Tensor tensor = *Tensor::FromElements(DType::kVariant, {1}, Buffer::FromString("ab"), {2});
  EXPECT_EQ(Json(tensor), R"([{"b64":"YWI="}])");
}

TEST(ValueText, EveryStorableTypeHasAText) {
  for (DType dtype : AllDTypes()) {
    if (!IsStorable(dtype)) continue;
    const size_t size = DTypeSize(dtype);
    const Tensor tensor = size > 0 ? OfBytes(dtype, {1}, std::string(size, '\0'))
                                   : *Tensor::FromElements(dtype, {1}, Buffer(), {0});
    const std::string text = Json(tensor);
    EXPECT_TRUE(nlohmann::json::accept(text)) << DTypeName(dtype) << ": " << text;
    EXPECT_GT(text.size(), 2u) << DTypeName(dtype);
  }
}

TEST(ValueText, TensorsWithoutATypeAreRefused) {
  EXPECT_THAT(CheckWritable(Tensor()), StatusIs(StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace savedmodel::tools
