// savedmodel cat: the values of one tensor, or of one object.
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/tools/element_bytes.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/file_output.h"
#include "savedmodel/tools/group_by_name.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/npy.h"
#include "savedmodel/tools/opened_model.h"
#include "savedmodel/tools/slice_text.h"
#include "savedmodel/tools/sub_byte.h"
#include "savedmodel/tools/tensor_list.h"
#include "savedmodel/tools/value_text.h"
#include "savedmodel/tools/verbs.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

struct ReadTensor {
  ListedTensor what;
  Tensor value;
};

Status WithName(const Status& status, const ListedTensor& tensor) {
  return internal::WithContext(status, {.key = tensor.key, .path = tensor.path});
}

StatusOr<ReadTensor> ReadOne(const BundleReader& reader, ListedTensor tensor, const Options& options,
                             Console& console) {
  SAVEDMODEL_RETURN_IF_ERROR(tensor.status);
  ReadOptions read;
  read.control = console.WithProgress("reading");
  StatusOr<Tensor> value = Tensor();
  if (options.slice) {
    const StatusOr<TensorSlice> slice = ParseSlice(*options.slice, tensor.info.shape);
    if (!slice.ok()) return WithName(slice.status(), tensor);
    value = reader.ReadSlice(tensor.key, *slice, read);
  } else {
    value = reader.Read(tensor.key, read);
  }
  console.ClearProgress();
  if (!value.ok()) return WithName(value.status(), tensor);
  return ReadTensor{std::move(tensor), *std::move(value)};
}

// The constant of a SavedModel at the path that NAME is; nothing when there is none.
StatusOr<std::optional<ReadTensor>> ReadConstant(const OpenedModel& model, const Options& options) {
  const StatusOr<NodePath> path = NodePath::Parse(options.name);
  if (!model.loader || !path.ok()) return std::optional<ReadTensor>();
  const StatusOr<NodeId> node = model.loader->graph().Find(*path);
  if (!node.ok() || model.loader->graph().node(*node).kind != NodeKind::kConstant)
    return std::optional<ReadTensor>();
  if (options.slice) {
    return Error(StatusCode::kInvalidArgument, "a constant is read whole: --slice is for stored tensors")
        .Path(options.name);
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const LoadedModel loaded,
                              model.loader->Load(Selection({options.name}), {.skip_checkpoint = true}));
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::shared_ptr<Constant> constant, loaded.Get<Constant>(*path));
  SAVEDMODEL_ASSIGN_OR_RETURN(Tensor value, constant->Read());
  return std::optional(ReadTensor{ListedTensor{.path = path->ToString()}, std::move(value)});
}

StatusOr<std::vector<ReadTensor>> ReadAll(const OpenedModel& model, const Options& options,
                                          Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::optional<ReadTensor> constant, ReadConstant(model, options));
  if (constant) return std::vector{*std::move(constant)};
  TensorList list(model);
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<std::string> keys, list.Resolve(options.name));
  if (keys.size() > 1 && (options.npy || options.raw || options.slice)) {
    std::string names;
    for (const std::string& key : keys)
      names += (names.empty() ? "\"" : ", \"") + internal::Printable(key) + "\"";
    return Error(StatusCode::kInvalidArgument,
                 "the object has several stored values: a file or a slice is of one")
        .Path(options.name)
        .Hint("ask for one by key: " + names);
  }
  std::vector<ReadTensor> tensors;
  for (const std::string& key : keys) {
    SAVEDMODEL_ASSIGN_OR_RETURN(ReadTensor one,
                                ReadOne(*model.reader, list.Describe(key, false), options, console));
    tensors.push_back(std::move(one));
  }
  return tensors;
}

// ---- Files ----

struct Written {
  std::string file = {};
  uint64_t bytes = 0;
  std::string note = {};
};

// NumPy looks at all bits of a byte.
StatusOr<Tensor> WithWholeBytes(const Tensor& value) {
  const std::optional<SubByte> type = SubByteOf(value.dtype());
  if (!type) return value;
  SAVEDMODEL_ASSIGN_OR_RETURN(const MutableBuffer bytes, MutableBuffer::Allocate(value.buffer().size()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes.data()[i] =
        static_cast<std::byte>(type->ValueOf(std::to_integer<uint8_t>(value.buffer().data()[i])));
  }
  return Tensor::FromBuffer(value.dtype(), value.shape(), MutableBuffer(bytes).Freeze());
}

// The head of the file and the tensor's elements; the number of bytes.
uint64_t WriteAll(std::string_view head, const Tensor& elements, Output& out) {
  uint64_t bytes = head.size();
  out << head;
  ForEachPiece(elements, [&](std::span<const std::byte> piece) {
    out << std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size());
    bytes += piece.size();
  });
  return bytes;
}

StatusOr<Written> WriteFile(const Tensor& value, const Options& options, Output& standard_output) {
  Written written;
  std::string head;
  Tensor elements = value;
  if (options.npy) {
    SAVEDMODEL_ASSIGN_OR_RETURN(NpyHeader header, MakeNpyHeader(value.dtype(), value.shape()));
    SAVEDMODEL_ASSIGN_OR_RETURN(elements, WithWholeBytes(value));
    head = std::move(header.bytes);
    written.note = std::move(header.note);
  }
  written.file = options.npy ? *options.npy : *options.raw;
  if (written.file == kStdoutName) {
    written.bytes = WriteAll(head, elements, standard_output);  // whose faults are told at the end
    return written;
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(FileOutput file, FileOutput::Create(written.file));
  written.bytes = WriteAll(head, elements, file.out());
  SAVEDMODEL_RETURN_IF_ERROR(file.Commit());
  return written;
}

// ---- JSON ----

void WriteHead(JsonWriter& json, const ReadTensor& tensor) {
  WriteName(json, tensor.what);
  json.Key("dtype").String(DTypeName(tensor.value.dtype())).Key("shape").Ints(tensor.value.shape().dims());
}

void WriteTensorWithValues(JsonWriter& json, const ReadTensor& tensor, Output& out) {
  WriteHead(json, tensor);
  json.Key("values").Raw("");
  WriteValues(tensor.value, ValueStyle::kJson, out);
}

// By attribute, in the order of their first values. Nothing keeps a file from giving an object two attributes
// of one name; a member's name stands once in an object, so it then has the list of both.
void WriteAttributes(JsonWriter& json, const std::vector<ReadTensor>& tensors, Output& out) {
  const auto write = [&](const ReadTensor& tensor) {
    json.BeginObject();
    WriteTensorWithValues(json, tensor, out);
    json.EndObject();
  };
  const auto name_of = [](const ReadTensor& tensor) -> std::string_view { return tensor.what.attribute; };
  json.BeginObject();
  for (const auto& [name, of_name] : GroupByName(tensors, name_of)) {
    json.Key(internal::EscapeNonUtf8(name));
    if (of_name.size() > 1) json.BeginArray();
    for (const ReadTensor* tensor : of_name) write(*tensor);
    if (of_name.size() > 1) json.EndArray();
  }
  json.EndObject();
}

void PrintJson(const std::vector<ReadTensor>& tensors, const Options& options, Output& out) {
  JsonWriter json(&out);
  json.BeginObject().Key("schema").Int(1).Key("model").Text(options.model);
  if (tensors.size() == 1) {
    WriteTensorWithValues(json, tensors.front(), out);
  } else {
    json.Key("path").String(tensors.front().what.path);
    WriteAttributes(json.Key("attributes"), tensors, out);
  }
  json.EndObject().Finish();
}

void PrintWrittenJson(const ReadTensor& tensor, const Written& written, const Options& options, Output& out) {
  JsonWriter json(&out);
  json.BeginObject().Key("schema").Int(1).Key("model").Text(options.model);
  WriteHead(json, tensor);
  json.Key("file").Text(written.file).Key("bytes").Uint(written.bytes);
  if (!written.note.empty()) json.Key("note").String(written.note);
  json.EndObject().Finish();
}

// ---- Text ----

void PrintText(const std::vector<ReadTensor>& tensors, Console& console) {
  for (const ReadTensor& tensor : tensors) {
    if (tensors.size() > 1)
      console.out << console.paint.Bold(internal::Printable(tensor.what.attribute)) << '\n';
    WriteValues(tensor.value, ValueStyle::kText, console.out);
    console.out << '\n';
  }
}

StatusOr<int> CatToFile(const ReadTensor& tensor, const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Written written, WriteFile(tensor.value, options, console.out));
  if (console.json) PrintWrittenJson(tensor, written, options, console.out);
  if (!written.note.empty()) console.Note(written.note);
  return kExitFine;
}

}  // namespace

StatusOr<int> RunCat(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const OpenedModel model, OpenModel(options.model));
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<ReadTensor> tensors, ReadAll(model, options, console));
  if (options.npy || options.raw) return CatToFile(tensors.front(), options, console);
  for (const ReadTensor& tensor : tensors) {
    const Status status = CheckWritable(tensor.value);
    if (!status.ok()) return WithName(status, tensor.what);
  }
  console.json ? PrintJson(tensors, options, console.out) : PrintText(tensors, console);
  return kExitFine;
}

}  // namespace savedmodel::tools
