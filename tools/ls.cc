// savedmodel ls: one line per stored tensor.
#include "savedmodel/base/error_context.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/tools/element_bytes.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/opened_model.h"
#include "savedmodel/tools/tensor_list.h"
#include "savedmodel/tools/text_table.h"
#include "savedmodel/tools/verbs.h"

namespace savedmodel::tools {
namespace {

constexpr std::string_view kNothing = "-";

void AddDigest(const BundleReader& reader, ListedTensor* tensor) {
  if (!tensor->status.ok() || tensor->info.dtype == DType::kVariant || tensor->info.dtype == DType::kResource)
    return;
  const StatusOr<Tensor> value = reader.Read(tensor->key);
  tensor->status = value.status();
  if (value.ok()) tensor->digest = DigestOf(*value);
}

void AddDigests(const OpenedModel& model, std::vector<ListedTensor>* tensors, Console& console) {
  uint64_t total = 0, done = 0;
  for (const ListedTensor& tensor : *tensors) total += tensor.info.stored_bytes();
  const Control control = console.WithProgress("digests");
  for (ListedTensor& tensor : *tensors) {
    AddDigest(*model.reader, &tensor);
    done += tensor.info.stored_bytes();
    if (control.progress) control.progress({done, total});
  }
  console.ClearProgress();
}

void PrintJson(const OpenedModel& model, const std::vector<ListedTensor>& tensors, Output& out) {
  JsonWriter json(&out);
  json.BeginObject()
      .Key("schema")
      .Int(1)
      .Key("model")
      .Text(model.argument)
      .Key("format")
      .String(model.format());
  json.Key("tensors").BeginArray();
  for (const ListedTensor& tensor : tensors) {
    json.BeginObject(JsonWriter::Layout::kLine);
    WriteTensor(json, tensor);
    json.EndObject();
    if (!out.wanted()) return;
  }
  json.EndArray();
  if (model.lacks_graph()) WriteError(json.Key("object_graph_error"), model.graph_status);
  json.EndObject().Finish();
}

std::string NameOf(const ListedTensor& tensor) {
  if (tensor.path.empty()) return internal::Printable(tensor.key);
  if (tensor.attribute == kVariableValue) return tensor.path;
  return tensor.path + " (" + internal::Printable(tensor.attribute) + ")";
}

std::string PlaceOf(const TensorInfo& info) {
  if (info.partitioned()) return std::to_string(info.slices.size()) + " slices";
  return std::to_string(info.bytes.shard) + ":" + std::to_string(info.bytes.offset);
}

std::vector<std::string> Row(const ListedTensor& tensor, const Options& options) {
  std::vector<std::string> row = {NameOf(tensor)};
  const TensorInfo& info = tensor.info;
  const bool known = info.dtype != DType::kInvalid;
  row.emplace_back(known ? DTypeName(info.dtype) : kNothing);
  row.push_back(known ? info.shape.ToString() : std::string(kNothing));
  row.push_back(known ? std::to_string(info.stored_bytes()) : std::string(kNothing));
  if (options.digest) row.push_back(tensor.digest.value_or(std::string(kNothing)));
  if (!options.long_list) return row;
  row.push_back(known ? PlaceOf(info) : std::string(kNothing));
  row.push_back(known && !info.partitioned() ? internal::Hex32(info.bytes.masked_crc32c)
                                             : std::string(kNothing));
  row.push_back(internal::Printable(tensor.key));
  return row;
}

void PrintText(const OpenedModel& model, const std::vector<ListedTensor>& tensors, const Options& options,
               Console& console) {
  TextTable table;
  table.AlignRight(3);
  for (const ListedTensor& tensor : tensors) table.AddRow(Row(tensor, options));
  table.Print(console.out);
  if (model.lacks_graph()) console.Note("paths are not known: " + std::string(Message(model.graph_status)));
  for (const ListedTensor& tensor : tensors) {
    if (!tensor.status.ok()) console.Note(Message(tensor.status));
  }
}

int ExitOf(const std::vector<ListedTensor>& tensors) {
  for (const ListedTensor& tensor : tensors) {
    if (!tensor.status.ok()) return ExitCode(tensor.status);
  }
  return kExitFine;
}

}  // namespace

StatusOr<int> RunLs(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const OpenedModel model, OpenModel(options.model));
  TensorList list(model);
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<ListedTensor> tensors, list.Select(options.filters, console.json));
  if (options.digest) AddDigests(model, &tensors, console);
  if (console.json) {
    PrintJson(model, tensors, console.out);
  } else {
    PrintText(model, tensors, options, console);
  }
  return ExitOf(tensors);
}

}  // namespace savedmodel::tools
