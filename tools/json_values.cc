#include "savedmodel/tools/json_values.h"

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/tools/exit_code.h"

namespace savedmodel::tools {

void WriteError(JsonWriter& json, const Status& status) {
  const ErrorContext context = GetErrorContext(status).value_or(ErrorContext{});
  json.BeginObject().Key("code").String(CodeName(status.code())).Key("message").String(Message(status));
  json.Key("file").TextOrNull(context.file).Key("offset");
  context.offset ? json.Uint(*context.offset) : json.Null();
  json.Key("key").TextOrNull(context.key).Key("path");
  // Paths come as text, spelled with escapes already.
  context.path.empty() ? json.Null() : json.String(internal::OneLine(context.path));
  json.EndObject();
}

void WriteShape(JsonWriter& json, const PartialShape& shape) {
  if (shape.unknown_rank()) {
    json.Null();
    return;
  }
  json.BeginArray();
  for (int i = 0; i < shape.rank(); ++i) shape.dim(i) < 0 ? json.Null() : json.Int(shape.dim(i));
  json.EndArray();
}

}  // namespace savedmodel::tools
