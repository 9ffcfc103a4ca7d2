// A checkpoint together with the object graph that says what its tensors are.
//
//   StatusOr<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open("ckpt/model-1");
//   if (checkpoint->graph()) ...             // which objects there are; else there are tensors by key only,
//   LogWarning(checkpoint->graph_status());  // and this is why
//
// Cost: Open reads the index and the object graph's own tensor.
// Thread-safety: immutable after Open. Lifetime: copies share the reader's files and the graph; a moved-from
// checkpoint may only be assigned to or destroyed.
#pragma once

#include <memory>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

class ObjectCheckpoint {
 public:
  // `path` is a prefix, or the directory of a SavedModel, which means its variables/variables. Whatever keeps the object
  // graph from being read (its shard is gone, it is damaged) does not keep the tensors from being read.
  // Errors: as BundleReader::Open.
  static StatusOr<ObjectCheckpoint> Open(std::string_view path, const BundleOptions& options = {});
  // The same of a bundle that is open. Errors: ResourceExhausted (memory).
  static StatusOr<ObjectCheckpoint> Of(BundleReader reader);

  const BundleReader& reader() const { return reader_; }
  // Null when there is none or it cannot be read.
  const std::shared_ptr<const ObjectGraph>& graph() const { return graph_; }
  // OK with a graph; else as ReadObjectGraph.
  const Status& graph_status() const { return graph_status_; }

 private:
  explicit ObjectCheckpoint(BundleReader reader) : reader_(std::move(reader)) {}

  BundleReader reader_;
  std::shared_ptr<const ObjectGraph> graph_;
  Status graph_status_;
};

// The object graph that a bundle holds. Errors: FailedPrecondition (there is none: a name-based checkpoint),
// NotFound (its shard is gone), DataLoss.
StatusOr<ObjectGraph> ReadObjectGraph(const BundleReader& reader);

}  // namespace savedmodel
