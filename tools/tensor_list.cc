#include "savedmodel/tools/tensor_list.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/glob.h"
#include "savedmodel/object_graph/node_path.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/tools/json_values.h"
#include "savedmodel/tools/no_objects.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

std::string IndexName(const OpenedModel& model) {
  return model.reader ? model.reader->index_name() : model.argument;
}

// Why paths mean nothing in this model.
Status NoPaths(const OpenedModel& model) {
  if (model.lacks_graph()) return model.graph_status;
  if (model.loader && !model.reader) return NoObjects(*model.loader);
  return Error(StatusCode::kInvalidArgument, "paths select objects, and the model's tensors have names only")
      .File(IndexName(model))
      .Hint("ask by key");
}

// The nodes that a path or pattern leads to, those below them not included.
StatusOr<std::vector<NodeId>> Requested(const ObjectGraph& graph, const std::string& filter) {
  // With dependencies: that a function needs objects elsewhere is no reason not to list it.
  SAVEDMODEL_ASSIGN_OR_RETURN(
      const SelectedNodes selected,
      Select(graph, Selection(std::vector<std::string>{filter}), {.include_dependencies = true}));
  std::vector<NodeId> ids;
  for (const RequestedNode& node : selected.requested) ids.push_back(node.id);
  return ids;
}

// True when `path` or one it begins with is what `filter` says.
class SlotFilter {
 public:
  static StatusOr<SlotFilter> Parse(const std::string& filter) {
    SlotFilter out;
    if (Glob::IsPattern(filter)) {
      SAVEDMODEL_ASSIGN_OR_RETURN(out.glob_, Glob::Parse(filter));
    } else {
      SAVEDMODEL_ASSIGN_OR_RETURN(out.path_, NodePath::Parse(filter));
    }
    return out;
  }
  bool Matches(const NodePath& path) const {
    const auto names = path.components();
    if (!glob_) {
      const auto wanted = path_.components();
      return wanted.size() <= names.size() && std::equal(wanted.begin(), wanted.end(), names.begin());
    }
    Glob::State state = glob_->Start();
    for (const std::string& name : names) {
      if (glob_->Accepts(state)) return true;
      state = glob_->Step(state, name);
    }
    return glob_->Accepts(state);
  }

 private:
  std::optional<Glob> glob_;
  NodePath path_;
};

// Adds everything below the nodes that are marked: children, and the state of optimizers.
void CloseDownwards(const ObjectGraph& graph, std::vector<NodeId> queue, std::vector<bool>* marked) {
  const auto add = [&](NodeId id) {
    if ((*marked)[static_cast<size_t>(id)]) return;
    (*marked)[static_cast<size_t>(id)] = true;
    queue.push_back(id);
  };
  for (size_t i = 0; i < queue.size(); ++i) {
    (*marked)[static_cast<size_t>(queue[i])] = true;
    const Node& node = graph.node(queue[i]);
    for (const Edge& edge : node.children) add(edge.child);
    for (const SlotReference& slot : node.slots) add(slot.slot);
  }
}

// A name as `ls` prints it back to its bytes; nothing when it has no escapes or a bad one.
std::optional<std::string> Unescape(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      out += text[++i];
    } else if (i + 3 < text.size() && text[i + 1] == 'x' && digit(text[i + 2]) >= 0 &&
               digit(text[i + 3]) >= 0) {
      out += static_cast<char>(digit(text[i + 2]) * 16 + digit(text[i + 3]));
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  if (out == text) return std::nullopt;
  return out;
}

}  // namespace

TensorList::TensorList(const OpenedModel& model) : model_(model) {
  if (model.graph && model.reader) paths_.emplace(*model.graph, model.reader->keys());
}

ListedTensor TensorList::Describe(std::string_view key, bool all_paths) {
  ListedTensor out;
  out.key = key;
  StatusOr<TensorInfo> info = model_.reader->Find(key);
  out.status = info.status();
  if (info.ok()) out.info = *std::move(info);
  const TensorOwner* owner = paths_ ? paths_->Find(key) : nullptr;
  if (!owner) return out;
  out.attribute = owner->attribute;
  out.slot = paths_->IsSlot(owner->node);
  if (const std::optional<NodePath> path = paths_->PathTo(owner->node)) out.path = path->ToString();
  if (!all_paths) return out;
  for (const NodePath& path : paths_->PathsTo(owner->node)) out.paths.push_back(path.ToString());
  return out;
}

std::vector<NodeId> TensorList::SlotsUnder(const std::string& filter) const {
  const StatusOr<SlotFilter> wanted = SlotFilter::Parse(filter);
  std::vector<NodeId> ids;
  for (size_t i = 0; wanted.ok() && i < model_.graph->size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!paths_->IsSlot(id)) continue;
    const std::optional<NodePath> path = paths_->PathTo(id);
    if (path && wanted->Matches(*path)) ids.push_back(id);
  }
  return ids;
}

StatusOr<std::vector<NodeId>> TensorList::NodesOf(const std::string& filter) const {
  StatusOr<std::vector<NodeId>> found = Requested(*model_.graph, filter);
  if (!found.ok() && found.status().code() != StatusCode::kNotFound) return found;
  std::vector<NodeId> ids = SlotsUnder(filter);
  if (found.ok()) ids.insert(ids.end(), found->begin(), found->end());
  if (!ids.empty()) return ids;
  // Functions and other objects without values may be in the SavedModel's graph alone.
  if (model_.loader && Requested(model_.loader->graph(), filter).ok()) return ids;
  return found;
}

StatusOr<std::vector<bool>> TensorList::FilterNodes(std::span<const std::string> filters) const {
  if (!paths_ && model_.loader && model_.loader->has_object_graph() && !model_.reader) {
    // Objects without a checkpoint have no tensors; a filter still has to lead to one of them.
    for (const std::string& filter : filters) {
      SAVEDMODEL_RETURN_IF_ERROR(Requested(model_.loader->graph(), filter).status());
    }
    return std::vector<bool>();
  }
  if (!paths_) return NoPaths(model_);
  std::vector<NodeId> wanted;
  for (const std::string& filter : filters) {
    SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<NodeId> ids, NodesOf(filter));
    wanted.insert(wanted.end(), ids.begin(), ids.end());
  }
  std::vector<bool> marked(model_.graph->size(), false);
  CloseDownwards(*model_.graph, std::move(wanted), &marked);
  return marked;
}

StatusOr<std::vector<ListedTensor>> TensorList::Select(std::span<const std::string> filters, bool all_paths) {
  std::vector<bool> wanted;
  if (!filters.empty()) {
    SAVEDMODEL_ASSIGN_OR_RETURN(wanted, FilterNodes(filters));
  }
  std::vector<ListedTensor> tensors;
  if (!model_.reader) return tensors;
  for (std::string_view key : model_.reader->keys()) {
    if (!filters.empty()) {
      const TensorOwner* owner = paths_->Find(key);
      if (!owner || !wanted[static_cast<size_t>(owner->node)]) continue;
    }
    tensors.push_back(Describe(key, all_paths));
  }
  return tensors;
}

StatusOr<NodeId> TensorList::FindNode(std::string_view name) const {
  SAVEDMODEL_ASSIGN_OR_RETURN(const NodePath path, NodePath::Parse(name));
  StatusOr<NodeId> node = model_.graph->Find(path);
  if (node.ok()) return node;
  for (size_t i = 0; i < model_.graph->size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (paths_->IsSlot(id) && paths_->PathTo(id) == path) return id;
  }
  return node;
}

StatusOr<std::vector<std::string>> TensorList::Resolve(std::string_view name) const {
  if (!model_.reader) {
    return Error(StatusCode::kNotFound, "the model has no checkpoint, so no tensors").File(model_.argument);
  }
  if (model_.reader->Contains(name)) return std::vector{std::string(name)};
  const std::optional<std::string> plain = Unescape(name);
  if (plain && model_.reader->Contains(*plain)) return std::vector{*plain};
  const bool is_path = name == "root" || name.starts_with("root.");
  if (!is_path) return model_.reader->Find(name).status();
  if (!paths_) return NoPaths(model_);
  SAVEDMODEL_ASSIGN_OR_RETURN(const NodeId node, FindNode(name));
  const std::vector<std::string_view> keys = paths_->KeysOf(node);
  if (!keys.empty()) return std::vector<std::string>(keys.begin(), keys.end());
  return Error(StatusCode::kNotFound, "the object has no stored value of its own")
      .File(IndexName(model_))
      .Path(name)
      .Hint("savedmodel ls --filter lists what is below it");
}

void WriteName(JsonWriter& json, const ListedTensor& tensor) {
  json.Key("path");
  tensor.path.empty() ? json.Null() : json.String(tensor.path);
  if (!tensor.paths.empty()) {
    json.Key("paths").BeginArray();
    for (const std::string& path : tensor.paths) json.String(path);
    json.EndArray();
  }
  json.Key("key").TextOrNull(tensor.key);
  if (!tensor.attribute.empty()) json.Key("attribute").Text(tensor.attribute);
  if (tensor.slot) json.Key("slot").Bool(true);
}

namespace {

void WritePlace(JsonWriter& json, const StoredBytes& bytes) {
  json.Key("shard").Int(bytes.shard).Key("offset").Uint(bytes.offset);
}

// "0,4:-": a dimension that the part covers is a dash, whether the file spells it out or not.
std::string SpecOf(const TensorSlice& slice, const Shape& shape) {
  std::string text;
  for (int i = 0; i < slice.rank(); ++i) {
    const TensorSlice::Extent& extent = slice.extent(i);
    const bool whole =
        extent.whole() || (i < shape.rank() && extent.start == 0 && extent.length == shape.dim(i));
    text += (i == 0 ? "" : ":");
    text += whole ? "-" : std::to_string(extent.start) + "," + std::to_string(extent.length);
  }
  return text;
}

void WriteSlices(JsonWriter& json, const TensorInfo& info) {
  json.Key("slices").BeginArray();
  for (const StoredSlice& part : info.slices) {
    json.BeginObject().Key("spec").String(SpecOf(part.slice, info.shape));
    WritePlace(json, part.bytes);
    json.Key("bytes").Uint(part.bytes.size);
    if (!part.status.ok()) WriteError(json.Key("error"), part.status);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteTensor(JsonWriter& json, const ListedTensor& tensor) {
  WriteName(json, tensor);
  if (tensor.info.dtype != DType::kInvalid) {
    const TensorInfo& info = tensor.info;
    json.Key("dtype").String(DTypeName(info.dtype)).Key("shape").Ints(info.shape.dims());
    json.Key("bytes").Uint(info.stored_bytes());
    if (info.partitioned()) {
      WriteSlices(json, info);
    } else {
      WritePlace(json, info.bytes);
      json.Key("crc32c").String(internal::Hex32(info.bytes.masked_crc32c));
    }
  }
  if (tensor.digest) json.Key("sha256").String(*tensor.digest);
  if (!tensor.status.ok()) WriteError(json.Key("error"), tensor.status);
}

}  // namespace savedmodel::tools
