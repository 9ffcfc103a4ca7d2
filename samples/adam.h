// Adam for float32 variables, as a program writes an optimizer of its own: TensorFlow's tf.compat.v1.train.AdamOptimizer
// computes the same numbers and keeps the same state, so that its checkpoints are read and training goes on.
//
//   auto adam = std::make_shared<samples::Adam>(samples::AdamOptions{.learning_rate = 0.01f});
//   Status status = adam->Step({{kernel, kernel_gradient}, {bias, bias_gradient}});
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/variable.h"

namespace samples {

using savedmodel::DType;
using savedmodel::OkStatus;
using savedmodel::Optimizer;
using savedmodel::Shape;
using savedmodel::Status;
using savedmodel::StatusOr;
using savedmodel::Tensor;
using savedmodel::TensorSpec;
using savedmodel::Variable;

// A variable's numbers while they are worked on.
struct Floats {
  Shape shape = {};
  std::vector<float> values = {};
};

inline StatusOr<Floats> ReadFloats(const Tensor& tensor) {
  const StatusOr<Tensor> aligned = tensor.Aligned();
  if (!aligned.ok()) return aligned.status();
  const StatusOr<std::span<const float>> view = aligned->View<float>();
  if (!view.ok()) return view.status();
  return Floats{tensor.shape(), {view->begin(), view->end()}};
}

inline StatusOr<Floats> ReadFloats(const Variable& variable) {
  const StatusOr<Tensor> value = variable.Read();
  return value.ok() ? ReadFloats(*value) : value.status();
}

inline StatusOr<Tensor> ToTensor(const Floats& floats) {
  return Tensor::FromBytes(DType::kFloat32, floats.shape, std::as_bytes(std::span(floats.values)));
}

inline Status Assign(Variable& variable, const Floats& floats) {
  StatusOr<Tensor> value = ToTensor(floats);
  return value.ok() ? variable.Assign(*std::move(value)) : value.status();
}

struct AdamOptions {
  float learning_rate = 0.001f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
};

struct Gradient {
  std::shared_ptr<Variable> variable = {};
  Tensor gradient = {};  // of the variable's shape
};

class Adam : public Optimizer {
 public:
  explicit Adam(AdamOptions options = {}) : options_(options) {}

  // Moves every variable against its gradient. The first step makes what the optimizer keeps; what a checkpoint has for
  // it is taken from there. An error stops it where it is.
  Status Step(const std::vector<Gradient>& gradients) {
    StatusOr<std::shared_ptr<Variable>> power1 = Power("beta1_power", options_.beta1);
    if (!power1.ok()) return power1.status();
    StatusOr<std::shared_ptr<Variable>> power2 = Power("beta2_power", options_.beta2);
    if (!power2.ok()) return power2.status();
    StatusOr<float> rate = Rate(**power1, **power2);
    if (!rate.ok()) return rate.status();
    for (const Gradient& one : gradients) {
      if (Status status = Move(one, *rate); !status.ok()) return status;
    }
    if (Status status = Multiply(**power1, options_.beta1); !status.ok()) return status;
    return Multiply(**power2, options_.beta2);
  }

  // A slot of a variable that has a name has one too, TensorFlow's: for checkpoints of names.
  StatusOr<std::shared_ptr<Variable>> MakeSlotFor(const Variable& variable, std::string_view slot_name,
                                                  const TensorSpec& spec) const override {
    StatusOr<std::shared_ptr<Variable>> slot = Optimizer::MakeSlotFor(variable, slot_name, spec);
    if (slot.ok() && !variable.name().empty())
      (*slot)->set_name(variable.name() + (slot_name == "m" ? "/Adam" : "/Adam_1"));
    return slot;
  }

 private:
  // The child that counts steps by a beta's power.
  StatusOr<std::shared_ptr<Variable>> Power(std::string_view name, float beta) {
    if (auto known = ChildAs<Variable>(name)) return known;
    return AddVariable(name, {DType::kFloat32, Shape{}}, [beta] { return ToTensor({{}, {beta}}); });
  }

  StatusOr<float> Rate(const Variable& power1, const Variable& power2) const {
    const StatusOr<Floats> beta1_power = ReadFloats(power1);
    if (!beta1_power.ok()) return beta1_power.status();
    const StatusOr<Floats> beta2_power = ReadFloats(power2);
    if (!beta2_power.ok()) return beta2_power.status();
    return options_.learning_rate * std::sqrt(1 - beta2_power->values[0]) / (1 - beta1_power->values[0]);
  }

  StatusOr<std::shared_ptr<Variable>> ZeroSlot(const std::shared_ptr<Variable>& variable,
                                               std::string_view name, const Shape& shape) {
    return GetOrMakeSlot(variable, name, {DType::kFloat32, shape}, [shape] {
      return ToTensor({shape, std::vector<float>(static_cast<size_t>(shape.num_elements()))});
    });
  }

  Status Move(const Gradient& one, float rate) {
    const StatusOr<Floats> gradient = ReadFloats(one.gradient);
    if (!gradient.ok()) return gradient.status();
    const StatusOr<std::shared_ptr<Variable>> m = ZeroSlot(one.variable, "m", gradient->shape);
    if (!m.ok()) return m.status();
    const StatusOr<std::shared_ptr<Variable>> v = ZeroSlot(one.variable, "v", gradient->shape);
    if (!v.ok()) return v.status();
    return Move(*one.variable, **m, **v, gradient->values, rate);
  }

  Status Move(Variable& variable, Variable& m, Variable& v, std::span<const float> gradient,
              float rate) const {
    StatusOr<Floats> value = ReadFloats(variable), mean = ReadFloats(m), square = ReadFloats(v);
    for (const StatusOr<Floats>* read : {&value, &mean, &square}) {
      if (!read->ok()) return read->status();
      if ((*read)->values.size() != gradient.size())
        return Status(savedmodel::StatusCode::kInvalidArgument, "a gradient has its variable's shape");
    }
    for (size_t i = 0; i < gradient.size(); ++i) {
      float& mean_i = mean->values[i];
      float& square_i = square->values[i];
      mean_i += (gradient[i] - mean_i) * (1 - options_.beta1);
      square_i += (gradient[i] * gradient[i] - square_i) * (1 - options_.beta2);
      value->values[i] -= rate * mean_i / (std::sqrt(square_i) + options_.epsilon);
    }
    if (Status status = Assign(m, *mean); !status.ok()) return status;
    if (Status status = Assign(v, *square); !status.ok()) return status;
    return Assign(variable, *value);
  }

  static Status Multiply(Variable& power, float beta) {
    StatusOr<Floats> value = ReadFloats(power);
    if (!value.ok()) return value.status();
    value->values[0] *= beta;
    return Assign(power, *value);
  }

  AdamOptions options_;
};

}  // namespace samples
