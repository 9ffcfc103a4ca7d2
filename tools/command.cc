#include "savedmodel/tools/command.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/tools/console.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/json_writer.h"
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

void PrintShown(const ParsedCommand& command, Console& console) {
  if (!console.json) {
    console.out << *command.text;
    return;
  }
  JsonWriter json(&console.out);
  json.BeginObject().Key("schema").Int(1);
  command.version.empty() ? json.Key("help").String(*command.text)
                          : json.Key("version").String(command.version);
  json.EndObject().Finish();
}

StatusOr<int> Run(std::span<const std::string> arguments, Console& console) {
  const StatusOr<ParsedCommand> command = ParseCommand(arguments);
  if (!command.ok()) return command.status();
  if (!command->text) return RunVerb(command->options, console);
  PrintShown(*command, console);
  return kExitFine;
}

Status OutOfMemory() {
  return internal::Error(StatusCode::kResourceExhausted, "out of memory")
      .Hint("a part of the model, by --filter or --slice, takes less");
}

// The library reports what it runs out of; what the containers of this room and the parser of the command
// line throw is made an error here, so that every failure ends with a message and an exit code.
StatusOr<int> RunAndCatch(std::span<const std::string> arguments, Console& console) {
  try {
    return Run(arguments, console);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {  // more elements than any memory has
    return OutOfMemory();
  } catch (const std::exception& error) {
    return internal::Error(StatusCode::kInternal, "unexpected: " + std::string(error.what()));
  }
}

// The error as the whole answer. One that comes when a part of the answer has been sent goes to stderr:
// behind that part it would be no document.
void TellError(Console& console, const Status& status) {
  if (console.json && !console.out.Discard()) {
    console.ClearProgress();
    console.err << "savedmodel: " << Message(status) << '\n';
    return;
  }
  ReportError(console, status);
}

}  // namespace

int RunCommand(std::span<const std::string> arguments) {
  Console console(AsksForJson(arguments), AskedColor(arguments));
  const StatusOr<int> result = RunAndCatch(arguments, console);
  if (!result.ok()) TellError(console, result.status());
  console.ClearProgress();
  const int code = result.ok() ? *result : ExitCode(result.status());
  const Status written = console.out.Finish();
  if (written.ok()) return code;
  // The answer did not arrive, so nobody has read it as JSON.
  console.err << "savedmodel: " << Message(written) << '\n';
  return ExitCode(written);
}

}  // namespace savedmodel::tools
