#include "savedmodel/checkpoint/object_checkpoint.h"

#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/trackable_object_graph.h"

namespace savedmodel {

using internal::Error;

namespace {

StatusOr<ObjectGraph> ReadGraph(const BundleReader& reader) {
  if (!reader.Contains(kObjectGraphKey)) {
    return Error(StatusCode::kFailedPrecondition,
                 "the checkpoint holds no object graph: its tensors have names only")
        .File(reader.index_name())
        .Key(kObjectGraphKey);
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const Tensor tensor, reader.Read(kObjectGraphKey, {.mode = ReadMode::kCopied}));
  if (tensor.dtype() != DType::kString || tensor.num_elements() != 1) {
    return Error(StatusCode::kDataLoss, "the checkpoint's object graph is not one string")
        .File(reader.index_name())
        .Key(kObjectGraphKey)
        .Found(TensorSpec{tensor.dtype(), tensor.shape()}.ToString());
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::string_view bytes, tensor.StringAt(0));
  return ReadTrackableObjectGraph(bytes, reader.index_name(), kObjectGraphKey);
}

// The directory when it is a SavedModel's, else null.
std::shared_ptr<const Directory> SavedModelDirectory(std::string_view path, const BundleOptions& options) {
  const auto files = options.file_system ? options.file_system : PosixFileSystem();
  StatusOr<std::shared_ptr<const Directory>> directory = internal::OpenDirectory(*files, path);
  if (!directory.ok()) return nullptr;
  const auto holds = [&](std::string_view name) { return (*directory)->Stat(name).ok(); };
  return holds(internal::kGraphFile) || holds(internal::kGraphTextFile) ? *std::move(directory) : nullptr;
}

StatusOr<BundleReader> OpenReader(std::string_view path, const BundleOptions& options) {
  const std::shared_ptr<const Directory> model = SavedModelDirectory(path, options);
  return model ? BundleReader::Open(model, internal::kVariablesPrefix, options)
               : BundleReader::Open(path, options);
}

}  // namespace

StatusOr<ObjectGraph> ReadObjectGraph(const BundleReader& reader) {
  return internal::Guarded([&] { return ReadGraph(reader); });
}

StatusOr<ObjectCheckpoint> ObjectCheckpoint::Open(std::string_view path, const BundleOptions& options) {
  return internal::Guarded([&]() -> StatusOr<ObjectCheckpoint> {
    SAVEDMODEL_ASSIGN_OR_RETURN(BundleReader reader, OpenReader(path, options));
    return Of(std::move(reader));
  });
}

StatusOr<ObjectCheckpoint> ObjectCheckpoint::Of(BundleReader reader) {
  return internal::Guarded([&]() -> StatusOr<ObjectCheckpoint> {
    ObjectCheckpoint checkpoint(std::move(reader));
    StatusOr<ObjectGraph> graph = ReadObjectGraph(checkpoint.reader_);
    if (graph.ok()) {
      checkpoint.graph_ = std::make_shared<const ObjectGraph>(*std::move(graph));
    } else {
      checkpoint.graph_status_ = graph.status();
    }
    return checkpoint;
  });
}

}  // namespace savedmodel
