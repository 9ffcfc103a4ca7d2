#include "savedmodel/base/internal/error.h"

#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/error_payload.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

// A message stays readable when a hostile file supplies a name of megabytes; the payload keeps all of it.
constexpr size_t kMaxFactBytes = 1024;

// A payload under this name marks what IsWrongKindOfFile asks for.
constexpr std::string_view kWrongKindOfFileUrl = "savedmodel/wrong_kind_of_file";

std::string Clip(std::string text, size_t full_size) {
  if (text.size() <= kMaxFactBytes) return text;
  text.resize(ValidUtf8Prefix(std::string_view(text).substr(0, kMaxFactBytes)));
  return text + "... (" + std::to_string(full_size) + " bytes)";
}

// Names come raw and are shown so that their bytes can be told; sentences may hold shown names already.
std::string ShowName(std::string_view name) {
  return Clip(Printable(name.substr(0, kMaxFactBytes + 4)), name.size());
}
std::string ShowText(std::string_view text) {
  return Clip(OneLine(text.substr(0, kMaxFactBytes + 4)), text.size());
}

std::string WhereText(const ErrorContext& context) {
  std::string out;
  if (!context.file.empty()) out += ", in " + ShowName(context.file);
  if (context.offset)
    out += (context.file.empty() ? ", at byte " : " at byte ") + std::to_string(*context.offset);
  if (!context.key.empty()) out += ", key \"" + ShowName(context.key) + "\"";
  // A path is text already: names in it were escaped when it was spelled.
  if (!context.path.empty()) out += ", object " + ShowText(context.path);
  return out;
}

std::string ComparisonText(const ErrorContext& context) {
  std::string out;
  if (!context.expected.empty()) out += ": expected " + ShowText(context.expected);
  if (!context.found.empty()) out += (out.empty() ? ": found " : ", found ") + ShowText(context.found);
  return out;
}

std::string MessageText(const ErrorPayload& payload) {
  std::string out = ShowText(payload.what) + WhereText(payload.context) + ComparisonText(payload.context);
  if (!payload.hint.empty()) out += "; " + ShowText(payload.hint);
  return out;
}

Status MakeStatus(StatusCode code, const ErrorPayload& payload) {
  Status status(code, ToAbsl(MessageText(payload)));
  // From a view: clang and gcc spell the symbol of Cord's constructor from std::string differently.
  status.SetPayload(ToAbsl(kErrorPayloadUrl), absl::Cord(ToAbsl(EncodeErrorPayload(payload))));
  return status;
}

void Fill(std::string* member, const std::string& more) {
  if (member->empty()) *member = more;
}

void FillContext(ErrorContext* context, const ErrorContext& more) {
  // An offset means something only together with the file it was found in.
  const bool same_file = context->file.empty() || more.file.empty() || context->file == more.file;
  Fill(&context->file, more.file);
  if (!context->offset && same_file) context->offset = more.offset;
  Fill(&context->key, more.key);
  Fill(&context->path, more.path);
  Fill(&context->expected, more.expected);
  Fill(&context->found, more.found);
}

// A new status of the same code; payloads of others are kept.
template <class Change>
Status Changed(const Status& status, Change change) {
  if (status.ok()) return status;
  auto payload = GetErrorPayload(status);
  if (!payload) payload = ErrorPayload{std::string(Message(status)), {}, {}};
  change(&*payload);
  Status out = MakeStatus(status.code(), *payload);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& bytes) {
    if (ToStd(url) != kErrorPayloadUrl) out.SetPayload(url, bytes);
  });
  return out;
}

}  // namespace

Status Error::ToStatus() const {
  Status status = MakeStatus(code_, {what_, hint_, context_});
  if (wrong_kind_of_file_) status.SetPayload(ToAbsl(kWrongKindOfFileUrl), absl::Cord("1"));
  return status;
}

bool IsWrongKindOfFile(const Status& status) {
  return status.GetPayload(ToAbsl(kWrongKindOfFileUrl)).has_value();
}

Status WithContext(const Status& status, const ErrorContext& more) {
  return Changed(status, [&](ErrorPayload* payload) { FillContext(&payload->context, more); });
}

Status WithHint(const Status& status, std::string hint) {
  return Changed(status, [&](ErrorPayload* payload) {
    if (!payload->hint.empty() && !hint.empty()) payload->hint += "; ";
    payload->hint += hint;
  });
}

}  // namespace savedmodel::internal
