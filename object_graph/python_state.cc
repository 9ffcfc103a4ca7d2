#include "savedmodel/object_graph/python_state.h"

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {

Status PythonState::RestoreValues(std::vector<std::optional<Tensor>> values) {
  if (values.size() != 1 || !values[0]) {
    return internal::Error(StatusCode::kInvalidArgument, "a state takes one string")
        .Found(std::to_string(values.size()) + " values");
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::string_view state, values[0]->StringAt(0));
  return Deserialize(state);
}

}  // namespace savedmodel
