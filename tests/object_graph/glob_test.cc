#include "savedmodel/object_graph/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::StatusIs;
using ::testing::HasSubstr;

bool Matches(std::string_view pattern, std::string_view path) {
  const StatusOr<Glob> glob = Glob::Parse(pattern);
  const StatusOr<NodePath> parsed = NodePath::Parse(path);
  EXPECT_THAT(glob, IsOk());
  EXPECT_THAT(parsed, IsOk());
  return glob.ok() && parsed.ok() && glob->Matches(*parsed);
}

TEST(Glob, WithoutStarsIsAPath) {
  EXPECT_TRUE(Matches("root.a.b", "root.a.b"));
  EXPECT_FALSE(Matches("root.a.b", "root.a"));
  EXPECT_FALSE(Matches("root.a.b", "root.a.b.c"));
  EXPECT_FALSE(Matches("root.a", "root.A"));
  EXPECT_TRUE(Matches("root", "root"));
  EXPECT_FALSE(Matches("root", "root.a"));
}

TEST(Glob, StarIsExactlyOneComponent) {
  EXPECT_TRUE(Matches("root.*", "root.a"));
  EXPECT_TRUE(Matches("root.*", R"(root."")"));
  EXPECT_FALSE(Matches("root.*", "root"));
  EXPECT_FALSE(Matches("root.*", "root.a.b"));
  EXPECT_TRUE(Matches("root.layers.*.kernel", "root.layers.0.kernel"));
  EXPECT_FALSE(Matches("root.layers.*.kernel", "root.layers.kernel"));
}

TEST(Glob, TwoStarsAreAnyNumberOfComponentsNoneIncluded) {
  EXPECT_TRUE(Matches("root.**", "root"));
  EXPECT_TRUE(Matches("root.**", "root.a.b.c"));
  EXPECT_TRUE(Matches("root.a.**", "root.a"));
  EXPECT_FALSE(Matches("root.a.**", "root.b"));
  EXPECT_TRUE(Matches("root.**.v", "root.v"));
  EXPECT_TRUE(Matches("root.**.v", "root.v.v"));
  EXPECT_TRUE(Matches("root.**.v", "root.a.b.v"));
  EXPECT_FALSE(Matches("root.**.v", "root.a.v.b"));
  EXPECT_TRUE(Matches("root.**.**", "root"));
  EXPECT_TRUE(Matches("root.a.**.b.**.c", "root.a.b.c"));
  EXPECT_FALSE(Matches("root.a.**.b.**.c", "root.a.c.b"));
}

TEST(Glob, AStarInsideANameIsAnyRunOfItsCharacters) {
  EXPECT_TRUE(Matches("root.layer_*", "root.layer_12"));
  EXPECT_TRUE(Matches("root.layer_*", "root.layer_"));
  EXPECT_FALSE(Matches("root.layer_*", "root.layer"));
  EXPECT_TRUE(Matches("root.*_*", "root.a_b_c"));
  EXPECT_TRUE(Matches("root.a**b", "root.ab"));
  EXPECT_FALSE(Matches("root.a**b", "root.a.b"));
  EXPECT_TRUE(Matches("root.a*c.d", R"(root."a.b.c".d)"));
  EXPECT_TRUE(Matches("root.***", "root.a"));
  EXPECT_FALSE(Matches("root.***", "root.a.b"));
}

TEST(Glob, AQuotedStarIsACharacter) {
  EXPECT_TRUE(Matches(R"(root."*")", R"(root."*")"));
  EXPECT_FALSE(Matches(R"(root."*")", "root.a"));
  EXPECT_TRUE(Matches(R"(root."**".a)", "root.**.a"));
  EXPECT_FALSE(Matches(R"(root."**".a)", "root.a"));
  EXPECT_TRUE(Matches(R"(root.*."*")", R"(root.x."*")"));
  EXPECT_FALSE(Matches(R"(root.*."*")", "root.x.y"));
}

TEST(Glob, TellsPatternsFromPaths) {
  EXPECT_TRUE(Glob::IsPattern("root.*"));
  EXPECT_TRUE(Glob::IsPattern("root.a*b"));
  EXPECT_FALSE(Glob::IsPattern("root.a"));
  EXPECT_FALSE(Glob::IsPattern(R"(root."a*")"));
  EXPECT_FALSE(Glob::IsPattern("root..*")) << "malformed text is no pattern: it is reported as a path";
}

TEST(Glob, MalformedTextIsInvalidArgument) {
  EXPECT_THAT(Glob::Parse("encoder.*"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("not root")));
  EXPECT_THAT(Glob::Parse("root.*."), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Glob::Parse("*"), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Glob, LimitsAreSaid) {
  std::string stars = "root", names = "root";
  for (int i = 0; i < 32; ++i) stars += ".**";
  for (int i = 0; i < 1000; ++i) names += ".*";
  EXPECT_THAT(Glob::Parse(stars), IsOk());
  EXPECT_THAT(Glob::Parse(names), IsOk());
  EXPECT_THAT(Glob::Parse(stars + ".**"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("32")));
  EXPECT_THAT(Glob::Parse(names + ".*"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("1000")));
}

// Patterns that make a backtracking matcher take exponential time.
TEST(Glob, PatternsThatLookExponentialAreNot) {
  std::string stars = "root", path = "root", run = "root.";
  for (int i = 0; i < 32; ++i) stars += ".**.a";
  for (int i = 0; i < 2000; ++i) path += ".a";
  EXPECT_FALSE(Matches(stars + ".b", path));
  for (int i = 0; i < 200; ++i) run += "*a";
  EXPECT_FALSE(Matches(run + "b", "root." + std::string(5000, 'a')));
}

TEST(Glob, StatesSayWhetherALongerPathCanMatch) {
  SM_ASSERT_OK_AND_ASSIGN(const Glob glob, Glob::Parse("root.a.*"));
  Glob::State state = glob.Start();
  EXPECT_TRUE(glob.CanContinue(state));
  EXPECT_FALSE(glob.Accepts(state));
  EXPECT_FALSE(glob.CanContinue(glob.Step(state, "b")));
  state = glob.Step(glob.Step(state, "a"), "x");
  EXPECT_TRUE(glob.Accepts(state));
  EXPECT_FALSE(glob.CanContinue(state));
}

// The rules of the grammar, word by word; recursive and slow.
bool NameFits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return NameFits(pattern.substr(1), name) || (!name.empty() && NameFits(pattern, name.substr(1)));
  }
  return !name.empty() && pattern[0] == name[0] && NameFits(pattern.substr(1), name.substr(1));
}
bool Fits(std::span<const std::string> pattern, std::span<const std::string> path) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] == "**") {
    return Fits(pattern.subspan(1), path) || (!path.empty() && Fits(pattern, path.subspan(1)));
  }
  return !path.empty() && NameFits(pattern[0], path[0]) && Fits(pattern.subspan(1), path.subspan(1));
}

TEST(Glob, AgreesWithTheRulesOnRandomPatterns) {
  Random random(4);
  const std::vector<std::string> parts = {"*", "**", "a", "b", "a*", "*b", "a*b"};
  const std::vector<std::string> names = {"a", "b", "ab", "aab"};
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> pattern, path;
    for (size_t n = random.Below(5); n > 0; --n) pattern.push_back(parts[random.Below(parts.size())]);
    for (size_t n = random.Below(5); n > 0; --n) path.push_back(names[random.Below(names.size())]);
    std::string text = "root";
    for (const std::string& part : pattern) text += "." + part;
    SM_ASSERT_OK_AND_ASSIGN(const Glob glob, Glob::Parse(text));
    const bool fits = Fits(pattern, path);
    matched += fits;
    ASSERT_EQ(glob.Matches(NodePath(path)), fits) << text << " " << NodePath(path).ToString();
  }
  EXPECT_GT(matched, 1000);
}

}  // namespace
}  // namespace savedmodel
