// savedmodel verify: is everything in the model what it claims to be?
#include "savedmodel/base/error_context.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/saved_model/verify_model.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/model_argument.h"
#include "savedmodel/tools/text_table.h"
#include "savedmodel/tools/verbs.h"
#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {
namespace {

StatusOr<VerifyReport> Verify(const ModelArgument& model, const Control& control) {
  if (model.kind == ModelArgument::Kind::kCheckpoint) return VerifyCheckpoint(model.path, {}, control);
  return VerifyModel(model.path, {}, control);
}

size_t CountFine(const VerifyReport& report) {
  size_t fine = 0;
  for (const VerifiedTensor& tensor : report.tensors) fine += tensor.status.ok() ? 1 : 0;
  return fine;
}

void WriteTensors(JsonWriter& json, const VerifyReport& report) {
  json.BeginArray();
  for (const VerifiedTensor& tensor : report.tensors) {
    json.BeginObject(JsonWriter::Layout::kLine).Key("key").Text(tensor.key).Key("path");
    tensor.path.empty() ? json.Null() : json.String(tensor.path);
    json.Key("bytes").Uint(tensor.bytes).Key("ok").Bool(tensor.status.ok()).EndObject();
  }
  json.EndArray();
}

void PrintJson(const VerifyReport& report, const Options& options, Output& out) {
  JsonWriter json(&out);
  json.BeginObject().Key("schema").Int(1).Key("model").Text(options.model).Key("ok").Bool(report.ok());
  json.Key("tensors").Uint(report.tensors.size()).Key("bytes").Uint(report.bytes);
  json.Key("fine").Uint(CountFine(report)).Key("problems").BeginArray(JsonWriter::Layout::kLine);
  for (const Status& problem : report.problems) WriteError(json, problem);
  json.EndArray().Key("notes").BeginArray(JsonWriter::Layout::kLine);
  for (const Status& note : report.notes) WriteError(json, note);
  json.EndArray();
  if (options.long_list) WriteTensors(json.Key("results"), report);
  json.EndObject().Finish();
}

void PrintText(const VerifyReport& report, const Options& options, Console& console) {
  Output& out = console.out;
  const Paint& paint = console.paint;
  if (options.long_list) {
    TextTable table;
    for (const VerifiedTensor& tensor : report.tensors) {
      const std::string name = tensor.path.empty() ? internal::Printable(tensor.key) : tensor.path;
      table.AddRow(
          {tensor.status.ok() ? paint.Good("fine") : paint.Bad("bad "), std::to_string(tensor.bytes), name});
    }
    table.AlignRight(1);
    table.Print(out);
  }
  for (const Status& problem : report.problems) {
    out << paint.Bad("problem") << ' ' << CodeName(problem.code()) << ": " << Message(problem) << '\n';
  }
  for (const Status& note : report.notes) out << "note: " << Message(note) << '\n';
  const std::string tensors = Count(report.tensors.size(), "tensor") + ", " + Count(report.bytes, "byte");
  if (report.ok()) {
    out << paint.Good("ok") << ": " << tensors << '\n';
    return;
  }
  const size_t fine = CountFine(report);
  out << paint.Bad("not ok") << ": " << Count(report.problems.size(), "problem") << "; "
      << std::to_string(fine) << " of " << tensors << (fine == 1 ? ", is fine\n" : ", are fine\n");
}

}  // namespace

StatusOr<int> RunVerify(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ModelArgument model, ResolveModel(options.model));
  SAVEDMODEL_ASSIGN_OR_RETURN(const VerifyReport report, Verify(model, console.WithProgress("checking")));
  console.ClearProgress();
  console.json ? PrintJson(report, options, console.out) : PrintText(report, options, console);
  return report.ok() ? kExitFine : kExitNo;
}

}  // namespace savedmodel::tools
