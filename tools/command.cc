#include "savedmodel/tools/command.h"

#include "savedmodel/base/internal/error.h"
#include "savedmodel/tools/console.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/options.h"
#include "savedmodel/tools/verbs.h"

namespace savedmodel::tools {
namespace {

StatusOr<int> RunVerb(const Options& options, Console& console) {
  switch (options.verb) {
    case Verb::kShow:
      return RunShow(options, console);
    case Verb::kLs:
      return RunLs(options, console);
    case Verb::kTree:
      return RunTree(options, console);
    case Verb::kCat:
      return RunCat(options, console);
    case Verb::kLoad:
      return RunLoad(options, console);
    case Verb::kVerify:
      return RunVerify(options, console);
  }
  return internal::Error(StatusCode::kInternal, "a verb that nothing runs");
}

StatusOr<int> Run(std::span<const std::string> arguments, Console& console) {
  const StatusOr<ParsedCommand> command = ParseCommand(arguments);
  if (!command.ok()) return command.status();
  if (!command->text) return RunVerb(command->options, console);
  console.out << *command->text;
  return kExitFine;
}

}  // namespace

int RunCommand(std::span<const std::string> arguments) {
  Console console(AsksForJson(arguments), AskedColor(arguments));
  const StatusOr<int> result = Run(arguments, console);
  if (!result.ok()) ReportError(console, result.status());
  console.ClearProgress();
  const int code = result.ok() ? *result : ExitCode(result.status());
  const Status written = console.out.Finish();
  if (written.ok()) return code;
  // The answer did not arrive, so nobody has read it as JSON.
  console.err << "savedmodel: " << Message(written) << '\n';
  return ExitCode(written);
}

}  // namespace savedmodel::tools
