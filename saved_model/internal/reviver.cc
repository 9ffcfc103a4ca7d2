#include "savedmodel/saved_model/internal/reviver.h"

#include <algorithm>
#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/leaf_nodes.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/saved_model/internal/constants.h"
#include "savedmodel/saved_model/internal/model_files.h"

namespace savedmodel::internal {
namespace {

// The version of each kind of container that this SDK makes. A node that asks for a newer one becomes a plain
// Module.
constexpr int32_t kContainerVersion = 1;

bool CanRevive(const UserObjectInfo& info) {
  return info.min_consumer <= kContainerVersion && info.producer >= 0 &&
         std::find(info.bad_consumers.begin(), info.bad_consumers.end(), kContainerVersion) ==
             info.bad_consumers.end();
}

std::shared_ptr<Trackable> ReviveUserObject(const Node& node) {
  const UserObjectInfo& info = *node.user_object();
  if (!node.slots.empty()) return std::make_shared<Optimizer>(info);
  if (CanRevive(info)) {
    if (info.identifier == List::kIdentifier) return std::make_shared<List>(info);
    if (info.identifier == Tuple::kIdentifier) return std::make_shared<Tuple>(info);
    if (info.identifier == Dict::kIdentifier) return std::make_shared<Dict>(info);
  }
  return std::make_shared<Module>(info);
}

class Reviver {
 public:
  explicit Reviver(const Model& model, const NodeNames& names) : model_(model), names_(names) {}

  StatusOr<std::shared_ptr<Trackable>> Make(NodeId id) {
    id_ = id;
    const Node& node = model_.graph->node(id);
    switch (node.kind) {
      case NodeKind::kUserObject:
        return ReviveUserObject(node);
      case NodeKind::kVariable:
        return MakeVariable(*node.variable());
      case NodeKind::kAsset:
        return MakeAsset(std::get<AssetInfo>(node.detail));
      case NodeKind::kConstant:
        return MakeConstant(std::get<ConstantInfo>(node.detail));
      case NodeKind::kResource:
        return std::make_shared<Resource>(std::get<ResourceInfo>(node.detail).device);
      default:
        return std::make_shared<OpaqueNode>(node);
    }
  }

 private:
  StatusOr<std::shared_ptr<Trackable>> MakeVariable(const VariableInfo& info) const {
    if (!IsKnown(info.spec.dtype)) {
      return Error(StatusCode::kUnimplemented, "the variable's dtype is not known to this SDK")
          .File(model_.graph_path)
          .Path(names_.Name(id_))
          .Found("dtype number " + std::to_string(static_cast<int32_t>(info.spec.dtype)));
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, Variable::Make(info.spec));
    variable->set_name(info.name);
    variable->set_trainable(info.trainable);
    return variable;
  }

  StatusOr<std::shared_ptr<Trackable>> MakeAsset(const AssetInfo& info) const {
    const std::string& filename = model_.infos[*model_.chosen].assets[static_cast<size_t>(info.file_index)];
    if (!IsSafeAssetName(filename)) {
      return Error(StatusCode::kDataLoss, "the asset's name leads out of the model's assets directory")
          .File(model_.graph_path)
          .Path(names_.Name(id_))
          .Found(filename);
    }
    const std::string assets = JoinPath(model_.directory->name(), kAssetsDirectory);
    return std::make_shared<Asset>(filename, JoinPath(assets, filename));
  }

  // The constant keeps its own encoded bytes, so it can be read when the loader is gone.
  StatusOr<std::shared_ptr<Trackable>> MakeConstant(const ConstantInfo& info) const {
    const NamedRange* found = Find(model_.meta_graph().constants, info.operation);
    if (!found) {
      const Status missing = Error(StatusCode::kDataLoss, "the graph has no Const node of that name")
                                 .File(model_.graph_path)
                                 .Path(names_.Name(id_))
                                 .Found(info.operation);
      return std::make_shared<Constant>([missing]() -> StatusOr<Tensor> { return missing; });
    }
    Buffer bytes = model_.meta_graph().Slice(found->range);
    return std::make_shared<Constant>([bytes, file = model_.graph_path, path = names_.Name(id_),
                                       name = info.operation]() -> StatusOr<Tensor> {
      StatusOr<Tensor> value = ReadConstNode(bytes.view(), file, name);
      return value.ok() ? std::move(value) : WithContext(value.status(), {.path = path});
    });
  }

  const Model& model_;
  const NodeNames& names_;
  NodeId id_ = 0;
};

}  // namespace

StatusOr<std::vector<std::shared_ptr<Trackable>>> Revive(const Model& model, const SelectedNodes& selected,
                                                         const Bindings& bindings, const NodeNames& names) {
  std::vector<std::shared_ptr<Trackable>> objects(model.graph->size());
  Reviver reviver(model, names);
  for (size_t i = 0; i < objects.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!selected.Contains(id)) continue;
    if (auto bound = bindings.find(id); bound != bindings.end()) {
      objects[i] = bound->second.object;
    } else {
      SAVEDMODEL_ASSIGN_OR_RETURN(objects[i], reviver.Make(id));
    }
  }
  return objects;
}

}  // namespace savedmodel::internal
