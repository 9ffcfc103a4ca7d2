#include "savedmodel/object_graph/node_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

std::vector<std::string> Components(std::string_view text) {
  StatusOr<NodePath> path = NodePath::Parse(text);
  EXPECT_THAT(path, IsOk());
  if (!path.ok()) return {};
  return {path->components().begin(), path->components().end()};
}

TEST(NodePath, RootIsTheEmptyPath) {
  EXPECT_TRUE(NodePath().is_root());
  EXPECT_EQ(NodePath::Root().ToString(), "root");
  EXPECT_THAT(Components("root"), ElementsAre());
}

TEST(NodePath, ReadsOrdinaryNames) {
  EXPECT_THAT(Components("root.encoder.layers.0.kernel"), ElementsAre("encoder", "layers", "0", "kernel"));
  EXPECT_THAT(Components("root.root"), ElementsAre("root"));
  EXPECT_THAT(Components("root.__call__"), ElementsAre("__call__"));
}

TEST(NodePath, ReadsQuotedNamesAndEscapes) {
  EXPECT_THAT(Components(R"(root."a.b".c)"), ElementsAre("a.b", "c"));
  EXPECT_THAT(Components(R"(root."")"), ElementsAre(""));
  EXPECT_THAT(Components(R"(root."say \"x\"")"), ElementsAre("say \"x\""));
  EXPECT_THAT(Components(R"(root.a\\b)"), ElementsAre("a\\b"));
  EXPECT_THAT(Components(R"(root.a\x2eb)"), ElementsAre("a.b"));
  EXPECT_THAT(Components(R"(root.\xFF\xfe)"), ElementsAre("\xff\xfe"));
  EXPECT_THAT(Components(R"(root."plain")"), ElementsAre("plain"));
}

TEST(NodePath, StarsAreCharactersOfANameHere) {
  EXPECT_THAT(Components("root.*.a**"), ElementsAre("*", "a**"));
}

TEST(NodePath, QuotesWhatWouldNotReadBack) {
  const NodePath root;
  EXPECT_EQ(root.Child("a.b").ToString(), R"(root."a.b")");
  EXPECT_EQ(root.Child("").ToString(), R"(root."")");
  EXPECT_EQ(root.Child("a b").ToString(), R"(root."a b")");
  EXPECT_EQ(root.Child("a\"b").ToString(), R"(root."a\"b")");
  EXPECT_EQ(root.Child("a\nb").ToString(), R"(root."a\x0ab")");
  EXPECT_EQ(root.Child(std::string("\0", 1)).ToString(), R"(root."\x00")");
  EXPECT_EQ(root.Child("\x7f").ToString(), R"(root."\x7f")");
  EXPECT_EQ(root.Child("a\\b").ToString(), R"(root.a\\b)");
  EXPECT_EQ(root.Child("\xff").ToString(), R"(root.\xff)");
  EXPECT_EQ(root.Child("caf\xc3\xa9").ToString(), "root.caf\xc3\xa9");
  EXPECT_EQ(root.Child("root").ToString(), "root.root");
  EXPECT_EQ(root.Child("a*").ToString(), R"(root."a*")") << "it is no pattern when it is read back";
  EXPECT_EQ(root.Child("layer_with_weights-0").ToString(), "root.layer_with_weights-0");
}

TEST(NodePath, EveryListOfNamesReadsBackFromItsText) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> names;
    for (size_t n = random.Below(5); n > 0; --n) names.push_back(random.Bytes(random.Below(6)));
    const NodePath path(names);
    const StatusOr<NodePath> read = NodePath::Parse(path.ToString());
    ASSERT_THAT(read, IsOk()) << path.ToString();
    ASSERT_EQ(*read, path) << path.ToString();
  }
}

TEST(NodePath, EveryByteReadsBackInAnyPlace) {
  for (int c = 0; c < 256; ++c) {
    const std::string byte(1, static_cast<char>(c));
    for (const std::string& name : {byte, "a" + byte, byte + "a", byte + byte}) {
      const NodePath path({name, "x"});
      SM_ASSERT_OK_AND_ASSIGN(const NodePath read, NodePath::Parse(path.ToString()));
      EXPECT_EQ(read, path) << path.ToString();
    }
  }
}

TEST(NodePath, TextIsPrintableAndOfOneLine) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = NodePath({random.Bytes(8)}).ToString();
    for (const char c : text) {
      ASSERT_GE(static_cast<unsigned char>(c), 0x20) << text;
      ASSERT_NE(c, 0x7f) << text;
    }
  }
}

// Any text is a path or an error with that text, and never anything else.
TEST(NodePath, AnyTextIsReadOrRefused) {
  Random random(3);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = (random.OneIn(4) ? "" : "root.") + random.Bytes(random.Below(8));
    const StatusOr<NodePath> path = NodePath::Parse(text);
    if (path.ok()) {
      ++read;
      SM_ASSERT_OK_AND_ASSIGN(const NodePath again, NodePath::Parse(path->ToString()));
      ASSERT_EQ(again, *path) << text;
    } else {
      ASSERT_THAT(path, StatusIs(StatusCode::kInvalidArgument));
      ASSERT_THAT(path, StatusHasContext(Field(&ErrorContext::path, text)));
    }
  }
  EXPECT_GT(read, 1000);
}

struct Malformed {
  std::string_view text;
  std::string_view complaint;
};

class MalformedPath : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedPath, IsInvalidArgumentThatSaysWhy) {
  EXPECT_THAT(NodePath::Parse(GetParam().text),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::string(GetParam().complaint))));
}

// Case 21: paths that lead nowhere because they are none.
INSTANTIATE_TEST_SUITE_P(
    Case21, MalformedPath,
    ::testing::Values(
        Malformed{"", "empty text"}, Malformed{"foo.a", "not root"}, Malformed{"Root.a", "not root"},
        Malformed{"\"root\".a", "is quoted"}, Malformed{" root", "not root"}, Malformed{"root ", "not root"},
        Malformed{".root", "an empty name"}, Malformed{"root.", "an empty name"},
        Malformed{"root..a", "an empty name"}, Malformed{"root.a.", "an empty name"},
        Malformed{"root.\"a", "not closed"}, Malformed{"root.\"", "not closed"},
        Malformed{"root.\"a\\\"", "not closed"}, Malformed{"root.\"a\"b", "after a closing quote"},
        Malformed{"root.\"a\"\"b\"", "after a closing quote"},
        Malformed{"root.a\"b\"", "a quote inside an unquoted name"}, Malformed{"root.\\", "a backslash"},
        Malformed{"root.a\\n", "a backslash"}, Malformed{"root.\\x", "a backslash"},
        Malformed{"root.\\x4", "a backslash"}, Malformed{"root.\\xg0", "a backslash"},
        Malformed{"root.\\x0g", "a backslash"}, Malformed{"root.\"\\", "a backslash"}));

TEST(NodePath, ComparesByNames) {
  EXPECT_EQ(NodePath({"a"}), NodePath().Child("a"));
  EXPECT_NE(NodePath({"a.b"}), NodePath({"a", "b"}));
  EXPECT_LT(NodePath(), NodePath({"a"}));
  EXPECT_LT(NodePath({"a", "z"}), NodePath({"b"}));
}

TEST(NodePath, ChildLeavesItsParentAlone) {
  const NodePath a({"a"});
  EXPECT_EQ(a.Child("b").ToString(), "root.a.b");
  EXPECT_EQ(a.ToString(), "root.a");
}

}  // namespace
}  // namespace savedmodel
