#include "savedmodel/saved_model/internal/checkpoint_source.h"

#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/trackable_object_graph.h"
#include "savedmodel/saved_model/internal/constants.h"
#include "savedmodel/base/internal/saved_model_names.h"

namespace savedmodel::internal {
namespace {

StatusOr<ObjectGraph> GraphFromBundle(const BundleReader& reader) {
  if (!reader.Contains(kObjectGraphKey)) {
    return Error(StatusCode::kFailedPrecondition,
                 "the checkpoint holds no object graph: its tensors have names only")
        .File(reader.index_name())
        .Key(kObjectGraphKey);
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(Tensor tensor, reader.Read(kObjectGraphKey, {.mode = ReadMode::kCopied}));
  if (tensor.dtype() != DType::kString || tensor.num_elements() != 1) {
    return Error(StatusCode::kDataLoss, "the checkpoint's object graph is not one string")
        .File(reader.index_name())
        .Key(kObjectGraphKey)
        .Found(TensorSpec{tensor.dtype(), tensor.shape()}.ToString());
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(std::string_view bytes, tensor.StringAt(0));
  return ReadTrackableObjectGraph(bytes, reader.index_name(), kObjectGraphKey);
}

}  // namespace

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
  StatusOr<ObjectGraph> stored = reader.ok() ? GraphFromBundle(*reader) : reader.status();
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
