// Where a verb's answer goes: text or one JSON document on stdout, progress and notes on stderr.
#pragma once

#include <string>
#include <string_view>

#include "savedmodel/base/control.h"
#include "savedmodel/base/status.h"
#include "savedmodel/tools/options.h"
#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

// Colours of one stream; text as it is where colour is off.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string Bold(std::string_view text) const { return Wrap("1", text); }
  std::string Dim(std::string_view text) const { return Wrap("2", text); }
  std::string Bad(std::string_view text) const { return Wrap("31", text); }
  std::string Good(std::string_view text) const { return Wrap("32", text); }
  std::string Link(std::string_view text) const { return Wrap("36", text); }

 private:
  std::string Wrap(std::string_view code, std::string_view text) const;
  bool on_;
};

struct Console {
  Console(bool as_json, ColorChoice color);

  Output out;
  Output err;
  bool json;
  Paint paint;      // of out
  Paint err_paint;  // of err

  // A control whose progress is shown on stderr while it is a terminal, as "WHAT: 34 of 120 MB".
  Control WithProgress(std::string_view what);
  // Ends the line of progress.
  void ClearProgress();
  // One line on stderr for people; JSON documents carry their notes themselves.
  void Note(std::string_view text);

 private:
  bool progress_shown_ = false;
};

// The error as a verb's whole answer.
void ReportError(Console& console, const Status& status);

}  // namespace savedmodel::tools
