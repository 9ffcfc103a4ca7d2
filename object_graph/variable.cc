#include "savedmodel/object_graph/variable.h"

#include <cstring>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;

std::string Describe(const Tensor& tensor) { return TensorSpec{tensor.dtype(), tensor.shape()}.ToString(); }

}  // namespace

StatusOr<std::shared_ptr<Variable>> Variable::Make(const TensorSpec& spec) {
  if (!IsKnown(spec.dtype)) {
    return Error(StatusCode::kInvalidArgument, "a variable needs a dtype").Found(spec.ToString());
  }
  return std::shared_ptr<Variable>(new Variable(spec));
}

StatusOr<std::shared_ptr<Variable>> Variable::Wrap(const TensorSpec& spec, std::span<std::byte> memory) {
  const std::optional<Shape> shape = spec.shape.ToShape();
  if (!IsFixedSize(spec.dtype) || !shape) {
    return Error(StatusCode::kInvalidArgument,
                 "memory can be wrapped for a fixed-size dtype and a known shape only")
        .Found(spec.ToString());
  }
  const auto element = DTypeSize(spec.dtype);
  if (memory.size() % element != 0 ||
      memory.size() / element != static_cast<uint64_t>(shape->num_elements())) {
    return Error(StatusCode::kInvalidArgument, "the memory's size is not that of a " + spec.ToString())
        .Expected(std::to_string(shape->num_elements()) + " elements of " + std::to_string(element) +
                  " bytes")
        .Found(std::to_string(memory.size()) + " bytes");
  }
  std::shared_ptr<Variable> variable(new Variable(spec));
  variable->wraps_ = true;
  variable->memory_ = memory;
  return variable;
}

StatusOr<Tensor> Variable::Read() const {
  if (!initialized_) {
    return Error(StatusCode::kFailedPrecondition, "the variable has no value: none was assigned or restored")
        .Found(name_.empty() ? spec_.ToString() : name_ + " " + spec_.ToString());
  }
  if (!wraps_) return value_;
  return Tensor::FromBytes(spec_.dtype, *spec_.shape.ToShape(), memory_);
}

Status Variable::Assign(Tensor value) {
  if (value.dtype() != spec_.dtype || !spec_.shape.IsCompatibleWith(value.shape())) {
    return Error(StatusCode::kInvalidArgument, "the value does not fit the variable")
        .Expected(spec_.ToString())
        .Found(Describe(value));
  }
  if (!wraps_) {
    value_ = std::move(value);  // cannot fail, so that a restore can commit many
  } else if (!memory_.empty()) {
    std::memcpy(memory_.data(), value.buffer().data(), memory_.size());
  }
  initialized_ = true;
  return OkStatus();
}

Status Variable::Initialize() {
  if (initialized_ || !initializer_) return OkStatus();
  SAVEDMODEL_ASSIGN_OR_RETURN(Tensor value, initializer_());
  return Assign(std::move(value));
}

std::vector<CheckpointValue> Variable::CheckpointValues() const {
  return {{.name = std::string(kVariableValue), .spec = spec_, .full_name = name_}};
}

Status Variable::RestoreValues(std::vector<std::optional<Tensor>> values) {
  if (values.size() != 1 || !values[0]) {
    return Error(StatusCode::kInvalidArgument, "a variable takes one value")
        .Found(std::to_string(values.size()) + " values");
  }
  return Assign(*std::move(values[0]));
}

}  // namespace savedmodel
