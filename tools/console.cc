#include "savedmodel/tools/console.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "savedmodel/base/error_context.h"
#include "savedmodel/tools/json_values.h"

namespace savedmodel::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono_literals::operator""ms;

constexpr auto kProgressStart = 500ms;  // shorter work shows none
constexpr auto kProgressPause = 100ms;
constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr uint64_t kMegabyte = 1'000'000;

bool NoColor() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

bool UsesColor(ColorChoice choice, const Output& out) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  return !NoColor() && out.is_terminal();
}

}  // namespace

std::string Paint::Wrap(std::string_view code, std::string_view text) const {
  if (!on_ || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

Console::Console(bool as_json, ColorChoice color)
    : out(STDOUT_FILENO, "standard output"),
      err(STDERR_FILENO, "standard error"),
      json(as_json),
      paint(!as_json && UsesColor(color, out)),
      err_paint(UsesColor(color, err)) {}

Control Console::WithProgress(std::string_view what) {
  Control control;
  if (!err.is_terminal()) return control;
  control.progress = [this, text = std::string(what),
                      next = Clock::now() + kProgressStart](const Progress& done) mutable {
    if (Clock::now() < next) return;
    next = Clock::now() + kProgressPause;
    progress_shown_ = true;
    err << kClearLine << text << ": " << std::to_string(done.bytes_done / kMegabyte) << " of "
        << std::to_string(done.bytes_total / kMegabyte) << " MB";
    err.Flush();
  };
  return control;
}

void Console::ClearProgress() {
  if (progress_shown_) err << kClearLine;
  progress_shown_ = false;
}

void Console::Note(std::string_view text) {
  if (json) return;
  ClearProgress();
  err << "savedmodel: " << text << '\n';
}

void ReportError(Console& console, const Status& status) {
  console.ClearProgress();
  if (console.json) {
    JsonWriter json(&console.out);
    json.BeginObject().Key("schema").Int(1).Key("error");
    WriteError(json, status);
    json.EndObject().Finish();
    return;
  }
  console.err << console.err_paint.Bad("savedmodel:") << ' ' << Message(status) << '\n';
}

}  // namespace savedmodel::tools
