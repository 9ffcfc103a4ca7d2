#include "savedmodel/saved_model/internal/model_info_reader.h"

#include <unordered_set>
#include <utility>

#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/meta_graph.pb.h"

namespace savedmodel::internal {
namespace {

ParseSource Source(const MetaGraphIndex& meta_graph, ByteRange range, std::string_view file,
                   std::string_view what) {
  return {.file = file, .base_offset = meta_graph.FileOffset(range), .what = what};
}

Status ReadMetaInfo(const MetaGraphIndex& meta_graph, std::string_view file, MetaGraphInfo* info) {
  if (!meta_graph.meta_info_def) return OkStatus();
  proto::MetaGraphDef::MetaInfoDef in;
  SAVEDMODEL_RETURN_IF_ERROR(
      ParseBounded(meta_graph.Bytes(*meta_graph.meta_info_def), &in,
                   Source(meta_graph, *meta_graph.meta_info_def, file, "MetaInfoDef")));
  info->meta_graph_version = in.meta_graph_version();
  info->tensorflow_version = in.tensorflow_version();
  info->tensorflow_git_version = in.tensorflow_git_version();
  info->stripped_default_attrs = in.stripped_default_attrs();
  return OkStatus();
}

Status ReadAssets(const MetaGraphIndex& meta_graph, std::string_view file, MetaGraphInfo* info) {
  for (ByteRange range : meta_graph.asset_file_defs) {
    proto::AssetFileDef in;
    SAVEDMODEL_RETURN_IF_ERROR(
        ParseBounded(meta_graph.Bytes(range), &in, Source(meta_graph, range, file, "AssetFileDef")));
    info->assets.push_back(in.filename());
  }
  return OkStatus();
}

}  // namespace

StatusOr<MetaGraphInfo> ReadMetaGraphInfo(const MetaGraphIndex& meta_graph, std::string_view file) {
  MetaGraphInfo info;
  info.tags.assign(meta_graph.tags.begin(), meta_graph.tags.end());
  info.has_object_graph = meta_graph.has_object_graph();
  SAVEDMODEL_RETURN_IF_ERROR(ReadMetaInfo(meta_graph, file, &info));
  SAVEDMODEL_RETURN_IF_ERROR(ReadAssets(meta_graph, file, &info));
  SAVEDMODEL_ASSIGN_OR_RETURN(info.signatures, ReadSignatureDefs(meta_graph, file));
  info.counts.nodes = meta_graph.object_nodes.size();
  info.counts.functions = meta_graph.library_functions.size();
  return info;
}

void CountNodes(const ObjectGraph& graph, MetaGraphInfo::Counts* counts) {
  std::unordered_set<NodeId> slots;
  for (const Node& node : graph.nodes()) {
    counts->slots += node.slots.size();
    for (const SlotReference& slot : node.slots) slots.insert(slot.slot);
  }
  for (size_t id = 0; id < graph.size(); ++id) {
    const NodeKind kind = graph.nodes()[id].kind;
    if (kind == NodeKind::kVariable && !slots.count(static_cast<NodeId>(id))) ++counts->variables;
    if (kind == NodeKind::kResource) ++counts->tables;
    if (kind == NodeKind::kConstant) ++counts->constants;
  }
}

}  // namespace savedmodel::internal
