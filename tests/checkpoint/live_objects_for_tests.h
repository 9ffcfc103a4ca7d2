// Live objects that tests restore.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/python_state.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel::testing {

inline Tensor FloatsTensor(const std::vector<float>& values) {
  return *Tensor::FromBytes(DType::kFloat32, Shape{static_cast<int64_t>(values.size())},
                            std::as_bytes(std::span(values)));
}

// A float32 vector that holds `values`.
inline std::shared_ptr<Variable> MakeFloats(const std::vector<float>& values, const std::string& name = "") {
  auto variable = *Variable::Make({DType::kFloat32, Shape{static_cast<int64_t>(values.size())}});
  variable->set_name(name);
  EXPECT_TRUE(variable->Assign(FloatsTensor(values)).ok());
  return variable;
}

// Empty when there is no value.
inline std::vector<float> FloatsOf(const std::shared_ptr<Variable>& variable) {
  if (!variable) return {};
  const StatusOr<Tensor> value = variable->Read();
  if (!value.ok()) return {};
  std::vector<float> floats(static_cast<size_t>(value->num_elements()));
  std::memcpy(floats.data(), value->buffer().data(), value->num_bytes());
  return floats;
}

inline std::shared_ptr<Module> MakeModule(
    const std::vector<std::pair<std::string, std::shared_ptr<Trackable>>>& children = {}) {
  auto module = std::make_shared<Module>();
  for (const auto& [name, child] : children) EXPECT_TRUE(module->Track(name, child).ok());
  return module;
}

// What an object was asked to do, in order, among others that share the list.
using EventLog = std::vector<std::string>;

class LoggedText : public PythonState {
 public:
  explicit LoggedText(EventLog* log, std::string name = "text") : log_(log), name_(std::move(name)) {}
  StatusOr<std::string> Serialize() const override { return text; }
  Status Deserialize(std::string_view state) override {
    if (log_) log_->push_back(name_ + " takes " + std::string(state));
    if (refuses) return Status(StatusCode::kInvalidArgument, "this text is refused");
    text = state;
    return OkStatus();
  }
  void AfterRestore() override {
    if (log_) log_->push_back(name_ + " is told");
  }

  std::string text = "old";
  bool refuses = false;

 private:
  EventLog* log_;
  std::string name_;
};

}  // namespace savedmodel::testing
