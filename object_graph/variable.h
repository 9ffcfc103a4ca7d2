// A variable: a dtype, a shape and a value that a checkpoint can fill; it owns the value or wraps memory of
// the caller's.
//
//   auto v = *Variable::Make({DType::kFloat32, Shape{2, 3}});         // owns its value; none yet
//   std::vector<float> weights(6);
//   auto w = *Variable::Wrap({DType::kFloat32, Shape{2, 3}}, std::as_writable_bytes(std::span(weights)));
//
// A variable without a value says so: Read() is FailedPrecondition, never zeros. A loaded variable's value
// may point into the mapping of its file (see ReadMode::kMapped).
// Thread-safety: const methods may run concurrently; Assign and writes to wrapped memory need outside
// locking.
// Lifetime: tensors read from an owning variable stay valid when it is assigned again or gone. Wrapped memory
// must outlive the variable.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

class Variable : public Trackable {
 public:
  // Owns its value, which may have any shape compatible with spec.shape. Errors: InvalidArgument (dtype).
  static StatusOr<std::shared_ptr<Variable>> Make(const TensorSpec& spec);
  // The value lives in `memory`: elements in host order, row-major, any alignment. What is there now counts
  // as no value until Assign or a restore. Errors: InvalidArgument (dtype without a size, shape not fully
  // known, size of `memory`).
  static StatusOr<std::shared_ptr<Variable>> Wrap(const TensorSpec& spec, std::span<std::byte> memory);

  NodeKind kind() const override { return NodeKind::kVariable; }
  std::string_view identifier() const override { return {}; }

  DType dtype() const { return spec_.dtype; }
  const PartialShape& shape() const { return spec_.shape; }  // as declared
  const TensorSpec& spec() const { return spec_; }
  // Labels from the model; empty and true for a variable of the program's own. The name is what a checkpoint without
  // an object graph knows the variable by.
  const std::string& name() const { return name_; }
  bool trainable() const { return trainable_; }
  void set_name(std::string name) { name_ = std::move(name); }
  void set_trainable(bool trainable) { trainable_ = trainable; }

  bool initialized() const { return initialized_; }
  // The value; a copy when memory is wrapped. Errors: FailedPrecondition (no value yet), ResourceExhausted
  // (memory).
  StatusOr<Tensor> Read() const;
  // Errors: InvalidArgument (dtype or shape does not fit). On error nothing has changed.
  Status Assign(Tensor value);

  // Makes the first value of a variable that no checkpoint has one for.
  using Initializer = std::function<StatusOr<Tensor>()>;
  void set_initializer(Initializer initializer) { initializer_ = std::move(initializer); }
  // Errors: the initializer's, and those of Assign.
  Status Initialize() override;

  // One value, kVariableValue.
  std::vector<CheckpointValue> CheckpointValues() const override;
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override;

  // The caller's memory; empty for an owning variable.
  std::span<std::byte> wrapped_memory() const { return memory_; }
  bool wraps_memory() const { return wraps_; }
  // Says that the wrapped memory holds a value (or, after a failed write into it, that it does not).
  void MarkInitialized(bool initialized) { initialized_ = initialized; }

 private:
  explicit Variable(TensorSpec spec) : spec_(std::move(spec)) {}

  TensorSpec spec_;
  std::string name_;
  Initializer initializer_;
  bool trainable_ = true;
  bool initialized_ = false;
  bool wraps_ = false;
  std::span<std::byte> memory_;
  Tensor value_;
};

}  // namespace savedmodel
