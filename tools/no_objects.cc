#include "savedmodel/tools/no_objects.h"

#include <string>

#include "savedmodel/base/internal/error.h"

namespace savedmodel::tools {

Status NoObjects(const Loader& loader) {
  const size_t count = loader.meta_graphs().size();
  const std::string file = JoinPath(loader.directory(), loader.graph_file());
  if (count == 0)
    return internal::Error(StatusCode::kNotFound, "no MetaGraphs in the file, so no objects").File(file);
  if (count > 1) {
    return internal::Error(StatusCode::kInvalidArgument,
                           "the model has several MetaGraphs, and paths and a tree are of one")
        .File(file)
        .Found(std::to_string(count) + " MetaGraphs")
        .Hint("show tells what each of them has");
  }
  return internal::Error(StatusCode::kInvalidArgument,
                         "the MetaGraph has no object graph: it was written for TensorFlow 1")
      .File(file)
      .Hint("ls lists its variables by name");
}

}  // namespace savedmodel::tools
