#include "savedmodel/tools/small_float.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace savedmodel::tools {
namespace {

double Parsed(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(error, std::errc()) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

bool IsNumber(double value) { return !std::isnan(value) && !std::isinf(value); }

// small_floats.json is written by make_small_floats.py from ml_dtypes.
TEST(SmallFloat, EveryPatternOf8BitsMeansWhatMlDtypesSays) {
  std::ifstream in(SAVEDMODEL_SOURCE_DIR "/tests/tools/small_floats.json");
  const nlohmann::json expected = nlohmann::json::parse(in);
  ASSERT_EQ(expected.size(), 5u);
  for (const auto& [name, values] : expected.items()) {
    const SmallFloat type = *SmallFloatOf(*DTypeFromName(name));
    for (uint32_t bits = 0; bits < 256; ++bits) {
      const std::string place = name + " " + std::to_string(bits);
      if (values[bits].is_string()) {
        EXPECT_EQ(ShortestText(type, bits), values[bits].get<std::string>()) << place;
        continue;
      }
      const double value = values[bits];
      EXPECT_EQ(Decode(type, bits), value) << place;
      EXPECT_EQ(std::signbit(Decode(type, bits)), std::signbit(value)) << place;
    }
  }
}

TEST(SmallFloat, SixteenBitsAreWhatFloatsSay) {
  const SmallFloat half = *SmallFloatOf(DType::kFloat16), brain = *SmallFloatOf(DType::kBfloat16);
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float as_half = Float16{static_cast<uint16_t>(bits)}.ToFloat();
    const float as_brain = BFloat16{static_cast<uint16_t>(bits)}.ToFloat();
    ASSERT_TRUE(std::isnan(as_half) || Decode(half, bits) == as_half) << bits;
    ASSERT_TRUE(std::isnan(as_brain) || Decode(brain, bits) == as_brain) << bits;
    ASSERT_EQ(std::isnan(Decode(half, bits)), std::isnan(as_half)) << bits;
    ASSERT_EQ(std::isnan(Decode(brain, bits)), std::isnan(as_brain)) << bits;
  }
}

// The text reads back as an element: it is nearer to it than to the ones before and after.
TEST(SmallFloat, TextOfEveryElementReadsBackAsIt) {
  for (DType dtype :
       {DType::kFloat16, DType::kBfloat16, DType::kFloat8E5m2, DType::kFloat8E4m3fn, DType::kFloat8E4m3fnuz,
        DType::kFloat8E4m3b11fnuz, DType::kFloat8E5m2fnuz, DType::kFloat4E2m1fn}) {
    const SmallFloat type = *SmallFloatOf(dtype);
    const uint32_t magnitudes = 1u << (type.exponent_bits + type.mantissa_bits);
    for (uint32_t bits = 0; bits < magnitudes; ++bits) {
      const double value = Decode(type, bits);
      if (!IsNumber(value)) continue;
      const double distance = std::abs(Parsed(ShortestText(type, bits)) - value);
      for (uint32_t other : {bits - 1, bits + 1}) {
        if (other >= magnitudes || !IsNumber(Decode(type, other))) continue;
        ASSERT_LT(distance, std::abs(Decode(type, other) - value) / 2) << DTypeName(dtype) << " " << bits;
      }
    }
  }
}

TEST(SmallFloat, TextIsAsShortAsPeopleWriteIt) {
  const SmallFloat half = *SmallFloatOf(DType::kFloat16), brain = *SmallFloatOf(DType::kBfloat16);
  EXPECT_EQ(ShortestText(half, 0x2e66), "0.1");
  EXPECT_EQ(ShortestText(half, 0x3c00), "1");
  EXPECT_EQ(ShortestText(half, 0xd640), "-100");
  EXPECT_EQ(ShortestText(half, 0x7bff), "65500");
  EXPECT_EQ(ShortestText(half, 0x0001), "6e-08");
  EXPECT_EQ(ShortestText(half, 0x8000), "-0.0");
  EXPECT_EQ(ShortestText(half, 0x7c00), "Infinity");
  EXPECT_EQ(ShortestText(half, 0xfc00), "-Infinity");
  EXPECT_EQ(ShortestText(half, 0x7e00), "NaN");
  EXPECT_EQ(ShortestText(brain, 0x3dcd), "0.1");
  EXPECT_EQ(ShortestText(brain, 0x4049), "3.14");
}

TEST(SmallFloat, OtherTypesAreNone) {
  EXPECT_FALSE(SmallFloatOf(DType::kFloat32));
  EXPECT_FALSE(SmallFloatOf(DType::kInt8));
  EXPECT_FALSE(SmallFloatOf(DType::kString));
}

}  // namespace
}  // namespace savedmodel::tools
