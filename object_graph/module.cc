#include "savedmodel/object_graph/module.h"

#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/node_path.h"

namespace savedmodel {

StatusOr<std::shared_ptr<Variable>> Module::AddVariable(std::string_view name, const TensorSpec& spec,
                                                        Variable::Initializer initializer) {
  if (Child(name)) {
    return internal::Error(StatusCode::kAlreadyExists, "the object has a child of that name")
        .Path(QuoteComponent(name));
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, Variable::Make(spec));
  variable->set_name(std::string(name));
  variable->set_initializer(std::move(initializer));
  SAVEDMODEL_RETURN_IF_ERROR(Track(name, variable));
  if (Status status = variable->Initialize(); !status.ok()) {
    Untrack(name);
    return status;
  }
  return variable;
}

}  // namespace savedmodel
