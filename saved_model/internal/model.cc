#include "savedmodel/saved_model/internal/model.h"

#include <set>
#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/object_graph/saved_object_graph.h"
#include "savedmodel/saved_model/internal/model_files.h"
#include "savedmodel/saved_model/internal/model_info_reader.h"

namespace savedmodel::internal {
namespace {

std::string DescribeTags(const std::vector<std::string>& tags) {
  std::string text = "{";
  for (const std::string& tag : tags) text += (text.size() > 1 ? ", " : "") + ("\"" + Printable(tag) + "\"");
  return text + "}";
}

std::string DescribeAllTags(const std::vector<MetaGraphInfo>& infos) {
  std::string text;
  for (const MetaGraphInfo& info : infos) text += (text.empty() ? "" : " or ") + DescribeTags(info.tags);
  return infos.empty() ? "no MetaGraphs in the file" : text;
}

std::set<std::string> AsSet(const std::vector<std::string>& tags) { return {tags.begin(), tags.end()}; }

// The MetaGraph to load. TensorFlow compares tags as sets; of several equal sets the first counts.
StatusOr<std::optional<size_t>> Choose(const Model& model, const OpenOptions& options) {
  if (!options.tags) return model.infos.size() == 1 ? std::optional<size_t>(0) : std::nullopt;
  const std::set<std::string> wanted = AsSet(*options.tags);
  for (size_t i = 0; i < model.infos.size(); ++i) {
    if (AsSet(model.infos[i].tags) == wanted) return std::optional<size_t>(i);
  }
  const StatusCode code = model.has_object_graph() ? StatusCode::kInvalidArgument : StatusCode::kNotFound;
  return Error(code, "no MetaGraph of the model has exactly these tags")
      .File(model.graph_path)
      .Expected(DescribeTags(*options.tags))
      .Found(DescribeAllTags(model.infos));
}

}  // namespace

StatusOr<std::shared_ptr<const Model>> OpenModel(std::string_view directory, const OpenOptions& options) {
  auto model = std::make_shared<Model>();
  model->options = options;
  const std::shared_ptr<const FileSystem> files =
      options.file_system ? options.file_system : PosixFileSystem();
  SAVEDMODEL_ASSIGN_OR_RETURN(model->directory, OpenDirectory(*files, directory));
  SAVEDMODEL_ASSIGN_OR_RETURN(GraphFile graph_file, ReadGraphFile(*model->directory, options));
  model->graph_file = std::move(graph_file.name);
  model->graph_path = JoinPath(model->directory->name(), model->graph_file);
  model->index = std::move(graph_file.index);
  for (const MetaGraphIndex& meta_graph : model->index->meta_graphs()) {
    SAVEDMODEL_ASSIGN_OR_RETURN(MetaGraphInfo info, ReadMetaGraphInfo(meta_graph, model->graph_path));
    model->infos.push_back(std::move(info));
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(model->chosen, Choose(*model, options));
  const bool objects = model->has_object_graph() && model->chosen;
  ObjectGraph graph;
  if (objects) {
    SAVEDMODEL_ASSIGN_OR_RETURN(graph, ReadSavedObjectGraph(model->meta_graph(), model->graph_path));
    CountNodes(graph, &model->infos[0].counts);
  }
  model->graph = std::make_shared<const ObjectGraph>(std::move(graph));
  model->checkpoint = std::make_unique<CheckpointSource>(
      model->directory, objects ? &model->meta_graph() : nullptr, options.checkpoint);
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace savedmodel::internal
