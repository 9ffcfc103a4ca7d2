// savedmodel show: what a model is.
#include <algorithm>
#include <iterator>
#include <optional>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tools/checkpoint_files.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/model_argument.h"
#include "savedmodel/tools/text_table.h"
#include "savedmodel/tools/verbs.h"
#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {
namespace {

using internal::Printable;

struct CheckpointFacts {
  uint64_t tensors = 0;  // all that are stored, as ls lists and verify checks them
  uint64_t bytes = 0;    // of them, as stored
  int shards = 0;
  bool big_endian = false;
  bool has_object_graph = false;
  Status graph_status = {};  // not OK: why the object graph that it has cannot be read
  uint64_t nodes = 0;        // of the checkpoint's object graph
  uint64_t slots = 0;
};

struct Facts {
  std::string_view format = {};
  std::vector<FileLine> files = {};
  uint64_t more_missing = 0;  // shards that are not there, beyond those in `files`
  std::optional<Loader> loader = {};
  std::optional<CheckpointFacts> checkpoint = {};
  Status checkpoint_status = {};
  std::optional<Fingerprint> fingerprint = {};
  Status fingerprint_status = {};
};

CheckpointFacts FactsOf(const BundleReader& reader, const ObjectGraph* graph, const Status& graph_status) {
  CheckpointFacts facts;
  facts.shards = reader.num_shards();
  facts.big_endian = reader.big_endian();
  facts.has_object_graph = reader.Contains(kObjectGraphKey);
  for (std::string_view key : reader.keys()) {
    ++facts.tensors;
    const StatusOr<TensorInfo> info = reader.Find(key);
    if (info.ok()) facts.bytes += info->stored_bytes();
  }
  if (facts.has_object_graph) facts.graph_status = graph_status;
  if (graph == nullptr) return facts;
  facts.nodes = graph->size();
  for (const Node& node : graph->nodes()) facts.slots += node.slots.size();
  return facts;
}

void AddCheckpointFiles(const BundleReader& reader, const Directory& directory, Facts* facts) {
  CheckpointFiles files = FilesOf(reader, directory);
  facts->more_missing = files.more_missing;
  std::move(files.files.begin(), files.files.end(), std::back_inserter(facts->files));
}

StatusOr<Facts> FactsOfSavedModel(const std::string& path) {
  Facts facts;
  facts.format = "saved_model";
  SAVEDMODEL_ASSIGN_OR_RETURN(facts.loader, Loader::Open(path));
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto directory, PosixFileSystem()->OpenDirectory(path));
  facts.files.push_back(LookAt(*directory, facts.loader->graph_file()));
  const StatusOr<BundleReader> reader = facts.loader->checkpoint();
  facts.checkpoint_status = reader.status();
  if (reader.ok()) {
    AddCheckpointFiles(*reader, *directory, &facts);
    const StatusOr<std::shared_ptr<const ObjectGraph>> graph = facts.loader->checkpoint_graph();
    facts.checkpoint = FactsOf(*reader, graph.ok() ? graph->get() : nullptr, graph.status());
  }
  for (const char* name : {"fingerprint.pb", "keras_metadata.pb", "debug/saved_model_debug_info.pb"}) {
    if (FileLine line = LookAt(*directory, name); line.bytes) facts.files.push_back(std::move(line));
  }
  StatusOr<Fingerprint> fingerprint = facts.loader->ReadFingerprint();
  facts.fingerprint_status = fingerprint.status();
  if (fingerprint.ok()) facts.fingerprint = *std::move(fingerprint);
  return facts;
}

StatusOr<Facts> FactsOfCheckpoint(const std::string& prefix) {
  Facts facts;
  facts.format = "checkpoint";
  SAVEDMODEL_ASSIGN_OR_RETURN(const ObjectCheckpoint checkpoint, ObjectCheckpoint::Open(prefix));
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto directory,
                              PosixFileSystem()->OpenDirectory(SplitPath(prefix).directory));
  AddCheckpointFiles(checkpoint.reader(), *directory, &facts);
  facts.checkpoint = FactsOf(checkpoint.reader(), checkpoint.graph().get(), checkpoint.graph_status());
  return facts;
}

// ---- JSON ----

void WriteSignatureTensors(JsonWriter& json, const std::map<std::string, SignatureTensor>& tensors) {
  json.BeginObject();
  for (const auto& [name, tensor] : tensors) {
    json.Key(internal::EscapeNonUtf8(name)).BeginObject();
    json.Key("dtype").String(DTypeText(tensor.dtype)).Key("shape");
    WriteShape(json, tensor.shape);
    json.Key("tensor").Text(tensor.name);
    if (!tensor.components.empty()) json.Key("components").Texts(tensor.components);
    json.EndObject();
  }
  json.EndObject();
}

void WriteSignatures(JsonWriter& json, const std::map<std::string, SignatureDef>& signatures) {
  json.BeginObject();
  for (const auto& [name, signature] : signatures) {
    json.Key(internal::EscapeNonUtf8(name)).BeginObject().Key("method").Text(signature.method_name);
    WriteSignatureTensors(json.Key("inputs"), signature.inputs);
    WriteSignatureTensors(json.Key("outputs"), signature.outputs);
    if (!signature.defaults.empty()) json.Key("defaults").Texts(signature.defaults);
    json.EndObject();
  }
  json.EndObject();
}

void WriteMetaGraph(JsonWriter& json, const MetaGraphInfo& info) {
  json.BeginObject(JsonWriter::Layout::kLine).Key("tags").Texts(info.tags);
  json.Key("tensorflow_version").Text(info.tensorflow_version);
  json.Key("tensorflow_git_version").Text(info.tensorflow_git_version);
  json.Key("has_object_graph").Bool(info.has_object_graph);
  WriteSignatures(json.Key("signatures"), info.signatures);
  json.Key("assets").Texts(info.assets);
  const MetaGraphInfo::Counts& counts = info.counts;
  json.Key("counts").BeginObject().Key("nodes").Uint(counts.nodes).Key("variables").Uint(counts.variables);
  json.Key("functions")
      .Uint(counts.functions)
      .Key("tables")
      .Uint(counts.tables)
      .Key("slots")
      .Uint(counts.slots);
  json.Key("constants").Uint(counts.constants).EndObject().EndObject();
}

uint64_t CountMissing(const Facts& facts) {
  const auto missing = std::count_if(facts.files.begin(), facts.files.end(),
                                     [](const FileLine& file) { return !file.bytes.has_value(); });
  return static_cast<uint64_t>(missing) + facts.more_missing;
}

void WriteFiles(JsonWriter& json, const std::vector<FileLine>& files) {
  json.BeginObject();
  for (const FileLine& file : files) {
    json.Key(internal::EscapeNonUtf8(file.name));
    file.bytes ? json.Uint(*file.bytes) : json.Null();
  }
  json.EndObject();
}

// Null where there is nothing; an object with "error" where it cannot be read.
void WriteErrorOrNull(JsonWriter& json, const Status& status) {
  if (status.ok() || status.code() == StatusCode::kNotFound) {
    json.Null();
    return;
  }
  WriteError(json.BeginObject().Key("error"), status);
  json.EndObject();
}

void WriteCheckpoint(JsonWriter& json, const CheckpointFacts& facts) {
  json.BeginObject()
      .Key("tensors")
      .Uint(facts.tensors)
      .Key("bytes")
      .Uint(facts.bytes)
      .Key("shards")
      .Int(facts.shards);
  json.Key("big_endian").Bool(facts.big_endian).Key("has_object_graph").Bool(facts.has_object_graph);
  const auto known = [&](uint64_t count) { facts.graph_status.ok() ? json.Uint(count) : json.Null(); };
  json.Key("nodes"), known(facts.nodes);
  json.Key("slots"), known(facts.slots);
  json.EndObject();
}

// The hashes as text: as numbers they are more than a JSON reader's floating point holds.
void WriteFingerprint(JsonWriter& json, const Fingerprint& print) {
  const auto hash = [&](std::string_view name, uint64_t value) {
    json.Key(name).String(std::to_string(value));
  };
  json.BeginObject();
  hash("saved_model_checksum", print.saved_model_checksum);
  hash("graph_def_program_hash", print.graph_def_program_hash);
  hash("signature_def_hash", print.signature_def_hash);
  hash("saved_object_graph_hash", print.saved_object_graph_hash);
  hash("checkpoint_hash", print.checkpoint_hash);
  json.Key("producer").Int(print.producer).Key("uuid").Text(print.uuid).EndObject();
}

void PrintJson(const Facts& facts, const Options& options, Output& out) {
  JsonWriter json(&out);
  json.BeginObject().Key("schema").Int(1).Key("model").Text(options.model).Key("format").String(facts.format);
  WriteFiles(json.Key("files"), facts.files);
  json.Key("missing_files").Uint(CountMissing(facts)).Key("meta_graphs").BeginArray();
  if (facts.loader) {
    for (const MetaGraphInfo& info : facts.loader->meta_graphs()) WriteMetaGraph(json, info);
  }
  json.EndArray().Key("checkpoint");
  facts.checkpoint ? WriteCheckpoint(json, *facts.checkpoint)
                   : WriteErrorOrNull(json, facts.checkpoint_status);
  json.Key("fingerprint");
  facts.fingerprint ? WriteFingerprint(json, *facts.fingerprint)
                    : WriteErrorOrNull(json, facts.fingerprint_status);
  if (facts.checkpoint && !facts.checkpoint->graph_status.ok()) {
    WriteError(json.Key("object_graph_error"), facts.checkpoint->graph_status);
  }
  json.EndObject().Finish();
}

// ---- Text ----

std::string TagText(const std::vector<std::string>& tags) {
  std::string text;
  for (const std::string& tag : tags) text += (text.empty() ? "" : ", ") + Printable(tag);
  return tags.empty() ? "(no tags)" : text;
}

std::string ObjectText(const MetaGraphInfo& info) {
  const MetaGraphInfo::Counts& counts = info.counts;
  if (!info.has_object_graph)
    return "none (written for TensorFlow 1); " + Count(counts.functions, "function");
  return Count(counts.nodes, "node") + ": " + Count(counts.variables, "variable") + ", " +
         Count(counts.slots, "optimizer slot") + ", " + Count(counts.tables, "table") + ", " +
         Count(counts.constants, "constant") + "; " + Count(counts.functions, "function");
}

void AddSignatureRows(TextTable& table, std::string_view role,
                      const std::map<std::string, SignatureTensor>& tensors) {
  for (const auto& [name, tensor] : tensors) {
    std::string source = Printable(tensor.name);
    for (const std::string& part : tensor.components)
      source += (source.empty() ? "" : ", ") + Printable(part);
    table.AddRow({std::string(role), Printable(name), SpecText({tensor.dtype, tensor.shape}), source});
  }
}

void PrintMetaGraph(const MetaGraphInfo& info, Console& console) {
  Output& out = console.out;
  out << '\n' << console.paint.Bold("MetaGraph " + TagText(info.tags)) << '\n';
  if (!info.tensorflow_version.empty()) out << "  TensorFlow  " << Printable(info.tensorflow_version) << '\n';
  out << "  objects     " << ObjectText(info) << '\n';
  for (const std::string& asset : info.assets) out << "  asset       " << Printable(asset) << '\n';
  for (const auto& [name, signature] : info.signatures) {
    out << "  signature   " << console.paint.Bold(Printable(name));
    if (!signature.method_name.empty()) out << "  " << console.paint.Dim(Printable(signature.method_name));
    out << '\n';
    TextTable table;
    AddSignatureRows(table, "input", signature.inputs);
    AddSignatureRows(table, "output", signature.outputs);
    table.Print(out, "    ");
  }
}

void PrintCheckpoint(const Facts& facts, Output& out) {
  if (!facts.checkpoint) {
    const bool absent = facts.checkpoint_status.code() == StatusCode::kNotFound;
    out << "  checkpoint  " << (absent ? "none" : Message(facts.checkpoint_status)) << '\n';
    return;
  }
  const CheckpointFacts& checkpoint = *facts.checkpoint;
  out << "  checkpoint  " << Count(checkpoint.tensors, "tensor") << ", " << Count(checkpoint.bytes, "byte")
      << ", " << Count(static_cast<uint64_t>(checkpoint.shards), "shard")
      << (checkpoint.big_endian ? ", big-endian" : "") << (checkpoint.has_object_graph ? "" : ", by name")
      << '\n';
  if (!checkpoint.graph_status.ok()) {
    out << "  objects     not known: " << Message(checkpoint.graph_status) << '\n';
    return;
  }
  if (facts.loader || !checkpoint.has_object_graph) return;
  out << "  objects     " << Count(checkpoint.nodes, "node") << ": "
      << Count(checkpoint.slots, "optimizer slot") << '\n';
}

void PrintText(const Facts& facts, const Options& options, Console& console) {
  Output& out = console.out;
  const std::string title = facts.loader ? "SavedModel " : "checkpoint ";
  out << console.paint.Bold(title + Printable(options.model)) << '\n';
  TextTable files;
  files.AlignRight(2);
  for (const FileLine& file : facts.files) {
    files.AddRow({"file      ", Printable(file.name), file.bytes ? std::to_string(*file.bytes) : "missing"});
  }
  if (facts.more_missing > 0)
    files.AddRow({"", "and " + std::to_string(facts.more_missing) + " more", "missing"});
  files.Print(out, "  ");
  PrintCheckpoint(facts, out);
  if (facts.fingerprint) {
    const std::string uuid = Printable(facts.fingerprint->uuid);
    out << "  fingerprint " << std::to_string(facts.fingerprint->saved_model_checksum)
        << (uuid.empty() ? "" : ", uuid " + uuid) << '\n';
  } else if (facts.loader && facts.fingerprint_status.code() != StatusCode::kNotFound) {
    out << "  fingerprint " << Message(facts.fingerprint_status) << '\n';
  }
  if (!facts.loader) return;
  for (const MetaGraphInfo& info : facts.loader->meta_graphs()) PrintMetaGraph(info, console);
  if (facts.loader->meta_graphs().empty()) out << "  no MetaGraphs in the file\n";
}

}  // namespace

StatusOr<int> RunShow(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ModelArgument model, ResolveModel(options.model));
  const bool saved_model = model.kind == ModelArgument::Kind::kSavedModel;
  SAVEDMODEL_ASSIGN_OR_RETURN(const Facts facts,
                              saved_model ? FactsOfSavedModel(model.path) : FactsOfCheckpoint(model.path));
  console.json ? PrintJson(facts, options, console.out) : PrintText(facts, options, console);
  return kExitFine;
}

}  // namespace savedmodel::tools
