// savedmodel ls: one line per stored tensor.
#include <algorithm>
#include <unordered_map>

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
#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {
namespace {

constexpr std::string_view kNothing = "-";

// Digests by what they are of. A small index can name the same large range of a shard any number of times; it
// is read and hashed once.
class Digests {
 public:
  explicit Digests(const BundleReader& reader) : reader_(reader) {}

  void AddTo(ListedTensor* tensor) {
    const DType dtype = tensor->info.dtype;
    if (!tensor->status.ok() || dtype == DType::kVariant || dtype == DType::kResource) return;
    const std::string source = SourceOf(tensor->info);
    if (const auto found = known_.find(source); found != known_.end()) {
      tensor->digest = found->second;
      return;
    }
    const StatusOr<Tensor> value = reader_.Read(tensor->key);
    tensor->status = value.status();
    if (!value.ok()) return;  // not remembered: the error names the key, so each has its own
    tensor->digest = known_[source] = DigestOf(*value);
  }

 private:
  // All that the elements follow from: the same text, the same elements.
  static std::string SourceOf(const TensorInfo& info) {
    std::string text = std::to_string(static_cast<int32_t>(info.dtype)) + info.shape.ToString();
    const auto add = [&](const StoredBytes& bytes) {
      for (const uint64_t number : {static_cast<uint64_t>(bytes.shard), bytes.offset, bytes.size,
                                    static_cast<uint64_t>(bytes.masked_crc32c)}) {
        text += ' ' + std::to_string(number);
      }
    };
    add(info.bytes);
    for (const StoredSlice& part : info.slices) {
      add(part.bytes);
      for (int i = 0; i < part.slice.rank(); ++i) {
        text += ' ' + std::to_string(part.slice.extent(i).start) + '+' +
                std::to_string(part.slice.extent(i).length);
      }
    }
    return text;
  }

  const BundleReader& reader_;
  std::unordered_map<std::string, std::string> known_;
};

void AddDigests(const OpenedModel& model, std::vector<ListedTensor>* tensors, Console& console) {
  uint64_t total = 0, done = 0;
  for (const ListedTensor& tensor : *tensors) total += tensor.info.stored_bytes();
  const Control control = console.WithProgress("digests");
  if (tensors->empty()) return;
  Digests digests(*model.reader);
  for (ListedTensor& tensor : *tensors) {
    digests.AddTo(&tensor);
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

// One line of everything that is wrong: the first bad tensor by its error, the others by their number.
std::string Faults(const OpenedModel& model, const std::vector<ListedTensor>& tensors) {
  std::string text;
  if (model.lacks_graph()) text = "paths are not known: " + std::string(Message(model.graph_status));
  const auto is_bad = [](const ListedTensor& tensor) { return !tensor.status.ok(); };
  const auto first = std::find_if(tensors.begin(), tensors.end(), is_bad);
  if (first == tensors.end()) return text;
  const std::string_view message = Message(first->status);
  // Where the object graph's own tensor is the bad one, both say the same.
  if (text.find(message) == std::string::npos) text += (text.empty() ? "" : "; ") + std::string(message);
  const auto others = static_cast<uint64_t>(std::count_if(first + 1, tensors.end(), is_bad));
  return others == 0 ? text
                     : text + "; and " + Count(others, "other tensor") + " (--json tells each one's error)";
}

void PrintText(const OpenedModel& model, const std::vector<ListedTensor>& tensors, const Options& options,
               Console& console) {
  TextTable table;
  table.AlignRight(3);
  for (const ListedTensor& tensor : tensors) table.AddRow(Row(tensor, options));
  table.Print(console.out);
  if (const std::string text = Faults(model, tensors); !text.empty()) console.Note(text);
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
