#include "savedmodel/tools/base64.h"

#include <gtest/gtest.h>

namespace savedmodel::tools {
namespace {

TEST(Base64, ExamplesOfTheStandard) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, AllBytes) { EXPECT_EQ(Base64(std::string_view("\0\xff\xfe\x7f", 4)), "AP/+fw=="); }

}  // namespace
}  // namespace savedmodel::tools
