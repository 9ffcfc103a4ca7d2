#include "savedmodel/tools/json_writer.h"

#include <nlohmann/json.hpp>

#include "savedmodel/base/internal/text.h"

namespace savedmodel::tools {

void JsonWriter::Separate(Layout layout) {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.first) *out_ << ',';
  if (layout == Layout::kLine) {
    *out_ << '\n';
    level.lines = true;
  }
  level.first = false;
}

JsonWriter& JsonWriter::Begin(char bracket, Layout layout) {
  Separate(layout);
  *out_ << bracket;
  levels_.emplace_back();
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  if (levels_.back().lines) *out_ << '\n';
  levels_.pop_back();
  *out_ << bracket;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  *out_ << JsonString(key) << ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) { return Raw(JsonString(text)); }

JsonWriter& JsonWriter::Text(std::string_view name) { return String(internal::EscapeNonUtf8(name)); }

JsonWriter& JsonWriter::Raw(std::string_view value) {
  Separate();
  *out_ << value;
  return *this;
}

JsonWriter& JsonWriter::Ints(std::span<const int64_t> values) {
  BeginArray();
  for (int64_t value : values) Int(value);
  return EndArray();
}

JsonWriter& JsonWriter::Texts(std::span<const std::string> names) {
  BeginArray();
  for (const std::string& name : names) Text(name);
  return EndArray();
}

std::string JsonString(std::string_view text) {
  constexpr int kNoIndent = -1;
  constexpr bool kKeepUtf8 = false;
  using Json = nlohmann::json;
  return Json(text).dump(kNoIndent, ' ', kKeepUtf8, Json::error_handler_t::replace);
}

}  // namespace savedmodel::tools
