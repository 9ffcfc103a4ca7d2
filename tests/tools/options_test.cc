#include "savedmodel/tools/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Arguments = std::vector<std::string>;

Options Parsed(const Arguments& arguments) {
  const StatusOr<ParsedCommand> command = ParseCommand(arguments);
  EXPECT_TRUE(command.ok()) << command.status().ToString();
  if (!command.ok()) return {};
  EXPECT_FALSE(command->text);
  return command->options;
}

std::string Shown(const Arguments& arguments) {
  const StatusOr<ParsedCommand> command = ParseCommand(arguments);
  return command.ok() ? command->text.value_or("") : "";
}

TEST(Options, OfEveryVerb) {
  const Options ls =
      Parsed({"ls", "m", "--filter", "root.a", "--digest", "--filter", "root.b.**", "--long", "--json"});
  EXPECT_EQ(ls.verb, Verb::kLs);
  EXPECT_EQ(ls.model, "m");
  EXPECT_THAT(ls.filters, ElementsAre("root.a", "root.b.**"));
  EXPECT_TRUE(ls.digest);
  EXPECT_TRUE(ls.long_list);

  const Options tree = Parsed({"tree", "--depth", "3", "m"});
  EXPECT_EQ(tree.depth, std::optional<size_t>(3));
  EXPECT_EQ(Parsed({"tree", "m"}).depth, std::nullopt);

  const Options cat = Parsed({"cat", "m", "root.v", "--slice", "0:10,:", "--npy", "out.npy"});
  EXPECT_EQ(cat.name, "root.v");
  EXPECT_EQ(cat.slice, "0:10,:");
  EXPECT_EQ(cat.npy, "out.npy");

  const Options load = Parsed({"load", "m", "--tag", "serve", "--tag", "gpu", "--plan", "--with-dependencies",
                               "--allow-missing", "--no-values"});
  EXPECT_THAT(load.tags, ElementsAre("serve", "gpu"));
  EXPECT_TRUE(load.plan && load.include_dependencies && load.allow_missing && load.skip_values);

  EXPECT_EQ(Parsed({"show", "m"}).verb, Verb::kShow);
  EXPECT_EQ(Parsed({"verify", "m"}).verb, Verb::kVerify);
}

TEST(Options, AnOptionTakesOneValueAndNoMore) {
  const Options ls = Parsed({"ls", "--filter", "root.a", "m"});
  EXPECT_EQ(ls.model, "m");
  EXPECT_THAT(ls.filters, ElementsAre("root.a"));
}

TEST(Options, ArgumentsAreLiteral) {
  for (const char* name :
       {"show", "ls", "[a,b]", "a b", "a=b", "*", "~", "{}", "%%", "\"q\"", "m\xff", ".", "/", "a\nb"}) {
    EXPECT_EQ(Parsed({"ls", name}).model, name);
    EXPECT_THAT(Parsed({"ls", "m", "--filter", name}).filters, ElementsAre(name));
    EXPECT_EQ(Parsed({"cat", "m", name}).name, name);
  }
  EXPECT_EQ(Parsed({"ls", "--", "--json"}).model, "--json");
  EXPECT_EQ(Parsed({"ls", ""}).model, "");
  EXPECT_THAT(Parsed({"ls", "m", "--filter", ""}).filters, ElementsAre(""));
  EXPECT_EQ(Parsed({"cat", "m", "k", "--npy", ""}).npy, "");
  EXPECT_THAT(Parsed({"ls", "m"}).filters, IsEmpty());
}

TEST(Options, OptionsOfEveryVerbMayStandBeforeIt) {
  EXPECT_EQ(Parsed({"--json", "ls", "m"}).model, "m");
  EXPECT_EQ(Parsed({"--color", "never", "ls", "m"}).model, "m");
}

TEST(Options, HelpAndVersion) {
  EXPECT_THAT(Shown({"--help"}), AllOf(HasSubstr("show"), HasSubstr("verify"), HasSubstr("MODEL")));
  EXPECT_THAT(Shown({"--version"}), HasSubstr("savedmodel "));
  for (const char* verb : {"show", "ls", "tree", "cat", "load", "verify"}) {
    EXPECT_THAT(Shown({verb, "--help"}), AllOf(HasSubstr(verb), HasSubstr("--json"), HasSubstr("MODEL")))
        << verb;
  }
}

TEST(Options, WhatIsUnknownIsNamedWithWhatIsClose) {
  const auto fails = [](const Arguments& arguments, const auto& message) {
    EXPECT_THAT(ParseCommand(arguments), StatusIs(StatusCode::kInvalidArgument, message));
  };
  fails({"vrfy", "m"}, AllOf(HasSubstr("unknown verb \"vrfy\""), HasSubstr("\"verify\"")));
  fails({"zzz"}, HasSubstr("--help"));
  fails({}, HasSubstr("no verb"));
  fails({"ls", "m", "--filtr", "root.a"},
        AllOf(HasSubstr("unknown option \"--filtr\""), HasSubstr("\"--filter\"")));
  fails({"ls", "--dijest=1", "m"}, HasSubstr("\"--digest\""));
  fails({"ls", "m", "-q"}, HasSubstr("unknown option \"-q\""));
  fails({"show", "m", "--digest"}, HasSubstr("unknown option \"--digest\""));
  fails({"ls", "a", "b"}, HasSubstr("one argument too many: \"b\""));
  fails({"ls"}, HasSubstr("savedmodel ls MODEL"));
  fails({"cat", "m"}, HasSubstr("savedmodel cat MODEL NAME"));
}

TEST(Options, ValuesThatDoNotFitAreTheCallersFault) {
  for (const Arguments& arguments : std::vector<Arguments>{{"tree", "m", "--depth", "x"},
                                                           {"tree", "m", "--depth", "-1"},
                                                           {"tree", "m", "--depth"},
                                                           {"tree", "m", "--depth", ""},
                                                           {"tree", "m", "--depth", "2147483648"},
                                                           {"tree", "m", "--depth", "99999999999999999999"},
                                                           {"cat", "m", "k", "--raw", "-", "--json"},
                                                           {"ls", "m", "--filter"},
                                                           {"ls", "m", "--color", "pink"},
                                                           {"cat", "m", "k", "--npy", "a", "--raw", "b"}}) {
    EXPECT_THAT(ParseCommand(arguments), StatusIs(StatusCode::kInvalidArgument))
        << ::testing::PrintToString(arguments);
  }
}

TEST(Options, AFlagStandsAlone) {
  for (const Arguments& arguments : std::vector<Arguments>{{"ls", "m", "--long=0"},
                                                           {"ls", "m", "--json=true"},
                                                           {"ls", "m", "--json="},
                                                           {"--json=1", "--help"},
                                                           {"--version=1"},
                                                           {"ls", "--help=1"}}) {
    EXPECT_THAT(ParseCommand(arguments), StatusIs(StatusCode::kInvalidArgument, HasSubstr("takes no value")))
        << ::testing::PrintToString(arguments);
  }
  EXPECT_THAT(Parsed({"ls", "m", "--filter", "--long=0"}).filters, ElementsAre("--long=0"));
  EXPECT_EQ(Parsed({"ls", "--", "--json=1"}).model, "--json=1");
}

TEST(Options, HowToAnswerIsKnownWhateverTheRestIs) {
  EXPECT_TRUE(AsksForJson(Arguments{"frobnicate", "--what", "--json"}));
  EXPECT_TRUE(AsksForJson(Arguments{"ls", "--json=yes"}));
  EXPECT_FALSE(AsksForJson(Arguments{"ls", "--", "--json"}));
  EXPECT_EQ(AskedColor(Arguments{"--color", "always"}), ColorChoice::kAlways);
  EXPECT_EQ(AskedColor(Arguments{"ls", "--color=never"}), ColorChoice::kNever);
  EXPECT_EQ(AskedColor(Arguments{"ls", "--color"}), ColorChoice::kAuto);
  EXPECT_EQ(AskedColor(Arguments{"ls"}), ColorChoice::kAuto);
}

}  // namespace
}  // namespace savedmodel::tools
