#include "savedmodel/object_graph/internal/path_text.h"

#include <gtest/gtest.h>

#include <string>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::StatusIs;

TEST(TokenizePath, SaysWhichNamesWereQuoted) {
  SM_ASSERT_OK_AND_ASSIGN(const auto tokens, TokenizePath(R"(root.*."*".a\x2a)"));
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].name, "*");
  EXPECT_FALSE(tokens[0].quoted);
  EXPECT_EQ(tokens[1].name, "*");
  EXPECT_TRUE(tokens[1].quoted);
  EXPECT_EQ(tokens[2].name, "a*");
  EXPECT_FALSE(tokens[2].quoted);
}

TEST(TokenizePath, RootAloneHasNoTokens) {
  SM_ASSERT_OK_AND_ASSIGN(const auto tokens, TokenizePath("root"));
  EXPECT_TRUE(tokens.empty());
}

TEST(TokenizePath, ALongPathIsReadInOnePass) {
  std::string text = "root";
  for (int i = 0; i < 1'000'000; ++i) text += ".a";
  SM_ASSERT_OK_AND_ASSIGN(const auto tokens, TokenizePath(text));
  EXPECT_EQ(tokens.size(), 1'000'000u);
}

TEST(TokenizePath, AQuoteThatIsNeverClosedIsRefusedWhateverFollows) {
  EXPECT_THAT(TokenizePath("root.\"" + std::string(1'000'000, '.')), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace savedmodel::internal
