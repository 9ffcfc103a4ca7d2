#include "savedmodel/proto/internal/text_format.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/proto/internal/any_types.h"
#include "savedmodel/proto/internal/serialize.h"

namespace savedmodel::internal {
namespace {

using google::protobuf::TextFormat;

// Keeps the first error. Warnings (deprecated fields) are nobody's business.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line < 0 ? "" : Position(line, column), WithoutFullStop(message));
    too_deep_ = too_deep_ || message.find("recursion limit") != std::string::npos;
  }
  const std::string& text() const { return text_; }
  bool too_deep() const { return too_deep_; }

 private:
  static std::string Position(int line, int column) {  // theirs count from 0
    return absl::StrCat("line ", line + 1, ", column ", column + 1, ": ");
  }
  static std::string WithoutFullStop(std::string sentence) {
    if (sentence.ends_with('.')) sentence.pop_back();
    return sentence;
  }

  std::string text_;
  bool too_deep_ = false;
};

Error Fail(StatusCode code, const google::protobuf::Message& message, const ParseSource& source,
           std::string_view why) {
  const std::string name = source.what.empty() ? message.GetDescriptor()->name() : std::string(source.what);
  Error error(code, absl::StrCat("cannot parse text of ", name, ": ", ToAbsl(why)));
  error.File(source.file);
  return error;
}

std::string LineOf(std::string_view text, size_t offset) {
  return absl::StrCat("line ",
                      1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n'));
}

Status RunParser(std::string_view text, google::protobuf::Message* message, const ParseSource& source,
                 int max_depth) {
  FirstError errors;
  AnyTypesForParsing any_types;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetFinder(&any_types);
  parser.SetRecursionLimit(max_depth);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, message)) return OkStatus();
  const StatusCode code = errors.too_deep() ? StatusCode::kResourceExhausted : StatusCode::kDataLoss;
  return Fail(code, *message, source, errors.text());
}

Status CheckText(std::string_view text, const google::protobuf::Message& message, const ParseSource& source,
                 const ParseLimits& limits) {
  const uint64_t max_bytes = std::min(limits.max_bytes, kMaxWireBytes);
  if (text.size() > max_bytes) {
    return Fail(StatusCode::kResourceExhausted, message, source, "too large")
        .Expected(absl::StrCat("at most ", max_bytes, " bytes"))
        .Found(absl::StrCat(text.size()));
  }
  const size_t valid = ValidUtf8Prefix(text);
  if (valid == text.size()) return OkStatus();
  Error error = Fail(StatusCode::kDataLoss, message, source, LineOf(text, valid) + " is not UTF-8");
  if (source.base_offset) error.Offset(*source.base_offset + valid);
  return error;
}

}  // namespace

Status ParseText(std::string_view text, google::protobuf::Message* message, const ParseSource& source,
                 const ParseLimits& limits) {
  message->Clear();
  Status status = CheckText(text, *message, source, limits);
  if (status.ok()) status = RunParser(text, message, source, std::clamp(limits.max_depth, 0, kMaxWireDepth));
  if (status.ok()) {
    if (const std::optional<std::string> field = FindInvalidUtf8(*message))
      status = Fail(StatusCode::kDataLoss, *message, source, "an escaped string is not UTF-8, in " + *field);
  }
  if (!status.ok()) message->Clear();
  return status;
}

std::string PrintText(const google::protobuf::Message& message) {
  const AnyTypesForPrinting any_types;
  TextFormat::Printer printer;
  printer.SetFinder(&any_types);
  printer.SetExpandAny(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

}  // namespace savedmodel::internal
