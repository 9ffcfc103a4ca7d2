#include "savedmodel/saved_model/loaded_model.h"

#include "savedmodel/base/internal/error.h"

namespace savedmodel {

StatusOr<std::shared_ptr<Trackable>> LoadedModel::Object(const NodePath& path) const {
  const StatusOr<NodeId> id = graph_->Find(path);
  if (id.ok()) {
    if (const auto& object = by_id_[static_cast<size_t>(*id)]) return object;
    if (path.is_root()) return root_;
    return internal::Error(StatusCode::kNotFound, "the node is not part of what was loaded")
        .Path(path.ToString());
  }
  const std::string text = path.ToString();
  for (const LoadedVariable& variable : report_.variables) {
    if (variable.slot && variable.path == text) return std::shared_ptr<Trackable>(variable.variable);
  }
  return id.status();
}

Status LoadedModel::WrongType(const NodePath& path, const Trackable& object) {
  return internal::Error(StatusCode::kInvalidArgument,
                         "the object at the path is of another type than asked for")
      .Path(path.ToString())
      .Found(std::string(NodeKindName(object.kind())));
}

}  // namespace savedmodel
