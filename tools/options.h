// The command line as a value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel::tools {

enum class Verb { kShow, kLs, kTree, kCat, kLoad, kVerify };

enum class ColorChoice { kAuto, kAlways, kNever };

// In place of a file's name: the command's standard output.
inline constexpr std::string_view kStdoutName = "-";

struct Options {
  Verb verb = Verb::kShow;
  std::string model = {};

  std::vector<std::string> filters = {};       // ls, tree, load
  bool digest = false;                         // ls
  bool long_list = false;                      // ls, verify
  std::optional<std::string> depth_text = {};  // tree, as given
  std::optional<size_t> depth = {};            // tree

  std::string name = {};                  // cat: an object path or a key
  std::optional<std::string> slice = {};  // cat
  std::optional<std::string> npy = {};    // cat
  std::optional<std::string> raw = {};    // cat

  std::vector<std::string> tags = {};  // load
  bool plan = false;                   // load
  bool include_dependencies = false;   // load
  bool allow_missing = false;          // load
  bool skip_values = false;            // load
};

// What the command line asks for: a verb to run, or a text to show.
struct ParsedCommand {
  std::optional<std::string> text = {};  // of --help or --version
  std::string version = {};              // of --version: the number alone
  Options options = {};
};

// `arguments` without the program's name. Errors: InvalidArgument, naming what is close to an unknown verb or
// option.
StatusOr<ParsedCommand> ParseCommand(std::span<const std::string> arguments);

// How to answer is known also when the rest cannot be parsed. True for "--json=yes" and the like as well:
// whoever writes that is a script that reads JSON, and is told of the mistake in JSON.
bool AsksForJson(std::span<const std::string> arguments);
ColorChoice AskedColor(std::span<const std::string> arguments);

}  // namespace savedmodel::tools
