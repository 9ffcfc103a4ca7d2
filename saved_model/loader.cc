#include "savedmodel/saved_model/loader.h"

#include <utility>

#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/saved_model/internal/load_call.h"
#include "savedmodel/saved_model/internal/model.h"
#include "savedmodel/saved_model/internal/model_files.h"

namespace savedmodel {

using internal::Guarded;

StatusOr<Loader> Loader::Open(std::string_view directory, const OpenOptions& options) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<const internal::Model> model,
                              Guarded([&] { return internal::OpenModel(directory, options); }));
  return Loader(std::move(model));
}

const std::string& Loader::directory() const { return model_->directory->name(); }
const std::string& Loader::graph_file() const { return model_->graph_file; }
std::span<const MetaGraphInfo> Loader::meta_graphs() const { return model_->infos; }
const MetaGraphInfo* Loader::meta_graph() const {
  return model_->chosen ? &model_->infos[*model_->chosen] : nullptr;
}
bool Loader::has_object_graph() const { return model_->has_object_graph(); }
const ObjectGraph& Loader::graph() const { return *model_->graph; }

StatusOr<BundleReader> Loader::checkpoint() const { return model_->checkpoint->Reader(); }
StatusOr<std::shared_ptr<const ObjectGraph>> Loader::checkpoint_graph() const {
  return Guarded([&] { return model_->checkpoint->Graph(); });
}

StatusOr<Fingerprint> Loader::ReadFingerprint() const {
  return Guarded(
      [&] { return internal::ReadFingerprint(*model_->directory, model_->options.max_graph_bytes); });
}

StatusOr<LoadPlan> Loader::Plan(const Selection& selection, const LoadOptions& options) const {
  return Guarded([&]() -> StatusOr<LoadPlan> {
    internal::LoadCall call(*model_, selection, options);
    SAVEDMODEL_RETURN_IF_ERROR(call.Prepare());
    return call.Plan();
  });
}

StatusOr<LoadedModel> Loader::Load(const Selection& selection, const LoadOptions& options) const {
  return Guarded([&] { return LoadUnguarded(selection, options); });
}

StatusOr<LoadedModel> Loader::LoadUnguarded(const Selection& selection, const LoadOptions& options) const {
  internal::LoadCall call(*model_, selection, options);
  SAVEDMODEL_RETURN_IF_ERROR(call.Prepare());
  SAVEDMODEL_RETURN_IF_ERROR(internal::CheckDebugInfo(*model_->directory, model_->options.max_graph_bytes));
  SAVEDMODEL_RETURN_IF_ERROR(call.ReviveAndRestore());
  LoadedModel loaded;
  loaded.graph_ = model_->graph;
  loaded.by_id_ = call.Wire();
  loaded.root_ = call.MakeRoot(loaded.by_id_);
  loaded.objects_ = call.ObjectsByKey(loaded.by_id_, loaded.root_);
  loaded.report_ = call.Report(loaded.by_id_);
  call.AfterRestore(loaded.by_id_);
  loaded.tensorflow_version_ = meta_graph()->tensorflow_version;
  loaded.tensorflow_git_version_ = meta_graph()->tensorflow_git_version;
  return loaded;
}

StatusOr<LoadedModel> Load(std::string_view directory, const LoadOptions& options, const OpenOptions& open) {
  return Guarded([&] { return LoadPartial(directory, Selection::All(), options, open); });
}

StatusOr<LoadedModel> LoadPartial(std::string_view directory, const Selection& selection,
                                  const LoadOptions& options, const OpenOptions& open) {
  SAVEDMODEL_ASSIGN_OR_RETURN(Loader loader, Loader::Open(directory, open));
  return loader.Load(selection, options);
}

}  // namespace savedmodel
