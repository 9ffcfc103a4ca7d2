#include "savedmodel/tools/opened_model.h"

#include <utility>

#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/object_checkpoint.h"

namespace savedmodel::tools {
namespace {

bool NeedsCheckpoint(const Loader& loader) {
  const MetaGraphInfo* info = loader.meta_graph();
  return loader.has_object_graph() && info != nullptr && info->counts.variables > 0;
}

Status OpenSavedModel(OpenedModel* model) {
  SAVEDMODEL_ASSIGN_OR_RETURN(model->loader, Loader::Open(model->where.path));
  StatusOr<BundleReader> reader = model->loader->checkpoint();
  if (!reader.ok()) {
    const bool may_lack = reader.status().code() == StatusCode::kNotFound && !NeedsCheckpoint(*model->loader);
    return may_lack ? OkStatus() : reader.status();
  }
  model->reader = *std::move(reader);
  StatusOr<std::shared_ptr<const ObjectGraph>> graph = model->loader->checkpoint_graph();
  model->graph_status = graph.status();
  if (graph.ok()) model->graph = *std::move(graph);
  return OkStatus();
}

Status OpenCheckpoint(OpenedModel* model) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const ObjectCheckpoint checkpoint, ObjectCheckpoint::Open(model->where.path));
  model->reader = checkpoint.reader();
  model->graph = checkpoint.graph();
  model->graph_status = checkpoint.graph_status();
  return OkStatus();
}

}  // namespace

// A checkpoint without an object graph says so by FailedPrecondition; that is a kind of checkpoint and no
// fault.
bool OpenedModel::lacks_graph() const {
  return !graph_status.ok() && graph_status.code() != StatusCode::kFailedPrecondition;
}

StatusOr<OpenedModel> OpenModel(std::string_view argument) {
  OpenedModel model;
  model.argument = argument;
  SAVEDMODEL_ASSIGN_OR_RETURN(model.where, ResolveModel(argument));
  const bool saved_model = model.where.kind == ModelArgument::Kind::kSavedModel;
  SAVEDMODEL_RETURN_IF_ERROR(saved_model ? OpenSavedModel(&model) : OpenCheckpoint(&model));
  return model;
}

}  // namespace savedmodel::tools
