// Writes one JSON document to an Output, piece by piece, so that a document may be larger than memory.
//
//   JsonWriter json(&out);
//   json.BeginObject().Key("schema").Int(1).Key("tensors").BeginArray();
//   for (...) json.BeginObject(JsonWriter::Layout::kLine).Key("path").Text(path).EndObject();
//   json.EndArray().EndObject();
//
// Members stand in the order they were written. The caller keeps Begin and End in pairs and gives every
// member of an object its Key first. Thread-safety: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

class JsonWriter {
 public:
  explicit JsonWriter(Output* out) : out_(out) {}

  // kLine: what is in it goes on a line of its own, for people who look at the document.
  enum class Layout { kInline, kLine };
  JsonWriter& BeginObject(Layout layout = Layout::kInline) { return Begin('{', layout); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray(Layout layout = Layout::kInline) { return Begin('[', layout); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(std::string_view key);

  // Valid UTF-8 as it is; bytes that are not become U+FFFD.
  JsonWriter& String(std::string_view text);
  // A name of any bytes: \xNN for those that are not UTF-8, \\ for a backslash.
  JsonWriter& Text(std::string_view name);
  JsonWriter& Int(int64_t value) { return Raw(std::to_string(value)); }
  JsonWriter& Uint(uint64_t value) { return Raw(std::to_string(value)); }
  JsonWriter& Bool(bool value) { return Raw(value ? "true" : "false"); }
  JsonWriter& Null() { return Raw("null"); }
  // A value that is JSON already.
  JsonWriter& Raw(std::string_view value);
  // An array of integers.
  JsonWriter& Ints(std::span<const int64_t> values);
  // An array of names.
  JsonWriter& Texts(std::span<const std::string> names);
  // null where there is none.
  JsonWriter& TextOrNull(std::string_view name) { return name.empty() ? Null() : Text(name); }

  // Ends the document with a newline.
  void Finish() { *out_ << '\n'; }

 private:
  struct Level {
    bool first = true;
    bool lines = false;  // it holds something of Layout::kLine
  };
  JsonWriter& Begin(char bracket, Layout layout);
  JsonWriter& End(char bracket);
  void Separate(Layout layout = Layout::kInline);

  Output* out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace savedmodel::tools
