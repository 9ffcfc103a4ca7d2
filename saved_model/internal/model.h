// What an open Loader knows; shared by its copies and immutable but for the checkpoint opened on first use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/file_system.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/wire_index.h"
#include "savedmodel/saved_model/internal/checkpoint_source.h"
#include "savedmodel/saved_model/load_options.h"
#include "savedmodel/saved_model/model_info.h"

namespace savedmodel::internal {

struct Model {
  std::shared_ptr<const Directory> directory;
  OpenOptions options;
  std::string graph_file;  // below the directory
  std::string graph_path;  // for messages
  std::optional<WireIndex> index;
  std::vector<MetaGraphInfo> infos;
  std::optional<size_t> chosen;              // of the MetaGraphs
  std::shared_ptr<const ObjectGraph> graph;  // of the chosen one; empty without an object graph
  std::unique_ptr<CheckpointSource> checkpoint;

  bool has_object_graph() const { return infos.size() == 1 && infos[0].has_object_graph; }
  const MetaGraphIndex& meta_graph() const { return index->meta_graphs()[*chosen]; }
};

// Opens the directory and reads all but the checkpoint. Errors: see Loader::Open.
StatusOr<std::shared_ptr<const Model>> OpenModel(std::string_view directory, const OpenOptions& options);

}  // namespace savedmodel::internal
