#include "savedmodel/tests/restore_script/script_objects.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "adam.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/python_state.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel::testing {
namespace {

const char* const kPowers[] = {"beta1_power", "beta2_power"};

// What scripts ask objects for that are no variables.
class Holder {
 public:
  virtual ~Holder() = default;
  virtual StatusOr<Json> Get() const = 0;
  virtual Status Set(const Json& value) = 0;
};

class State : public PythonState, public Holder {
 public:
  State(std::string name, std::string text, EventLog* log)
      : name_(std::move(name)), text_(std::move(text)), log_(log) {}

  StatusOr<std::string> Serialize() const override { return text_; }
  Status Deserialize(std::string_view state) override {
    log_->push_back("state " + name_);
    text_ = state;
    return OkStatus();
  }
  StatusOr<Json> Get() const override { return Json(text_); }
  Status Set(const Json& value) override { return text_ = value.get<std::string>(), OkStatus(); }

 private:
  std::string name_;
  std::string text_;
  EventLog* log_;
};

// Several float32 tensors by name.
class Pair : public Module, public Holder {
 public:
  Pair(std::string name, const Json& values, EventLog* log) : name_(std::move(name)), log_(log) {
    for (const auto& [key, value] : values.items())
      values_.emplace_back(key, TensorFromJson(value, DType::kFloat32));
  }

  std::vector<CheckpointValue> CheckpointValues() const override {
    std::vector<CheckpointValue> wanted(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      wanted[i].name = values_[i].first;
      wanted[i].spec = {DType::kFloat32, values_[i].second.shape()};
    }
    return wanted;
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    log_->push_back("pair " + name_);
    for (size_t i = 0; i < values.size(); ++i) values_[i].second = *std::move(values[i]);
    return OkStatus();
  }
  StatusOr<Json> Get() const override {
    Json all = Json::object();
    for (const auto& [name, value] : values_) all[name] = JsonFromTensor(value);
    return all;
  }
  Status Set(const Json& parts) override {
    for (auto& [name, value] : values_) {
      if (parts.contains(name)) value = TensorFromJson(parts.at(name), DType::kFloat32);
    }
    return OkStatus();
  }

 private:
  std::string name_;
  std::vector<std::pair<std::string, Tensor>> values_;
  EventLog* log_;
};

class Configured : public Module, public Holder {
 public:
  Configured(std::string text, bool optional) : text_(std::move(text)), optional_(optional) {}

  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "OBJECT_CONFIG_JSON", .spec = {DType::kString, Shape{}}, .optional = optional_}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    if (!values[0]) return OkStatus();
    SAVEDMODEL_ASSIGN_OR_RETURN(const std::string_view text, values[0]->StringAt(0));
    text_ = text;
    return OkStatus();
  }
  StatusOr<Json> Get() const override { return Json(text_); }
  Status Set(const Json& value) override { return text_ = value.get<std::string>(), OkStatus(); }

 private:
  std::string text_;
  bool optional_;
};

// A number that only its registered saver reads.
class Registered : public Module, public Holder {
 public:
  Registered(float value, std::string saver) : value_(value), saver_(std::move(saver)) {}
  const std::string& saver() const { return saver_; }
  StatusOr<Json> Get() const override { return Json(value_); }
  Status Set(const Json& value) override { return value_ = value.get<float>(), OkStatus(); }

 private:
  float value_;
  std::string saver_;
};

class ScriptAdam : public samples::Adam, public Holder {
 public:
  using Adam::Adam;

  StatusOr<Json> Get() const override {
    Json all = Json::object();
    for (const char* name : kPowers) {
      all[name] = nullptr;
      if (const auto power = ChildAs<Variable>(name)) {
        SAVEDMODEL_ASSIGN_OR_RETURN(all[name], GetValue(*power));
      }
    }
    return all;
  }
  Status Set(const Json& parts) override {
    for (const auto& [name, value] : parts.items()) {
      const auto power = ChildAs<Variable>(name);
      if (!power) return Status(StatusCode::kNotFound, "no step was taken");
      SAVEDMODEL_RETURN_IF_ERROR(SetValue(*power, value));
    }
    return OkStatus();
  }
};

std::optional<Shape> ShapeOf(const Json& step) {
  if (!step.contains("shape")) return std::nullopt;
  return Shape::Make(step.at("shape").get<std::vector<int64_t>>()).value();
}

PartialShape OpenShape(const Json& dims) {
  std::vector<int64_t> sizes;
  for (const Json& dim : dims) sizes.push_back(dim.is_null() ? PartialShape::kUnknown : dim.get<int64_t>());
  return PartialShape::Make(sizes).value();
}

std::shared_ptr<Trackable> MakeVariable(const Json& step, EventLog*) {
  const std::string name = step.at("make");
  const auto dtype = DTypeFromName(step.value("dtype", "float32"));
  if (!dtype) throw std::runtime_error("no such dtype: " + step.dump());
  std::optional<Tensor> value;
  if (step.contains("value")) value = TensorFromJson(step.at("value"), *dtype, ShapeOf(step));
  PartialShape shape = value ? value->shape() : ShapeOf(step).value();
  if (step.contains("shape_open")) shape = OpenShape(step.at("shape_open"));
  std::shared_ptr<Variable> variable = Variable::Make({*dtype, shape}).value();
  variable->set_name(step.value("name", name));
  if (value && !variable->Assign(*value).ok())
    throw std::runtime_error("a value that does not fit: " + step.dump());
  return variable;
}

std::shared_ptr<Trackable> MakePair(const Json& step, EventLog* log) {
  Json values = step.contains("values") ? step.at("values") : Json{{"a", step.at("a")}, {"b", step.at("b")}};
  return std::make_shared<Pair>(step.at("make"), values, log);
}

using Maker = std::function<std::shared_ptr<Trackable>(const Json& step, EventLog* log)>;

const std::map<std::string, Maker>& Makers() {
  static const std::map<std::string, Maker> makers = {
      {"module", [](const Json&, EventLog*) { return std::make_shared<Module>(); }},
      {"list", [](const Json&, EventLog*) { return std::make_shared<List>(); }},
      {"dict", [](const Json&, EventLog*) { return std::make_shared<Dict>(); }},
      {"variable", MakeVariable},
      {"state",
       [](const Json& step, EventLog* log) {
         return std::make_shared<State>(step.at("make"), step.at("value"), log);
       }},
      {"pair", MakePair},
      {"configured",
       [](const Json& step, EventLog*) {
         return std::make_shared<Configured>(step.at("config"), step.value("optional", false));
       }},
      {"adam",
       [](const Json& step, EventLog*) {
         return std::make_shared<ScriptAdam>(
             samples::AdamOptions{.learning_rate = step.value("learning_rate", 0.125f)});
       }},
      {"registered",
       [](const Json& step, EventLog*) {
         return std::make_shared<Registered>(step.at("value").get<float>(), step.at("saver"));
       }},
  };
  return makers;
}

}  // namespace

std::shared_ptr<Trackable> MakeObject(const Json& step, EventLog* log) {
  const auto maker = Makers().find(step.at("as").get<std::string>());
  if (maker == Makers().end()) throw std::runtime_error("no such kind of object: " + step.dump());
  return maker->second(step, log);
}

StatusOr<Json> GetValue(const Trackable& object) {
  if (const auto* holder = dynamic_cast<const Holder*>(&object)) return holder->Get();
  const auto* variable = dynamic_cast<const Variable*>(&object);
  if (!variable) throw std::runtime_error("an object without a value");
  SAVEDMODEL_ASSIGN_OR_RETURN(const Tensor value, variable->Read());
  return JsonFromTensor(value);
}

Status SetValue(Trackable& object, const Json& value) {
  if (auto* holder = dynamic_cast<Holder*>(&object)) return holder->Set(value);
  auto* variable = dynamic_cast<Variable*>(&object);
  if (!variable) throw std::runtime_error("an object without a value");
  // A list without elements does not say how many dimensions there are.
  std::optional<Shape> shape;
  if (value.is_array() && value.empty()) shape = variable->shape().ToShape();
  return variable->Assign(TensorFromJson(value, variable->dtype(), shape));
}

Status Train(Trackable& optimizer, const std::vector<std::shared_ptr<Trackable>>& variables, float gradient) {
  std::vector<samples::Gradient> gradients;
  for (const std::shared_ptr<Trackable>& object : variables) {
    auto variable = std::dynamic_pointer_cast<Variable>(object);
    if (!variable) throw std::runtime_error("only variables are trained");
    SAVEDMODEL_ASSIGN_OR_RETURN(samples::Floats floats, samples::ReadFloats(*variable));
    std::fill(floats.values.begin(), floats.values.end(), gradient);
    SAVEDMODEL_ASSIGN_OR_RETURN(Tensor tensor, samples::ToTensor(floats));
    gradients.push_back({std::move(variable), std::move(tensor)});
  }
  return dynamic_cast<samples::Adam&>(optimizer).Step(gradients);
}

std::string SaverName(const std::string& name) { return "RestoreScript." + name; }

RegisteredSaver MakeSaver(const std::string& name, bool strict, EventLog* log) {
  const auto handles = [name](const Trackable& object) {
    const auto* registered = dynamic_cast<const Registered*>(&object);
    return registered && registered->saver() == name;
  };
  const auto restore = [name, log](const SaverRestore& call) -> Status {
    std::string event = "saver " + name + ":";
    for (const auto& [object_name, object] : call.objects) event += " " + object_name;
    log->push_back(std::move(event));
    for (const auto& [object_name, object] : call.objects) {
      SAVEDMODEL_ASSIGN_OR_RETURN(const Tensor value, call.reader.Read(object_name + "/value"));
      SAVEDMODEL_RETURN_IF_ERROR(SetValue(*object, JsonFromTensor(value)));
    }
    return OkStatus();
  };
  return {.name = SaverName(name), .handles = handles, .restore = restore, .strict = strict};
}

}  // namespace savedmodel::testing
