#include "savedmodel/saved_model/internal/checkpoint_source.h"

#include <utility>

#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/saved_model/internal/constants.h"

namespace savedmodel::internal {
std::string CheckpointSource::index_name() const { return JoinPath(directory_->name(), kVariablesIndex); }

StatusOr<BundleReader> CheckpointSource::ReaderLocked() const {
  if (!reader_) {
    BundleOptions options;
    options.limits = limits_;
    SAVEDMODEL_ASSIGN_OR_RETURN(BundleReader reader,
                                BundleReader::Open(directory_, kVariablesPrefix, options));
    reader_ = std::move(reader);
  }
  return *reader_;
}

StatusOr<BundleReader> CheckpointSource::Reader() const {
  std::lock_guard lock(mutex_);
  return ReaderLocked();
}

StatusOr<ObjectGraph> CheckpointSource::ReadGraphLocked() const {
  StatusOr<BundleReader> reader = ReaderLocked();
  StatusOr<ObjectGraph> stored = reader.ok() ? ReadObjectGraph(*reader) : reader.status();
  if (stored.ok() || stored.status().code() != StatusCode::kNotFound || !meta_graph_) return stored;
  StatusOr<ObjectGraph> copy = ObjectGraphFromConstants(*meta_graph_, directory_->name());
  return copy.ok() ? std::move(copy) : std::move(stored);
}

StatusOr<std::shared_ptr<const ObjectGraph>> CheckpointSource::Graph() const {
  std::lock_guard lock(mutex_);
  if (!graph_) {
    SAVEDMODEL_ASSIGN_OR_RETURN(ObjectGraph graph, ReadGraphLocked());
    graph_ = std::make_shared<const ObjectGraph>(std::move(graph));
  }
  return graph_;
}

}  // namespace savedmodel::internal
