// Loads TensorFlow SavedModels, whole or by node path, into new objects or into the caller's.
//
//   StatusOr<Loader> loader = Loader::Open("models/translate/3");
//   StatusOr<LoadedModel> all = loader->Load();
//   StatusOr<LoadedModel> part = loader->Load({"root.encoder"});
//   StatusOr<LoadedModel> mine = loader->Load(Selection({{"root.head.kernel", my_variable}}));
//
// Files read: saved_model.pb (else saved_model.pbtxt), and variables/ once a value is wanted. Nothing needs TensorFlow.
// Cost: Open reads and skims the graph file, parses the object graph's nodes and no function body. A load reads the
// checkpoint's index (once) and the selected tensors.
// What is not revived yet (functions, tables' contents) is kept as a node with its kind and edges.
// Thread-safety: const methods may run concurrently; loads that bind one object need outside locking.
// Lifetime: loaded objects outlive the loader. A loader that was moved from may be assigned or destroyed, no more.
// Errors, all functions: NotFound (no directory, graph file, tag set, path, index, shard or key), InvalidArgument (paths,
// tags that are not those of the only MetaGraph, bound objects that do not fit; filters on a TensorFlow 1 model), DataLoss (bytes that cannot be what they claim),
// FailedPrecondition (parts that disagree), Unimplemented (.cpb, a TensorFlow 1 model as a whole), ResourceExhausted (a
// limit of the options; memory), Cancelled, DeadlineExceeded, and
// those of base/file_system.h. On an error no object of the caller's has changed (RestoreMode says what else can be had);
// the one exception is memory that runs out when the values are in place and the edges are made.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/saved_model/load_options.h"
#include "savedmodel/saved_model/load_plan.h"
#include "savedmodel/saved_model/loaded_model.h"
#include "savedmodel/saved_model/model_info.h"

namespace savedmodel {

namespace internal {
struct Model;
}  // namespace internal

class Loader {
 public:
  // Opens `directory` once; all files are then read relative to it. Several MetaGraphs without options.tags open, show
  // themselves and refuse to load.
  static StatusOr<Loader> Open(std::string_view directory, const OpenOptions& options = {});

  const std::string& directory() const;
  // "saved_model.pb" or "saved_model.pbtxt", below the directory.
  const std::string& graph_file() const;
  std::span<const MetaGraphInfo> meta_graphs() const;
  // The one that options.tags or its being alone chose; null when there are none or several.
  const MetaGraphInfo* meta_graph() const;
  // True for a model with exactly one MetaGraph that has an object graph: what paths and loads work on.
  bool has_object_graph() const;
  // Nodes of the chosen MetaGraph; empty without an object graph.
  const ObjectGraph& graph() const;

  // The tensors under variables/, opened on first use and then shared. Errors: NotFound (no index).
  StatusOr<BundleReader> checkpoint() const;
  // The object graph that the checkpoint holds: keys and slots by node. With the data shard gone it is taken from the copy
  // that TensorFlow 2 keeps in the graph. Errors: NotFound (in neither place).
  StatusOr<std::shared_ptr<const ObjectGraph>> checkpoint_graph() const;
  // Errors: NotFound (no fingerprint.pb), DataLoss.
  StatusOr<Fingerprint> ReadFingerprint() const;

  // What Load would do with the same arguments. Reads the checkpoint's index and object graph, no other tensor.
  StatusOr<LoadPlan> Plan(const Selection& selection = Selection::All(),
                          const LoadOptions& options = {}) const;
  StatusOr<LoadedModel> Load(const Selection& selection = Selection::All(),
                             const LoadOptions& options = {}) const;

 private:
  explicit Loader(std::shared_ptr<const internal::Model> model) : model_(std::move(model)) {}
  StatusOr<LoadedModel> LoadUnguarded(const Selection& selection, const LoadOptions& options) const;

  std::shared_ptr<const internal::Model> model_;
};

// Loader::Open and Load in one call.
StatusOr<LoadedModel> Load(std::string_view directory, const LoadOptions& options = {},
                           const OpenOptions& open = {});
// The same for a part. An empty selection gives an empty root, as in TensorFlow.
StatusOr<LoadedModel> LoadPartial(std::string_view directory, const Selection& selection,
                                  const LoadOptions& options = {}, const OpenOptions& open = {});

}  // namespace savedmodel
