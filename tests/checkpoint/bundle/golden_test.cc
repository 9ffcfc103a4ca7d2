// Files whose bytes are known from elsewhere: what FORMAT.md prints, and so what TensorFlow writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::BytesOf;
using ::savedmodel::testing::EncodePlain;
using ::savedmodel::testing::IsOk;
using ::testing::ElementsAre;

std::string FromHex(std::string_view hex) {
  std::string digits;
  for (char c : hex) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

StatusOr<BundleReader> Open(std::string index, std::string shard) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add("m.index", Buffer::FromString(std::move(index)));
  files->Add("m.data-00000-of-00001", Buffer::FromString(std::move(shard)));
  return BundleReader::Open("m", {.file_system = files});
}

// A float32 [2,3] with 0..5 under "w".
constexpr std::string_view kOneTensor =
    "00 00 06 08 01 1a 02 08 01 00 01 13 77 08 01 12 08 12 02 08 02 12 02 08 03 28 18 35 c0 db 3d 17"
    "00 00 00 00 01 00 00 00 00 90 12 60 87 00 00 00 00 01 00 00 00 00 c0 f2 a1 b0 00 01 02 78 00 28"
    "00 00 00 00 01 00 00 00 00 94 79 82 84 2d 08 3a 0e 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 57 fb 80 8b 24 75 47 db";

// A float32 [5,10] under "foo" in two slices: column 0 and the rest.
constexpr std::string_view kTwoSlices =
    "00 00 06 08 01 1a 02 08 01 00 0c 13 00 66 6f 6f 00 01 01 02 80 7f 80 81 08 01 12 08 12 02 08 05"
    "12 02 08 01 28 14 35 62 64 00 4f 0a 02 16 81 89 08 01 12 08 12 02 08 05 12 02 08 09 20 14 28 b4"
    "01 35 a2 a8 ea 60 00 03 1e 66 6f 6f 08 01 12 08 12 02 08 05 12 02 08 0a 3a 06 0a 00 0a 02 10 01"
    "3a 08 0a 00 0a 04 08 01 10 09 00 00 00 00 01 00 00 00 00 88 de f0 eb 00 00 00 00 01 00 00 00 00"
    "c0 f2 a1 b0 00 01 02 67 00 72 00 00 00 00 01 00 00 00 00 98 31 f0 56 77 08 84 01 0e 00 00 00 00"
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 57"
    "fb 80 8b 24 75 47 db";

std::string Floats() { return BytesOf<float>({0, 1, 2, 3, 4, 5}); }
std::string ZerosAndOnes() {
  std::string bytes = BytesOf<float>({0, 0, 0, 0, 0});
  for (int i = 0; i < 45; ++i) bytes += BytesOf<float>({1});
  return bytes;
}

TEST(Golden, OneTensor) {
  const std::string index = FromHex(kOneTensor);
  ASSERT_EQ(index.size(), 125u);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, Open(index, Floats()));
  EXPECT_THAT(reader.keys(), ElementsAre("w"));
  SM_ASSERT_OK_AND_ASSIGN(const TensorInfo info, reader.Find("w"));
  EXPECT_EQ(info.bytes, (StoredBytes{0, 0, 24, 0x173ddbc0}));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor w, reader.Read("w"));
  SM_ASSERT_OK_AND_ASSIGN(const std::span<const float> values, w.View<float>());
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Golden, Case15_TwoSlices) {
  const std::string index = FromHex(kTwoSlices);
  ASSERT_EQ(index.size(), 199u);
  SM_ASSERT_OK_AND_ASSIGN(const BundleReader reader, Open(index, ZerosAndOnes()));
  EXPECT_THAT(reader.keys(), ElementsAre("foo"));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor foo, reader.Read("foo"));
  SM_ASSERT_OK_AND_ASSIGN(const std::span<const float> values, foo.View<float>());
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(values[i], i % 10 == 0 ? 0 : 1);
}

// The tests' own writer makes the same bytes, but for index keys, which it does not shorten.
TEST(Golden, TheTestsOwnWriterMakesTheSameEntries) {
  BundleBuilder bundle;
  bundle.Add({.key = "w", .dtype = 1, .shape = {2, 3}, .payload = Floats()});
  EXPECT_EQ(bundle.Files("m").at("m.index").substr(0, 0x2d), FromHex(kOneTensor).substr(0, 0x2d));
  BundleBuilder sliced;
  sliced.AddDirectory("foo", 1, {5, 10});
  sliced.AddPart("foo", {{}, {0, 1}}, EncodePlain(ZerosAndOnes().substr(0, 20)));
  sliced.AddPart("foo", {{}, {1, 9}}, EncodePlain(ZerosAndOnes().substr(20)));
  EXPECT_EQ(sliced.Files("m").at("m.index").substr(0, 0x77), FromHex(kTwoSlices).substr(0, 0x77));
}

// The dump in FORMAT.md is this very file.
TEST(Golden, TheFormatPagePrintsTheseBytes) {
  std::ifstream file(std::string(SAVEDMODEL_SOURCE_DIR) + "/checkpoint/bundle/FORMAT.md");
  std::string dump;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("    0000")) dump += line.substr(12, 48);
  }
  EXPECT_EQ(FromHex(dump), FromHex(kOneTensor));
}

}  // namespace
}  // namespace savedmodel
