// savedmodel load: a real load, whole or in part, and what it did.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/model_argument.h"
#include "savedmodel/tools/text_table.h"
#include "savedmodel/tools/verbs.h"
#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

struct VariableLine {
  std::string path = {};
  std::string key = {};
  TensorSpec spec = {};
  uint64_t bytes = 0;
  bool restored = false;
  bool slot = false;
};

// What a load did, or would do.
struct Result {
  std::vector<std::pair<std::string, std::string>> returned = {};  // path and kind
  std::vector<PlannedNode> planned = {};                           // with --plan only
  std::vector<VariableLine> variables = {};
  std::vector<SkippedNode> skipped = {};
  std::vector<std::string> unmatched = {};
  std::vector<std::string> other_attributes = {};
  uint64_t nodes = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_selected = 0;
  std::optional<size_t> unused_keys = {};
};

Selection SelectionOf(const Options& options) {
  return options.filters.empty() ? Selection::All() : Selection(options.filters);
}

LoadOptions LoadOptionsOf(const Options& options) {
  LoadOptions load;
  load.include_dependencies = options.include_dependencies;
  load.allow_partial_checkpoint = options.allow_missing;
  load.skip_checkpoint = options.skip_values;
  return load;
}

VariableLine LineOf(const LoadedVariable& variable) {
  VariableLine line{variable.path,  variable.key,      variable.variable->spec(),
                    variable.bytes, variable.restored, variable.slot};
  const StatusOr<Tensor> value = variable.restored ? variable.variable->Read() : StatusOr<Tensor>(Tensor());
  if (variable.restored && value.ok()) line.spec.shape = value->shape();
  return line;
}

StatusOr<Result> DoLoad(const Loader& loader, const Options& options, Console& console) {
  LoadOptions load = LoadOptionsOf(options);
  load.control = console.WithProgress("reading");
  SAVEDMODEL_ASSIGN_OR_RETURN(const LoadedModel model, loader.Load(SelectionOf(options), load));
  console.ClearProgress();
  const LoadReport& report = model.report();
  Result result;
  for (const auto& [key, object] : model.objects()) {
    result.returned.emplace_back(key, std::string(NodeKindName(object->kind())));
  }
  for (const LoadedVariable& variable : report.variables) result.variables.push_back(LineOf(variable));
  result.skipped = report.not_revived;
  result.unmatched = report.unmatched_objects;
  result.other_attributes = report.other_attributes;
  result.nodes = report.nodes;
  result.bytes_read = report.bytes_read;
  result.bytes_selected = report.bytes_selected;
  result.unused_keys = report.unused_keys;
  return result;
}

StatusOr<Result> DoPlan(const Loader& loader, const Options& options) {
  SAVEDMODEL_ASSIGN_OR_RETURN(LoadPlan plan, loader.Plan(SelectionOf(options), LoadOptionsOf(options)));
  Result result;
  result.planned = std::move(plan.nodes);
  result.nodes = result.planned.size();
  for (const PlannedNode& node : result.planned) {
    if (node.reason != SelectionReason::kRequested) continue;
    result.returned.emplace_back(node.path, std::string(NodeKindName(node.kind)));
  }
  for (const RestoreItem& item : plan.restore.items) {
    result.variables.push_back({item.path, item.key, {item.dtype, item.shape}, item.bytes, false, false});
  }
  for (const auto* ids : {&plan.restore.unmatched, &plan.restore.missing_keys}) {
    for (NodeId id : *ids) {
      const auto node = std::find_if(result.planned.begin(), result.planned.end(),
                                     [id](const PlannedNode& one) { return one.id == id; });
      if (node != result.planned.end()) result.unmatched.push_back(node->path);
    }
  }
  for (const UnusedAttribute& unused : plan.restore.unused_attributes)
    result.other_attributes.push_back(unused.key);
  result.bytes_selected = plan.restore.bytes;
  result.unused_keys = plan.restore.unused_keys;
  return result;
}

StatusOr<Result> Run(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ModelArgument model, ResolveModel(options.model));
  if (model.kind == ModelArgument::Kind::kCheckpoint) {
    return Error(StatusCode::kInvalidArgument, "a checkpoint holds values and no model to load")
        .File(model.path)
        .Expected("a SavedModel")
        .Hint("ls, cat and verify read checkpoints");
  }
  OpenOptions open;
  if (!options.tags.empty()) open.tags = options.tags;
  SAVEDMODEL_ASSIGN_OR_RETURN(const Loader loader, Loader::Open(model.path, open));
  return options.plan ? DoPlan(loader, options) : DoLoad(loader, options, console);
}

// ---- JSON ----

void WritePaths(JsonWriter& json, const std::vector<std::string>& paths) {
  json.BeginArray();
  for (const std::string& path : paths) json.String(path);
  json.EndArray();
}

void WriteVariable(JsonWriter& json, const VariableLine& variable) {
  json.BeginObject(JsonWriter::Layout::kLine)
      .Key("path")
      .String(variable.path)
      .Key("key")
      .TextOrNull(variable.key);
  json.Key("dtype").String(DTypeText(variable.spec.dtype)).Key("shape");
  WriteShape(json, variable.spec.shape);
  json.Key("bytes").Uint(variable.bytes).Key("restored").Bool(variable.restored);
  if (variable.slot) json.Key("slot").Bool(true);
  json.EndObject();
}

void WriteNodes(JsonWriter& json, const std::vector<PlannedNode>& nodes) {
  json.BeginArray();
  for (const PlannedNode& node : nodes) {
    json.BeginObject(JsonWriter::Layout::kLine).Key("path").String(node.path);
    json.Key("kind")
        .String(NodeKindName(node.kind))
        .Key("reason")
        .String(SelectionReasonName(node.reason))
        .EndObject();
  }
  json.EndArray();
}

void PrintJson(const Result& result, const Options& options, Output& out) {
  JsonWriter json(&out);
  json.BeginObject().Key("schema").Int(1).Key("model").Text(options.model).Key("planned").Bool(options.plan);
  json.Key("filters").BeginArray();
  for (const std::string& filter : options.filters) json.String(internal::OneLine(filter));
  json.EndArray().Key("returned").BeginObject();
  for (const auto& [path, kind] : result.returned) json.Key(internal::OneLine(path)).String(kind);
  json.EndObject().Key("variables").BeginArray();
  for (const VariableLine& variable : result.variables) WriteVariable(json, variable);
  json.EndArray();
  json.Key("bytes_read").Uint(result.bytes_read).Key("bytes_selected").Uint(result.bytes_selected);
  WritePaths(json.Key("unmatched_objects"), result.unmatched);
  json.Key("unused_keys");
  result.unused_keys ? json.Uint(*result.unused_keys) : json.Null();
  json.Key("nodes").Uint(result.nodes);
  json.Key("other_attributes").Texts(result.other_attributes);
  json.Key("skipped").BeginArray();
  for (const SkippedNode& node : result.skipped) {
    json.BeginObject(JsonWriter::Layout::kLine)
        .Key("path")
        .String(node.path)
        .Key("why")
        .String(node.why)
        .EndObject();
  }
  json.EndArray();
  if (options.plan) WriteNodes(json.Key("selected"), result.planned);
  json.EndObject().Finish();
}

// ---- Text ----

void PrintList(std::string_view title, const std::vector<std::string>& lines, Output& out) {
  if (!lines.empty()) out << title << '\n';
  for (const std::string& line : lines) out << "  " << line << '\n';
}

// By reason, with the first few of each: a Keras model has hundreds of functions. All are in the JSON.
void PrintSkipped(const std::vector<SkippedNode>& nodes, Console& console) {
  constexpr size_t kShown = 3;
  std::map<std::string, std::vector<std::string>> paths_of;
  for (const SkippedNode& node : nodes) paths_of[node.why].push_back(node.path);
  std::vector<std::string> lines;
  for (const auto& [why, paths] : paths_of) {
    std::string line = why + ": ";
    for (size_t i = 0; i < std::min(paths.size(), kShown); ++i) line += (i == 0 ? "" : ", ") + paths[i];
    if (paths.size() > kShown) line += " and " + std::to_string(paths.size() - kShown) + " more";
    lines.push_back(std::move(line));
  }
  PrintList("not revived", lines, console.out);
}

void PrintText(const Result& result, const Options& options, Console& console) {
  Output& out = console.out;
  TextTable returned, variables;
  for (const auto& [path, kind] : result.returned) returned.AddRow({internal::OneLine(path), kind});
  out << (options.plan ? "would return\n" : "returned\n");
  returned.Print(out, "  ");
  variables.AlignRight(2);
  for (const VariableLine& line : result.variables) {
    const std::string_view how = line.restored ? "restored" : options.plan ? "to be read" : "no value";
    variables.AddRow({line.path, SpecText(line.spec), std::to_string(line.bytes), std::string(how)});
  }
  if (!result.variables.empty()) out << "variables\n";
  variables.Print(out, "  ");
  PrintList("without a value in the checkpoint", result.unmatched, out);
  std::vector<std::string> keys;
  for (const std::string& key : result.other_attributes) keys.push_back(internal::Printable(key));
  PrintList("stored values that are not a variable's, not read", keys, out);
  PrintSkipped(result.skipped, console);
  if (options.plan) {
    TextTable selected;
    for (const PlannedNode& node : result.planned) {
      selected.AddRow(
          {node.path, std::string(NodeKindName(node.kind)), std::string(SelectionReasonName(node.reason))});
    }
    out << "selected\n";
    selected.Print(out, "  ");
  }
  out << Count(result.nodes, "object") << ", " << Count(result.variables.size(), "variable") << ", "
      << Count(result.bytes_selected, "byte") << " selected, " << Count(result.bytes_read, "byte") << " read";
  if (result.unused_keys) out << ", " << Count(*result.unused_keys, "stored tensor") << " not asked for";
  out << '\n';
}

}  // namespace

StatusOr<int> RunLoad(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Result result, Run(options, console));
  console.json ? PrintJson(result, options, console.out) : PrintText(result, options, console);
  return kExitFine;
}

}  // namespace savedmodel::tools
