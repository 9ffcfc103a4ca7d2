#include <gtest/gtest.h>

#include "savedmodel/base/file_system.h"

namespace savedmodel {
namespace {

TEST(Path, JoinPutsOneSlashBetween) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("a", ""), "a");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath(".", "b"), "b");
}

TEST(Path, SplitIsAtTheLastSlash) {
  const struct {
    std::string_view path, directory, base;
  } cases[] = {{"a/b", "a", "b"},
               {"b", ".", "b"},
               {"/b", "/", "b"},
               {"a/", "a", ""},
               {"", ".", ""},
               {"/", "/", ""},
               {"/a/b/c", "/a/b", "c"},
               {"a/.index", "a", ".index"},
               {"x/_[200]", "x", "_[200]"}};
  for (const auto& c : cases) {
    const SplitPathResult split = SplitPath(c.path);
    EXPECT_EQ(split.directory, c.directory) << c.path;
    EXPECT_EQ(split.base, c.base) << c.path;
  }
}

TEST(Path, JoinUndoesSplit) {
  for (std::string_view path : {"a/b", "b", "/b", "/a/b/c", "../a", "-x/y z"}) {
    const SplitPathResult split = SplitPath(path);
    EXPECT_EQ(JoinPath(split.directory, split.base), path);
  }
}

}  // namespace
}  // namespace savedmodel
