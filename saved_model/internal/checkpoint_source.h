// A model's checkpoint: the tensors under variables/ and the object graph that says what they are, opened when wanted.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::internal {

// Thread-safe; what was opened once is kept, errors are not.
class CheckpointSource {
 public:
  // `meta_graph` may be null (no object graph to fall back to); it outlives this.
  CheckpointSource(std::shared_ptr<const Directory> directory, const MetaGraphIndex* meta_graph,
                   BundleLimits limits)
      : directory_(std::move(directory)), meta_graph_(meta_graph), limits_(limits) {}

  // Errors: NotFound (no index), those of BundleReader::Open.
  StatusOr<BundleReader> Reader() const;
  // From the checkpoint; with its shard or index gone, from the constant in the graph that TensorFlow saves it from.
  // Errors: NotFound (in neither place), FailedPrecondition (a checkpoint without an object graph), DataLoss.
  StatusOr<std::shared_ptr<const ObjectGraph>> Graph() const;
  // The path of the index, for messages.
  std::string index_name() const;

 private:
  StatusOr<BundleReader> ReaderLocked() const;
  StatusOr<ObjectGraph> ReadGraphLocked() const;

  std::shared_ptr<const Directory> directory_;
  const MetaGraphIndex* meta_graph_;
  BundleLimits limits_;
  mutable std::mutex mutex_;
  mutable std::optional<BundleReader> reader_;
  mutable std::shared_ptr<const ObjectGraph> graph_;
};

}  // namespace savedmodel::internal
