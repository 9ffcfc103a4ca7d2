#include "savedmodel/tools/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

constexpr std::string_view kProgram = "savedmodel";
constexpr size_t kHelpColumn = 24;  // where descriptions start
constexpr size_t kHelpWidth = 100;
constexpr std::string_view kJson = "--json";
constexpr size_t kMaxDepth = INT32_MAX;  // node numbers are 32 bits, so no path has more edges

const std::map<std::string, ColorChoice>& ColorChoices() {
  static const std::map<std::string, ColorChoice> choices = {
      {"auto", ColorChoice::kAuto}, {"always", ColorChoice::kAlways}, {"never", ColorChoice::kNever}};
  return choices;
}

// One value per use, also when the option may be used several times: what follows is not taken for another.
template <class T>
CLI::Option* AddOne(CLI::App& app, const std::string& name, T& value, const std::string& type,
                    const std::string& help) {
  return app.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
}
template <class T>
CLI::Option* AddMany(CLI::App& app, const std::string& name, T& values, const std::string& type,
                     const std::string& help) {
  return AddOne(app, name, values, type, help + "; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddText(CLI::App& app, const std::string& name, std::optional<std::string>& value,
             const std::string& type, const std::string& help) {
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { value = text; }, help)
      ->type_name(type);
}

void AddFilter(CLI::App& app, Options& options) {
  AddMany(app, "--filter", options.filters, "PATH",
          "only this object and all below it, or what a pattern matches: * stands for one name, ** for any "
          "number");
}

void AddShow(CLI::App&, Options&) {}

void AddLs(CLI::App& app, Options& options) {
  AddFilter(app, options);
  app.add_flag("--digest", options.digest, "add the sha256 of each tensor's elements");
  app.add_flag("-l,--long", options.long_list, "add key, shard, offset and checksum");
}

void AddTree(CLI::App& app, Options& options) {
  AddFilter(app, options);
  AddText(app, "--depth", options.depth_text, "N", "show objects at most N edges below the top");
}

void AddCat(CLI::App& app, Options& options) {
  AddOne(app, "NAME", options.name, "", "an object path (root.dense.kernel) or a checkpoint key");
  AddText(app, "--slice", options.slice, "SPEC",
          "a part: one range per dimension, as 0:10,: (end not included)");
  AddText(app, "--npy", options.npy, "FILE", "write a NumPy file in place of text; - is standard output");
  AddText(app, "--raw", options.raw, "FILE",
          "write the elements' bytes, little-endian, in place of text; - is standard output");
}

void AddLoad(CLI::App& app, Options& options) {
  AddFilter(app, options);
  AddMany(app, "--tag", options.tags, "TAG", "the tags of the MetaGraph to load");
  app.add_flag("--plan", options.plan, "say what would be loaded and read; read no values");
  app.add_flag("--with-dependencies", options.include_dependencies,
               "load also what the selected objects need");
  app.add_flag("--allow-missing", options.allow_missing, "go on where the checkpoint lacks a value");
  app.add_flag("--no-values", options.skip_values, "make the objects and leave their values unread");
}

void AddVerify(CLI::App& app, Options& options) {
  app.add_flag("-l,--long", options.long_list, "name the tensors that are fine, too");
}

struct VerbEntry {
  Verb verb;
  std::string_view name;
  std::string_view summary;
  std::string_view arguments;
  void (*add)(CLI::App&, Options&);
};

constexpr VerbEntry kVerbs[] = {
    {Verb::kShow, "show", "what a model is: format, versions, signatures, counts", "MODEL", AddShow},
    {Verb::kLs, "ls", "one line per stored tensor", "MODEL", AddLs},
    {Verb::kTree, "tree", "the objects of a model as a tree", "MODEL", AddTree},
    {Verb::kCat, "cat", "the values of one tensor", "MODEL NAME", AddCat},
    {Verb::kLoad, "load", "load a SavedModel, or a part of it, and say what was read", "MODEL", AddLoad},
    {Verb::kVerify, "verify", "check every checksum, reference and file", "MODEL", AddVerify},
};

constexpr std::string_view kModelHelp =
    "a SavedModel's directory; a checkpoint's prefix, or its .index or .data-00000-of-00001 file; or a "
    "`checkpoint` "
    "state file or its directory. Paths are taken literally.";
constexpr std::string_view kJsonHelp = "one JSON document in place of text, also on failure";
constexpr std::string_view kColorHelp = "always, never, or auto: on a terminal, unless NO_COLOR is set";

// "  name    words of the description, wrapped and indented\n"
std::string HelpLine(const std::string& name, std::string_view description) {
  std::string text, line = "  " + name;
  line.append(line.size() + 2 < kHelpColumn ? kHelpColumn - line.size() : 2, ' ');
  bool first = true;
  while (!description.empty()) {
    const std::string_view word = description.substr(0, description.find(' '));
    description.remove_prefix(std::min(word.size() + 1, description.size()));
    if (!first && line.size() + 1 + word.size() > kHelpWidth) {
      text += line + '\n';
      line.assign(kHelpColumn, ' ');
      first = true;
    }
    line.append(first ? "" : " ").append(word);
    first = false;
  }
  return text + line + '\n';
}

std::string MainHelp() {
  std::string text =
      "Inspects, checks and loads TensorFlow SavedModels and checkpoints.\n\n"
      "usage: savedmodel VERB MODEL [arguments] [options]\n\nverbs:\n";
  for (const VerbEntry& verb : kVerbs) text += HelpLine(std::string(verb.name), verb.summary);
  text += "\narguments:\n" + HelpLine("MODEL", kModelHelp) + "\noptions of every verb:\n";
  text += HelpLine("--json", kJsonHelp) + HelpLine("--color WHEN", kColorHelp);
  text += HelpLine("--help", "what a verb does, and its options");
  return text +
         "\nsavedmodel --version tells the version.\nExit codes: 0 fine, 1 the answer is no (verify found "
         "something), "
         "2 usage, 3 not found or not readable,\n4 corrupt or refused.\n";
}

// "--long, -l", "--filter PATH", or a positional's name.
std::string NameOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string text;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  for (const std::string& name : option.get_snames()) text += ", -" + name;
  return option.get_type_name().empty() ? text : text + " " + option.get_type_name();
}

std::string VerbHelp(const VerbEntry& verb, const CLI::App& app) {
  std::string arguments, options;
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? arguments : options) += HelpLine(NameOf(*option), option->get_description());
  }
  return "savedmodel " + std::string(verb.name) + ": " + std::string(verb.summary) +
         "\n\nusage: savedmodel " + std::string(verb.name) + " " + std::string(verb.arguments) +
         " [options]\n\narguments:\n" + arguments + "\noptions:\n" + options;
}

Status UnknownVerb(const std::string& name) {
  std::vector<std::string_view> names;
  for (const VerbEntry& verb : kVerbs) names.push_back(verb.name);
  std::string hint = internal::DidYouMean(name, names);
  if (hint.empty()) hint = "savedmodel --help lists the verbs";
  return Error(StatusCode::kInvalidArgument, "unknown verb \"" + internal::Printable(name) + "\"").Hint(hint);
}

std::string HelpOf(std::string_view verb) {
  return "savedmodel " + std::string(verb) + " --help lists the options";
}

Status UnknownArgument(const CLI::App& app, std::string_view verb, const std::string& argument) {
  const std::string shown = "\"" + internal::Printable(argument) + "\"";
  if (!argument.starts_with('-')) {
    return Error(StatusCode::kInvalidArgument, "one argument too many: " + shown).Hint(HelpOf(verb));
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::string hint =
      internal::DidYouMean(argument.substr(0, argument.find('=')), {names.begin(), names.end()});
  if (hint.empty()) hint = HelpOf(verb);
  return Error(StatusCode::kInvalidArgument, "unknown option " + shown).Hint(hint);
}

// What AsksForJson and AskedColor have looked at already.
struct AnswerOptions {
  bool json = false;
  std::string color = {};
};

// An App that takes everything it does not know, so that we name it in our own words.
std::unique_ptr<CLI::App> MakeApp(const VerbEntry& verb, Options* options, AnswerOptions* answer) {
  auto app = std::make_unique<CLI::App>(std::string(verb.summary),
                                        std::string(kProgram) + " " + std::string(verb.name));
  app->allow_extras();
  app->set_help_flag("-h,--help", "this text");
  AddOne(*app, "MODEL", options->model, "", std::string(kModelHelp));
  verb.add(*app, *options);
  app->add_flag(std::string(kJson), answer->json, std::string(kJsonHelp));
  AddOne(*app, "--color", answer->color, "WHEN", std::string(kColorHelp))
      ->check(CLI::IsMember(ColorChoices()).description(""));
  return app;
}

Status HasNoValue(std::string_view option, std::string_view argument) {
  return Error(StatusCode::kInvalidArgument, std::string(option) + " takes no value")
      .Expected(std::string(option))
      .Found("\"" + internal::Printable(argument) + "\"");
}

// CLI11 takes "--long=0" for the flag turned off, and some other words for either; here a flag stands alone.
Status CheckFlags(const CLI::App& app, std::span<const std::string> arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    const CLI::Option* option = name.starts_with("--") ? app.get_option_no_throw(name) : nullptr;
    if (option == nullptr) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    const bool has_value = name.size() < arguments[i].size();
    if (is_flag && has_value) return HasNoValue(name, arguments[i]);
    if (!is_flag && !has_value) ++i;  // the next is its value, whatever that looks like
  }
  return OkStatus();
}

Status ReadDepth(Options* options) {
  if (!options->depth_text) return OkStatus();
  const std::string& text = *options->depth_text;
  size_t depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  if (error != std::errc() || end != text.data() + text.size() || depth > kMaxDepth) {
    return Error(StatusCode::kInvalidArgument, "--depth does not say a number of edges")
        .Expected("a whole number from 0 to " + std::to_string(kMaxDepth))
        .Found("\"" + internal::Printable(text) + "\"");
  }
  options->depth = depth;
  return OkStatus();
}

bool IsStdout(const std::optional<std::string>& file) { return file == kStdoutName; }

Status CheckFiles(const Options& options, bool json) {
  if (options.npy && options.raw) {
    return Error(StatusCode::kInvalidArgument,
                 "--npy and --raw together: each writes the tensor in place of text");
  }
  if (json && (IsStdout(options.npy) || IsStdout(options.raw))) {
    return Error(StatusCode::kInvalidArgument,
                 "--json and a tensor written to standard output, which holds one of them");
  }
  return OkStatus();
}

Status CheckArguments(const CLI::App& app, const VerbEntry& verb) {
  std::vector<std::string> unknown = app.remaining();
  std::erase(unknown, "--");  // what follows it are arguments, and CLI11 leaves the mark itself behind
  if (!unknown.empty()) return UnknownArgument(app, verb.name, unknown.front());
  const bool lacks_name = verb.verb == Verb::kCat && app.get_option("NAME")->count() == 0;
  if (app.get_option("MODEL")->count() == 0 || lacks_name) {
    return Error(StatusCode::kInvalidArgument, "an argument is missing")
        .Expected("savedmodel " + std::string(verb.name) + " " + std::string(verb.arguments));
  }
  return OkStatus();
}

StatusOr<ParsedCommand> ParseVerb(const VerbEntry& verb, std::span<const std::string> arguments) {
  ParsedCommand command;
  command.options.verb = verb.verb;
  AnswerOptions answer;
  const std::unique_ptr<CLI::App> app = MakeApp(verb, &command.options, &answer);
  SAVEDMODEL_RETURN_IF_ERROR(CheckFlags(*app, arguments));
  try {
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    command.text = VerbHelp(verb, *app);
    return command;
  } catch (const CLI::ParseError& error) {
    return Error(StatusCode::kInvalidArgument, error.what()).Hint(HelpOf(verb.name));
  }
  SAVEDMODEL_RETURN_IF_ERROR(CheckArguments(*app, verb));
  SAVEDMODEL_RETURN_IF_ERROR(CheckFiles(command.options, answer.json));
  SAVEDMODEL_RETURN_IF_ERROR(ReadDepth(&command.options));
  return command;
}

ParsedCommand Text(std::string text) {
  ParsedCommand command;
  command.text = std::move(text);
  return command;
}

ParsedCommand Version() {
  ParsedCommand command = Text(std::string(kProgram) + " " SAVEDMODEL_VERSION "\n");
  command.version = SAVEDMODEL_VERSION;
  return command;
}

// Arguments before "--", which ends the options.
std::span<const std::string> BeforeMark(std::span<const std::string> arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  return arguments.first(static_cast<size_t>(mark - arguments.begin()));
}

// The flags that are looked at before there is a verb, or whatever the verb.
Status CheckCommonFlags(std::span<const std::string> arguments) {
  for (const std::string& argument : BeforeMark(arguments)) {
    for (const std::string_view flag : {kJson, std::string_view("--help"), std::string_view("--version")}) {
      if (argument.starts_with(std::string(flag) + "=")) return HasNoValue(flag, argument);
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<ParsedCommand> ParseCommand(std::span<const std::string> arguments) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckCommonFlags(arguments));
  // Options of every verb may stand before it.
  std::vector<std::string> rest;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--help" || arguments[i] == "-h") return Text(MainHelp());
    if (arguments[i] == "--version") return Version();
    rest.push_back(arguments[i]);
    if (arguments[i] == "--color" && i + 1 < arguments.size()) rest.push_back(arguments[++i]);
  }
  if (i == arguments.size()) {
    return Error(StatusCode::kInvalidArgument, "no verb given").Hint("savedmodel --help lists the verbs");
  }
  for (const VerbEntry& verb : kVerbs) {
    if (verb.name != arguments[i]) continue;
    rest.insert(rest.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
    return ParseVerb(verb, rest);
  }
  return UnknownVerb(arguments[i]);
}

bool AsksForJson(std::span<const std::string> arguments) {
  const auto before = BeforeMark(arguments);
  return std::any_of(before.begin(), before.end(),
                     [](const std::string& one) { return one.starts_with(kJson); });
}

ColorChoice AskedColor(std::span<const std::string> arguments) {
  constexpr std::string_view kOption = "--color";
  ColorChoice choice = ColorChoice::kAuto;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string value;
    if (arguments[i] == kOption && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with("--color=")) value = arguments[i].substr(kOption.size() + 1);
    if (const auto found = ColorChoices().find(value); found != ColorChoices().end()) choice = found->second;
  }
  return choice;
}

}  // namespace savedmodel::tools
