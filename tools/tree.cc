// savedmodel tree: the objects of a model, each once, with shared ones and cycles marked.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tools/exit_code.h"
#include "savedmodel/tools/group_by_name.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/model_argument.h"
#include "savedmodel/tools/no_objects.h"
#include "savedmodel/tools/object_tree.h"
#include "savedmodel/tools/verbs.h"
#include "savedmodel/tools/wording.h"

namespace savedmodel::tools {
namespace {

using internal::Error;
using internal::Printable;

// Lines deeper than this say their depth in place of showing it: bars would be most of the output.
constexpr size_t kMaxBars = 40;

struct Objects {
  std::string_view format = {};
  std::optional<Loader> loader = {};               // keeps `graph` where it is the SavedModel's own
  std::shared_ptr<const ObjectGraph> stored = {};  // keeps `graph` where it is a checkpoint's
  const ObjectGraph* graph = nullptr;
  std::vector<std::string> assets = {};
};

StatusOr<Objects> OpenSavedModel(const std::string& path) {
  Objects objects;
  objects.format = "saved_model";
  SAVEDMODEL_ASSIGN_OR_RETURN(objects.loader, Loader::Open(path));
  if (!objects.loader->has_object_graph()) return NoObjects(*objects.loader);
  objects.graph = &objects.loader->graph();
  if (objects.loader->meta_graph() != nullptr) objects.assets = objects.loader->meta_graph()->assets;
  return objects;
}

StatusOr<Objects> OpenCheckpoint(const std::string& prefix) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ObjectCheckpoint checkpoint, ObjectCheckpoint::Open(prefix));
  if (checkpoint.graph_status().code() == StatusCode::kFailedPrecondition) {
    return Error(StatusCode::kInvalidArgument,
                 "the checkpoint has no objects to show: its tensors have names only")
        .File(prefix)
        .Hint("ls lists them");
  }
  SAVEDMODEL_RETURN_IF_ERROR(checkpoint.graph_status());
  Objects objects;
  objects.format = "checkpoint";
  objects.stored = checkpoint.graph();
  objects.graph = objects.stored.get();
  return objects;
}

// What the filters name, or the root.
StatusOr<std::vector<TreeTop>> TopsOf(const ObjectGraph& graph, const std::vector<std::string>& filters) {
  if (graph.size() == 0) return graph.Find(NodePath()).status();  // in the words of a load
  if (filters.empty()) return std::vector<TreeTop>{{kRootId, "root"}};
  SAVEDMODEL_ASSIGN_OR_RETURN(const SelectedNodes selected,
                              Select(graph, Selection(filters), {.include_dependencies = true}));
  std::vector<TreeTop> tops;
  for (const RequestedNode& node : selected.requested) tops.push_back({node.id, node.path.ToString()});
  return tops;
}

std::string KeyList(const std::vector<Attribute>& attributes) {
  std::string text;
  for (const Attribute& attribute : attributes)
    text += (text.empty() ? "" : ", ") + Printable(attribute.name);
  return text;
}

// What is worth knowing of a node beside its kind.
std::string DetailOf(const Objects& objects, const Node& node) {
  if (const auto* user = node.user_object()) return Printable(user->identifier);
  if (const auto* variable = node.variable()) return SpecText(variable->spec);
  if (const auto* asset = std::get_if<AssetInfo>(&node.detail)) {
    const auto index = static_cast<size_t>(asset->file_index);
    return index < objects.assets.size() ? Printable(objects.assets[index]) : "";
  }
  if (const auto* constant = std::get_if<ConstantInfo>(&node.detail)) return Printable(constant->operation);
  if (const auto* function = std::get_if<FunctionInfo>(&node.detail)) {
    const size_t count = function->concrete_functions.size();
    return count == 1 ? Printable(function->concrete_functions[0])
                      : std::to_string(count) + " concrete functions";
  }
  return KeyList(node.attributes);
}

// ---- Text ----

class TextPrinter {
 public:
  TextPrinter(const Objects& objects, Console& console)
      : objects_(objects), names_(*objects.graph), out_(console.out), paint_(console.paint) {}

  void Print(const TreeLine& line) {
    out_ << Bars(line) << (line.depth == 0 ? paint_.Bold(line.name) : line.name);
    if (line.reference) {
      out_ << "  " << paint_.Link("-> " + ShortName(names_, line.node)) << (line.cycle ? " (cycle)" : "")
           << '\n';
      return;
    }
    const Node& node = objects_.graph->node(line.node);
    const std::string detail = DetailOf(objects_, node);
    out_ << "  " << paint_.Dim(std::string(NodeKindName(node.kind)) + (detail.empty() ? "" : " " + detail));
    if (line.hidden > 0) out_ << "  ... " << std::to_string(line.hidden) << " below";
    out_ << '\n';
  }

 private:
  // The bars of the levels above, and the branch to this line.
  std::string Bars(const TreeLine& line) {
    if (line.depth == 0) return "";
    open_.resize(std::min(line.depth, kMaxBars));
    if (line.depth > kMaxBars) return "[" + std::to_string(line.depth) + "] ";
    std::string bars;
    for (size_t i = 0; i + 1 < line.depth; ++i) bars += open_[i] ? "│   " : "    ";
    open_[line.depth - 1] = !line.last;
    return bars + (line.last ? "└── " : "├── ");
  }

  const Objects& objects_;
  NodeNames names_;
  Output& out_;
  const Paint& paint_;
  std::vector<bool> open_;  // by level: a sibling follows
};

void PrintText(const Objects& objects, const std::vector<TreeLine>& lines, Console& console) {
  TextPrinter printer(objects, console);
  for (const TreeLine& line : lines) {
    printer.Print(line);
    if (!console.out.wanted()) return;
  }
}

// ---- JSON: a flat list, so that a deep model makes no deep document ----

// Keys by attribute; a list where several attributes have one name, since a member's name stands once in an
// object.
void WriteAttributes(JsonWriter& json, const std::vector<Attribute>& attributes) {
  const auto name_of = [](const Attribute& attribute) -> std::string_view { return attribute.name; };
  json.BeginObject();
  for (const auto& [name, of_name] : GroupByName(attributes, name_of)) {
    json.Key(internal::EscapeNonUtf8(name));
    if (of_name.size() > 1) json.BeginArray();
    for (const Attribute* attribute : of_name) json.Text(attribute->checkpoint_key);
    if (of_name.size() > 1) json.EndArray();
  }
  json.EndObject();
}

void WriteDetail(JsonWriter& json, const Objects& objects, const Node& node) {
  if (const auto* user = node.user_object()) json.Key("identifier").Text(user->identifier);
  if (const auto* variable = node.variable()) {
    json.Key("dtype").String(DTypeText(variable->spec.dtype)).Key("shape");
    WriteShape(json, variable->spec.shape);
    json.Key("trainable").Bool(variable->trainable).Key("name").Text(variable->name);
  }
  if (const auto* asset = std::get_if<AssetInfo>(&node.detail)) {
    const auto index = static_cast<size_t>(asset->file_index);
    if (index < objects.assets.size()) json.Key("asset").Text(objects.assets[index]);
  }
  if (const auto* function = std::get_if<FunctionInfo>(&node.detail)) {
    json.Key("concrete_functions").Texts(function->concrete_functions);
  }
  if (!node.attributes.empty()) WriteAttributes(json.Key("attributes"), node.attributes);
}

void WriteNode(JsonWriter& json, const Objects& objects, const NodeNames& names, const TreeLine& line) {
  const Node& node = objects.graph->node(line.node);
  json.BeginObject(JsonWriter::Layout::kLine).Key("id").Int(line.node).Key("path");
  names.HasPath(line.node) ? json.String(names.Name(line.node)) : json.Null();
  json.Key("kind").String(NodeKindName(node.kind)).Key("depth").Uint(line.depth);
  WriteDetail(json, objects, node);
  json.Key("children").BeginArray();
  for (const Edge& edge : node.children)
    json.BeginObject().Key("name").Text(edge.name).Key("id").Int(edge.child).EndObject();
  json.EndArray();
  if (!node.slots.empty()) {
    json.Key("slots").BeginArray();
    for (const SlotReference& slot : node.slots) {
      json.BeginObject().Key("slot").Text(slot.slot_name).Key("variable").Int(slot.original);
      json.Key("id").Int(slot.slot).EndObject();
    }
    json.EndArray();
  }
  if (line.hidden > 0) json.Key("hidden").Uint(line.hidden);
  json.EndObject();
}

void PrintJson(const Objects& objects, const std::vector<TreeLine>& lines, const Options& options,
               Output& out) {
  const NodeNames names(*objects.graph);
  JsonWriter json(&out);
  json.BeginObject()
      .Key("schema")
      .Int(1)
      .Key("model")
      .Text(options.model)
      .Key("format")
      .String(objects.format);
  json.Key("nodes").BeginArray();
  for (const TreeLine& line : lines) {
    if (!line.reference) WriteNode(json, objects, names, line);
    if (!out.wanted()) return;
  }
  json.EndArray().EndObject().Finish();
}

}  // namespace

StatusOr<int> RunTree(const Options& options, Console& console) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ModelArgument model, ResolveModel(options.model));
  const bool saved_model = model.kind == ModelArgument::Kind::kSavedModel;
  SAVEDMODEL_ASSIGN_OR_RETURN(const Objects objects,
                              saved_model ? OpenSavedModel(model.path) : OpenCheckpoint(model.path));
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<TreeTop> tops, TopsOf(*objects.graph, options.filters));
  const std::vector<TreeLine> lines = LayOut(*objects.graph, tops, options.depth);
  console.json ? PrintJson(objects, lines, options, console.out) : PrintText(objects, lines, console);
  return kExitFine;
}

}  // namespace savedmodel::tools
