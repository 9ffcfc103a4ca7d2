// A model opened for its tensors: the SavedModel's loader where it is one, the checkpoint's reader, and the
// object graph that names its tensors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/saved_model/loader.h"
#include "savedmodel/tools/model_argument.h"

namespace savedmodel::tools {

struct OpenedModel {
  std::string argument = {};  // as given
  ModelArgument where = {};
  std::optional<Loader> loader = {};  // of a SavedModel
  // Nothing for a SavedModel without a checkpoint, which is sound when it has no variables.
  std::optional<BundleReader> reader = {};
  // The checkpoint's own; null when there is none or it cannot be read, and then `graph_status` says why.
  std::shared_ptr<const ObjectGraph> graph = {};
  Status graph_status = {};

  bool is_saved_model() const { return loader.has_value(); }
  std::string_view format() const { return is_saved_model() ? "saved_model" : "checkpoint"; }
  // True when the object graph should be there and is not.
  bool lacks_graph() const;
};

// Errors: those of ResolveModel, Loader::Open and BundleReader::Open; NotFound also for a SavedModel that has
// variables and whose checkpoint is not there.
StatusOr<OpenedModel> OpenModel(std::string_view argument);

}  // namespace savedmodel::tools
