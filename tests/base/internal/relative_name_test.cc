#include "savedmodel/base/internal/relative_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using savedmodel::testing::IsOk;
using savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RelativeName, Components) {
  EXPECT_THAT(SplitComponents("a/b"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitComponents("//a/./b//"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitComponents("."), IsEmpty());
  EXPECT_THAT(SplitComponents(""), IsEmpty());
  EXPECT_THAT(SplitComponents("../...a/.b"), ElementsAre("..", "...a", ".b"));
}

TEST(RelativeName, NamesThatLeadOutAreRefused) {
  for (std::string_view name :
       {std::string_view(""), std::string_view("/etc/passwd"), std::string_view(".."),
        std::string_view("a/../../b"), std::string_view("a/.."), std::string_view("../x"),
        std::string_view("a\0b", 3), std::string_view("./..")}) {
    EXPECT_THAT(CheckRelativeName("m", name), StatusIs(StatusCode::kInvalidArgument)) << name;
  }
}

TEST(RelativeName, OtherNamesPass) {
  for (std::string_view name :
       {".", "a", "a/b", "..a", "a..", "...", "-rf", "_[200]", "a b\n", "\xff", ".index"}) {
    EXPECT_THAT(CheckRelativeName("m", name), IsOk()) << name;
  }
}

TEST(UrlScheme, OnlyLettersDigitsAndFewSignsBeforeTheSlashes) {
  EXPECT_EQ(UrlScheme("s3://b/m"), "s3");
  EXPECT_EQ(UrlScheme("gs://b"), "gs");
  EXPECT_EQ(UrlScheme("abc+x.y-z://"), "abc+x.y-z");
  for (std::string_view path :
       {"", "/a", "a", "a:/b", "://x", "1a://b", "a b://c", "./s3://x", "a/b://c", "s3:"}) {
    EXPECT_EQ(UrlScheme(path), "") << path;
  }
}

}  // namespace
}  // namespace savedmodel::internal
