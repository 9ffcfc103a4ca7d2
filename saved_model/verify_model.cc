#include "savedmodel/saved_model/verify_model.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/object_graph/saved_object_graph.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/meta_graph.pb.h"
#include "savedmodel/saved_model/internal/checkpoint_source.h"
#include "savedmodel/saved_model/internal/constants.h"
#include "savedmodel/saved_model/internal/model_files.h"
#include "savedmodel/saved_model/internal/model_info_reader.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::ParseBounded;
using internal::ParseSource;

constexpr std::string_view kAssetsCollection = "saved_model_assets";  // TensorFlow 1
constexpr std::string_view kAssetType = "/tensorflow.AssetFileDef";   // end of an Any's type_url

bool HasVariables(const ObjectGraph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.kind == NodeKind::kVariable; });
}

class Verifier {
 public:
  Verifier(std::shared_ptr<const Directory> directory, const OpenOptions& options, const Control& control)
      : directory_(std::move(directory)), options_(options), control_(control) {}

  StatusOr<VerifyReport> Run() {
    StatusOr<internal::GraphFile> file = internal::ReadGraphFile(*directory_, options_);
    if (file.status().code() == StatusCode::kNotFound) return file.status();
    Problem(file.status());
    if (file.ok()) {
      graph_path_ = JoinPath(directory_->name(), file->name);
      for (const MetaGraphIndex& meta_graph : file->index.meta_graphs()) CheckMetaGraph(meta_graph);
      if (file->index.meta_graphs().empty())
        Problem(Error(StatusCode::kNotFound, "there are no MetaGraphs in the file").File(graph_path_));
    }
    const bool alone = file.ok() && file->index.meta_graphs().size() == 1;
    SAVEDMODEL_RETURN_IF_ERROR(CheckCheckpoint(alone ? &file->index.meta_graphs().front() : nullptr));
    Problem(internal::CheckDebugInfo(*directory_, options_.max_graph_bytes));
    Problem(CheckFingerprint());
    return std::move(report_);
  }

 private:
  void Problem(const Status& status) {
    if (!status.ok()) report_.problems.push_back(status);
  }
  ParseSource Source(const MetaGraphIndex& meta_graph, ByteRange range, std::string_view what) const {
    return {.file = graph_path_, .base_offset = meta_graph.FileOffset(range), .what = what};
  }

  void CheckMetaGraph(const MetaGraphIndex& meta_graph);
  void CheckAssets(const MetaGraphIndex& meta_graph, const std::vector<std::string>& names);
  void CheckAsset(const std::string& name);
  StatusOr<std::vector<std::string>> AssetsOfCollection(const MetaGraphIndex& meta_graph) const;
  void CheckReferences(const MetaGraphIndex& meta_graph, const ObjectGraph& graph);
  Status CheckFingerprint() const;
  Status CheckCheckpoint(const MetaGraphIndex* meta_graph);
  void CheckVariables(const ObjectGraph& stored, const BundleReader& reader);
  Status CheckVariable(const TensorSpec& declared, const Node& stored, const BundleReader& reader) const;

  std::shared_ptr<const Directory> directory_;
  const OpenOptions& options_;
  const Control& control_;
  std::string graph_path_;
  std::optional<ObjectGraph> graph_;  // of the last MetaGraph that has one
  VerifyReport report_;
};

void Verifier::CheckMetaGraph(const MetaGraphIndex& meta_graph) {
  Problem(internal::CheckEncoding(meta_graph.Bytes(meta_graph.whole), proto::MetaGraphDef::descriptor(),
                                  Source(meta_graph, meta_graph.whole, "MetaGraph")));
  const StatusOr<MetaGraphInfo> info = internal::ReadMetaGraphInfo(meta_graph, graph_path_);
  Problem(info.status());
  if (info.ok()) CheckAssets(meta_graph, info->assets);
  if (!meta_graph.has_object_graph()) return;
  StatusOr<ObjectGraph> graph = ReadSavedObjectGraph(meta_graph, graph_path_);
  Problem(graph.status());
  if (!graph.ok()) return;
  if (graph->size() == 0)
    Problem(Error(StatusCode::kNotFound, "the object graph is empty").File(graph_path_));
  CheckReferences(meta_graph, *graph);
  graph_ = *std::move(graph);
}

// ---- Assets ----

void Verifier::CheckAssets(const MetaGraphIndex& meta_graph, const std::vector<std::string>& names) {
  for (const std::string& name : names) CheckAsset(name);
  if (!names.empty()) return;  // the collection says the same again
  const StatusOr<std::vector<std::string>> collected = AssetsOfCollection(meta_graph);
  Problem(collected.status());
  if (!collected.ok()) return;
  for (const std::string& name : *collected) CheckAsset(name);
}

void Verifier::CheckAsset(const std::string& name) {
  if (!internal::IsSafeAssetName(name)) {
    return Problem(Error(StatusCode::kDataLoss, "an asset's name leaves the assets directory")
                       .File(graph_path_)
                       .Found(name));
  }
  const StatusOr<std::shared_ptr<const RandomAccessFile>> file =
      internal::OpenFile(*directory_, JoinPath(internal::kAssetsDirectory, name));
  if (!file.ok()) Problem(internal::WithContext(file.status(), {.expected = "an asset of the model"}));
}

StatusOr<std::vector<std::string>> Verifier::AssetsOfCollection(const MetaGraphIndex& meta_graph) const {
  std::vector<std::string> names;
  const NamedRange* found = Find(meta_graph.collection_defs, kAssetsCollection);
  if (found == nullptr) return names;
  proto::CollectionDef collection;
  SAVEDMODEL_RETURN_IF_ERROR(ParseBounded(meta_graph.Bytes(found->range), &collection,
                                          Source(meta_graph, found->range, "collection")));
  for (const auto& any : collection.any_list().value()) {
    if (!std::string_view(any.type_url()).ends_with(kAssetType)) continue;
    proto::AssetFileDef asset;
    SAVEDMODEL_RETURN_IF_ERROR(ParseBounded(
        any.value(), &asset, {.file = graph_path_, .base_offset = std::nullopt, .what = "asset"}));
    names.push_back(asset.filename());
  }
  return names;
}

// ---- References ----

void Verifier::CheckReferences(const MetaGraphIndex& meta_graph, const ObjectGraph& graph) {
  for (const NamedRange& function : meta_graph.concrete_functions) {
    if (Find(meta_graph.library_functions, function.name)) continue;
    Problem(Error(StatusCode::kDataLoss, "a function of the object graph is not in the function library")
                .File(graph_path_)
                .Found(std::string(function.name)));
  }
  const NodeNames names(graph);
  for (size_t i = 0; i < graph.size(); ++i) {
    const auto* constant = std::get_if<ConstantInfo>(&graph.nodes()[i].detail);
    if (constant == nullptr) continue;
    const NamedRange* found = Find(meta_graph.constants, constant->operation);
    const Status status =
        found ? internal::ReadConstNode(meta_graph.Bytes(found->range), graph_path_, found->name).status()
              : Error(StatusCode::kDataLoss, "a constant's node is not in the graph")
                    .Found(constant->operation)
                    .ToStatus();
    Problem(internal::WithContext(status, {.file = graph_path_, .path = names.Name(static_cast<NodeId>(i))}));
  }
}

Status Verifier::CheckFingerprint() const {
  const StatusOr<Fingerprint> fingerprint = internal::ReadFingerprint(*directory_, options_.max_graph_bytes);
  return fingerprint.status().code() == StatusCode::kNotFound ? OkStatus() : fingerprint.status();
}

// ---- Checkpoint ----

Status Verifier::CheckCheckpoint(const MetaGraphIndex* meta_graph) {
  const bool has_objects = meta_graph != nullptr && meta_graph->has_object_graph();
  const internal::CheckpointSource source(directory_, has_objects ? meta_graph : nullptr,
                                          options_.checkpoint);
  const StatusOr<BundleReader> reader = source.Reader();
  if (!reader.ok()) {
    const bool absent = reader.status().code() == StatusCode::kNotFound;
    if (!absent || (graph_ && HasVariables(*graph_))) Problem(reader.status());
    return OkStatus();
  }
  const StatusOr<std::shared_ptr<const ObjectGraph>> stored = source.Graph();
  SAVEDMODEL_RETURN_IF_ERROR(
      VerifyTensors(*reader, stored.ok() ? stored->get() : nullptr, stored.status(), control_, &report_));
  if (!graph_ || !has_objects) return OkStatus();
  if (stored.ok()) CheckVariables(**stored, *reader);
  if (stored.status().code() == StatusCode::kFailedPrecondition) Problem(stored.status());
  return OkStatus();
}

void Verifier::CheckVariables(const ObjectGraph& stored, const BundleReader& reader) {
  const MatchResult match = Match(stored, *graph_);
  const NodeNames names(*graph_);
  for (size_t i = 0; i < graph_->size(); ++i) {
    const VariableInfo* variable = graph_->nodes()[i].variable();
    if (variable == nullptr) continue;
    const NodeId id = match.stored_of[i];
    const Status status =
        id < 0 ? Error(StatusCode::kFailedPrecondition, "the checkpoint knows nothing of the variable")
                     .File(reader.index_name())
                     .ToStatus()
               : CheckVariable(variable->spec, stored.node(id), reader);
    Problem(internal::WithContext(status, {.path = names.Name(static_cast<NodeId>(i))}));
  }
}

// What the tensors have told already (a key that is not stored, an entry that is bad) is not told again.
Status Verifier::CheckVariable(const TensorSpec& declared, const Node& stored,
                               const BundleReader& reader) const {
  for (const Attribute& attribute : stored.attributes) {
    if (attribute.name != kVariableValue) continue;
    const StatusOr<TensorInfo> info = reader.Find(attribute.checkpoint_key);
    if (!info.ok()) continue;
    if (declared.dtype == info->dtype && declared.shape.IsCompatibleWith(info->shape)) continue;
    return Error(StatusCode::kFailedPrecondition, "a variable and its stored value differ")
        .File(reader.index_name())
        .Key(attribute.checkpoint_key)
        .Expected(declared.ToString())
        .Found(TensorSpec{info->dtype, info->shape}.ToString());
  }
  return OkStatus();
}

}  // namespace

StatusOr<VerifyReport> VerifyModel(std::string_view directory, const OpenOptions& options,
                                   const Control& control) {
  SAVEDMODEL_RETURN_IF_ERROR(control.CheckOptions());
  const std::shared_ptr<const FileSystem> files =
      options.file_system ? options.file_system : PosixFileSystem();
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<const Directory> opened,
                              internal::OpenDirectory(*files, directory));
  return internal::Guarded([&] { return Verifier(std::move(opened), options, control).Run(); });
}

}  // namespace savedmodel
