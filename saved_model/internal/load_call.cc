#include "savedmodel/saved_model/internal/load_call.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/saved_model/internal/reviver.h"
#include "savedmodel/saved_model/internal/unmatched_objects.h"
#include "savedmodel/saved_model/internal/wiring.h"

namespace savedmodel::internal {

namespace {

// Why a model has no objects to load; TensorFlow loads all these the way of TensorFlow 1.
std::string WhyNoObjects(const Model& model) {
  const bool objects = std::any_of(model.infos.begin(), model.infos.end(),
                                   [](const MetaGraphInfo& info) { return info.has_object_graph; });
  if (model.infos.empty()) return "there are no MetaGraphs in the file";
  if (!objects) return "this is a TensorFlow 1 model: it has no object graph";
  return "the model has " + std::to_string(model.infos.size()) +
         " MetaGraphs: objects are loaded from a model that has one, others are TensorFlow 1 models to "
         "TensorFlow";
}

}  // namespace

Status LoadCall::CheckModel() const {
  if (model_.has_object_graph()) return OkStatus();
  const std::string why = WhyNoObjects(model_);
  const std::string_view hint =
      model_.infos.empty() ? "" : "its variables are read by name through the checkpoint";
  if (!selection_.is_all()) {
    return Error(StatusCode::kInvalidArgument, "paths select objects, and " + why)
        .File(model_.graph_path)
        .Hint(std::string(hint));
  }
  if (model_.infos.empty()) return Error(StatusCode::kNotFound, why).File(model_.graph_path);
  if (!model_.chosen) {
    return Error(StatusCode::kInvalidArgument, "the model has several MetaGraphs: tags must say which")
        .File(model_.graph_path)
        .Found(std::to_string(model_.infos.size()) + " MetaGraphs");
  }
  return Error(StatusCode::kUnimplemented, "not loaded as objects: " + why)
      .File(model_.graph_path)
      .Hint(std::string(hint));
}

Status LoadCall::Prepare() {
  SAVEDMODEL_RETURN_IF_ERROR(options_.control.CheckOptions());
  SAVEDMODEL_RETURN_IF_ERROR(options_.control.Check());
  SAVEDMODEL_RETURN_IF_ERROR(CheckModel());
  SAVEDMODEL_ASSIGN_OR_RETURN(
      selected_, Select(*model_.graph, selection_, {.include_dependencies = options_.include_dependencies}));
  SAVEDMODEL_ASSIGN_OR_RETURN(bindings_, Bind(*model_.graph, selected_, names_));
  if (options_.skip_checkpoint) return OkStatus();
  // Nothing is wanted of a checkpoint that is not opened; unless all of it must be.
  const bool wants_all = options_.require_all_consumed && model_.checkpoint->Reader().ok();
  if (WantsValues() || wants_all) SAVEDMODEL_RETURN_IF_ERROR(PlanValues());
  unmatched_ = UnmatchedObjects(*model_.graph, bindings_, names_);
  return options_.allow_partial_checkpoint ? OkStatus()
                                           : ErrorOfUnrestored(unmatched_, model_.checkpoint->index_name());
}

bool LoadCall::WantsValues() const {
  for (const auto& [id, binding] : bindings_) {
    if (!binding.object->CheckpointValues().empty()) return true;
    if (options_.savers && options_.savers->For(*binding.object)) return true;
  }
  for (size_t i = 0; i < model_.graph->size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (selected_.Contains(id) && model_.graph->node(id).kind == NodeKind::kVariable) return true;
  }
  return false;
}

std::vector<CheckpointValue> LoadCall::ValuesOf(NodeId id) const {
  if (auto bound = bindings_.find(id); bound != bindings_.end())
    return bound->second.object->CheckpointValues();
  const VariableInfo* variable = model_.graph->node(id).variable();
  if (!variable) return {};
  return {{.name = std::string(kVariableValue), .spec = variable->spec, .full_name = variable->name}};
}

Status LoadCall::PlanValues() {
  StatusOr<BundleReader> reader = model_.checkpoint->Reader();
  if (reader.ok()) {
    reader_ = *std::move(reader);
  } else if (reader.status().code() != StatusCode::kNotFound) {
    return reader.status();
  }
  StatusOr<std::shared_ptr<const ObjectGraph>> stored = model_.checkpoint->Graph();
  if (!stored.ok()) return reader_ ? stored.status() : reader.status();
  const MatchResult match = Match(**stored, *model_.graph);
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::vector<WantedNode> wanted, WantedNodes(**stored, match));
  const RestorePlanInput input{
      .wanted = wanted,
      .stored = stored->get(),
      .reader = reader_ ? &*reader_ : nullptr,
      .index_name = model_.checkpoint->index_name(),
      .name = [this](NodeId id) { return names_.Name(id); },
      .values = [this](NodeId id) { return ValuesOf(id); },
      .is_bound = [this](NodeId id) { return bindings_.count(id) > 0; },
      .allow_missing = options_.allow_partial_checkpoint,
  };
  SAVEDMODEL_ASSIGN_OR_RETURN(plan_, PlanRestore(input));
  return CheckMatch(**stored, match);
}

// All that is selected, but for what a saver of the program's own restores.
StatusOr<std::vector<WantedNode>> LoadCall::WantedNodes(const ObjectGraph& stored, const MatchResult& match) {
  std::vector<WantedNode> wanted;
  for (size_t i = 0; i < model_.graph->size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!selected_.Contains(id)) continue;
    const auto bound = bindings_.find(id);
    const bool may_be_saved_otherwise =
        options_.savers && bound != bindings_.end() && match.stored_of[i] >= 0;
    if (may_be_saved_otherwise) {
      StatusOr<bool> by_saver = by_saver_.Add(stored.node(match.stored_of[i]), bound->second.object);
      if (!by_saver.ok()) return WithContext(by_saver.status(), {.path = names_.Name(id)});
      if (*by_saver) continue;
    }
    wanted.push_back({.target = id, .stored = match.stored_of[i]});
  }
  return wanted;
}

// What the options ask of the checkpoint as a whole.
Status LoadCall::CheckMatch(const ObjectGraph& stored, const MatchResult& match) {
  const std::string& file = model_.checkpoint->index_name();
  if (!by_saver_.empty() && !reader_) {
    return Error(StatusCode::kNotFound, "the checkpoint's index is not there, and a saver is to read")
        .File(file);
  }
  const bool is_trivial = plan_.items.empty() && plan_.without_value.empty() && by_saver_.empty();
  if (options_.allow_partial_checkpoint && is_trivial) {
    return Error(StatusCode::kFailedPrecondition,
                 "the checkpoint has a value for none of the selected variables")
        .File(file);
  }
  if (!options_.require_all_consumed) return OkStatus();
  const auto is_taken = [&](NodeId id) {
    const NodeId target = match.target_of[static_cast<size_t>(id)];
    return target >= 0 && selected_.Contains(target);
  };
  return ErrorOfUnused(FindUnused(stored, is_taken, plan_.unused_attributes), file);
}

LoadPlan LoadCall::Plan() const {
  LoadPlan plan;
  for (size_t i = 0; i < model_.graph->size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!selected_.Contains(id)) continue;
    plan.nodes.push_back(
        {id, names_.Name(id), model_.graph->node(id).kind, selected_.reasons[i], bindings_.count(id) > 0});
  }
  plan.restore = plan_;
  return plan;
}

Status LoadCall::ReviveAndRestore() {
  SAVEDMODEL_ASSIGN_OR_RETURN(objects_, Revive(model_, selected_, bindings_, names_));
  if (!plan_.items.empty()) SAVEDMODEL_RETURN_IF_ERROR(Restore());
  return by_saver_.empty() ? OkStatus() : by_saver_.Run(*reader_);
}

Status LoadCall::Restore() {
  std::vector<std::shared_ptr<Trackable>> takers;
  takers.reserve(plan_.items.size());
  for (const RestoreItem& item : plan_.items) takers.push_back(objects_[static_cast<size_t>(item.target)]);
  const ReadOptions read{.mode = options_.read_mode,
                         .verify = options_.verify,
                         .max_tensor_bytes = options_.max_tensor_bytes,
                         .control = options_.control};
  return savedmodel::Restore(*reader_, plan_, takers, options_.restore_mode, read, &restored_);
}

void LoadCall::AfterRestore(const Handles& handles) const {
  for (NodeId target : plan_.targets()) handles[static_cast<size_t>(target)]->AfterRestore();
}

LoadCall::Handles LoadCall::Wire() {
  return internal::Wire(*model_.graph, selected_, bindings_, names_.paths(), std::move(objects_));
}

std::shared_ptr<Trackable> LoadCall::MakeRoot(const Handles& handles) const {
  return internal::MakeRoot(*model_.graph, selected_, handles);
}

std::map<std::string, std::shared_ptr<Trackable>> LoadCall::ObjectsByKey(
    const Handles& handles, const std::shared_ptr<Trackable>& root) const {
  std::map<std::string, std::shared_ptr<Trackable>> objects;
  for (const RequestedNode& node : selected_.requested)
    objects[node.key] = handles[static_cast<size_t>(node.id)];
  if (selection_.empty()) objects["root"] = root;
  return objects;
}

LoadedVariable LoadCall::DescribeVariable(NodeId id, const std::shared_ptr<Variable>& variable,
                                          const std::unordered_map<NodeId, const RestoreItem*>& items) const {
  LoadedVariable out;
  out.path = names_.Name(id);
  out.variable = variable;
  out.bound = bindings_.count(id) > 0;
  out.slot = names_.IsSlot(id);
  if (auto item = items.find(id); item != items.end()) {
    out.key = item->second->key;
    out.bytes = item->second->bytes;
    out.restored = true;
  }
  return out;
}

LoadReport LoadCall::Report(const Handles& handles) const {
  std::unordered_map<NodeId, const RestoreItem*> items;
  for (const RestoreItem& item : plan_.items) items.emplace(item.target, &item);
  LoadReport report;
  report.nodes = selected_.count;
  report.bytes_read = restored_.bytes_read;
  report.bytes_selected = plan_.bytes;
  for (const UnrestoredObject& object : unmatched_) report.unmatched_objects.push_back(object.path);
  for (const UnusedAttribute& attribute : plan_.unused_attributes)
    report.other_attributes.push_back(attribute.key);
  report.unused_keys = plan_.unused_keys;
  for (size_t i = 0; i < handles.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!handles[i]) continue;
    const NodeKind kind = handles[i]->kind();
    if (kind == NodeKind::kVariable) {
      report.variables.push_back(DescribeVariable(id, std::static_pointer_cast<Variable>(handles[i]), items));
      if (!report.variables.back().restored) report.unmatched_objects.push_back(report.variables.back().path);
    } else if (dynamic_cast<const OpaqueNode*>(handles[i].get())) {
      report.not_revived.push_back(
          {names_.Name(id), std::string(NodeKindName(kind)) + " nodes are kept as they are"});
    }
  }
  return report;
}

}  // namespace savedmodel::internal
