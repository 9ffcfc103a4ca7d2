#include "savedmodel/tests/checkpoint/restore_script_objects.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "adam.h"
#include "savedmodel/base/float16.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/python_state.h"

namespace savedmodel::testing {
namespace {

using Json = nlohmann::json;
using Log = std::shared_ptr<std::vector<std::string>>;

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error(what); }

// ---- Values

void Flatten(const Json& value, std::vector<Json>& out) {
  if (!value.is_array()) {
    out.push_back(value);
    return;
  }
  for (const Json& item : value) Flatten(item, out);
}

Shape ShapeOf(const Json& value, const Json& shape) {
  std::vector<int64_t> dims;
  if (shape.is_array()) {
    dims = shape.get<std::vector<int64_t>>();
  } else {
    for (const Json* level = &value; level->is_array(); level = &level->front()) {
      dims.push_back(static_cast<int64_t>(level->size()));
      if (level->empty()) break;
    }
  }
  return *Shape::Make(dims);
}

template <class T>
std::string Bytes(const std::vector<Json>& values) {
  std::string bytes;
  for (const Json& value : values) {
    const T number = value.get<T>();
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return bytes;
}

// Only numbers that the type holds exactly occur in scripts.
uint16_t HalfBits(float value) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    if (Float16{static_cast<uint16_t>(bits)}.ToFloat() == value) return static_cast<uint16_t>(bits);
  }
  Fail("not a float16: " + std::to_string(value));
}

uint16_t BfloatBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

std::string BytesOfDType(const std::vector<Json>& values, DType dtype) {
  if (dtype == DType::kFloat16 || dtype == DType::kBfloat16) {
    std::vector<Json> bits;
    for (const Json& value : values) {
      const auto number = value.get<float>();
      bits.push_back(dtype == DType::kFloat16 ? HalfBits(number) : BfloatBits(number));
    }
    return Bytes<uint16_t>(bits);
  }
  switch (dtype) {
    case DType::kFloat32:
      return Bytes<float>(values);
    case DType::kFloat64:
      return Bytes<double>(values);
    case DType::kInt32:
      return Bytes<int32_t>(values);
    case DType::kInt64:
      return Bytes<int64_t>(values);
    case DType::kUint8:
      return Bytes<uint8_t>(values);
    case DType::kBool:
      return Bytes<bool>(values);
    default:
      Fail("scripts have no values of dtype " + std::string(DTypeName(dtype)));
  }
}

template <class T>
Json Element(const Tensor& tensor, size_t i) {
  T number;
  std::memcpy(&number, tensor.buffer().data() + i * sizeof number, sizeof number);
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return number.ToFloat();
  } else {
    return number;
  }
}

Json Element(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DType::kString:
      return std::string(*tensor.StringAt(static_cast<int64_t>(i)));
    case DType::kFloat16:
      return Element<Float16>(tensor, i);
    case DType::kBfloat16:
      return Element<BFloat16>(tensor, i);
    case DType::kFloat32:
      return Element<float>(tensor, i);
    case DType::kFloat64:
      return Element<double>(tensor, i);
    case DType::kInt32:
      return Element<int32_t>(tensor, i);
    case DType::kInt64:
      return Element<int64_t>(tensor, i);
    case DType::kUint8:
      return Element<uint8_t>(tensor, i);
    case DType::kBool:
      return Element<bool>(tensor, i);
    default:
      Fail("scripts have no values of dtype " + std::string(DTypeName(tensor.dtype())));
  }
}

Json Nested(const Tensor& tensor, int dim, size_t& next) {
  if (dim == tensor.shape().rank()) return Element(tensor, next++);
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.shape().dim(dim); ++i) list.push_back(Nested(tensor, dim + 1, next));
  return list;
}

// ---- Objects

class State : public PythonState {
 public:
  State(std::string name, std::string text, Log log)
      : text_(std::move(text)), name_(std::move(name)), log_(std::move(log)) {}
  StatusOr<std::string> Serialize() const override { return text_; }
  Status Deserialize(std::string_view state) override {
    log_->push_back("state " + name_);
    text_ = state;
    return OkStatus();
  }
  std::string text_;

 private:
  std::string name_;
  Log log_;
};

// Several tensors that are saved and restored together.
class Tensors : public Module {
 public:
  Tensors(std::string name, std::map<std::string, Tensor> values, Log log)
      : values_(std::move(values)), name_(std::move(name)), log_(std::move(log)) {}
  std::vector<CheckpointValue> CheckpointValues() const override {
    std::vector<CheckpointValue> described;
    for (const auto& [name, value] : values_)
      described.push_back({.name = name, .spec = {value.dtype(), value.shape()}});
    return described;
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    log_->push_back("pair " + name_);
    size_t i = 0;
    for (auto& [name, value] : values_) value = *values[i++];
    return OkStatus();
  }
  std::map<std::string, Tensor> values_;

 private:
  std::string name_;
  Log log_;
};

class Configured : public Module {
 public:
  Configured(std::string config, bool optional) : config_(std::move(config)), optional_(optional) {}
  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "OBJECT_CONFIG_JSON", .spec = {DType::kString, Shape{}}, .optional = optional_}};
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    if (values[0]) config_ = *values[0]->StringAt(0);
    return OkStatus();
  }
  std::string config_;

 private:
  bool optional_;
};

// A number that a registered saver restores.
class Registered : public Module {
 public:
  Registered(Tensor value, std::string saver) : value_(std::move(value)), saver_(std::move(saver)) {}
  Tensor value_;
  const std::string saver_;
};

std::map<std::string, Tensor> TensorsOfStep(const Json& step) {
  std::map<std::string, Tensor> tensors;
  const Json values = step.contains("values") ? step["values"] : Json{{"a", step["a"]}, {"b", step["b"]}};
  for (const auto& [name, value] : values.items()) tensors[name] = TensorOfJson(value, DType::kFloat32);
  return tensors;
}

std::shared_ptr<Trackable> MakeVariable(const Json& step) {
  auto variable = *Variable::Make(SpecOfStep(step));
  variable->set_name(step.value("name", step["make"].get<std::string>()));
  if (!step.value("uninitialized", false)) {
    if (Status status = variable->Assign(ValueOfStep(step)); !status.ok()) Fail(status.ToString());
  }
  return variable;
}

// Lists do not tell the shape of an empty value: it stays what it is.
Json ShapeToKeep(const Variable& variable) {
  const StatusOr<Tensor> now = variable.Read();
  if (!now.ok() || now->num_elements() > 0) return {};
  return std::vector<int64_t>(now->shape().dims().begin(), now->shape().dims().end());
}

Json PowersOf(const samples::Adam& adam) {
  Json powers;
  for (const char* name : {"beta1_power", "beta2_power"}) {
    const auto power = adam.ChildAs<Variable>(name);
    powers[name] = power ? ScriptObjects::ValueOf(*power) : Json();
  }
  return powers;
}

}  // namespace

Tensor TensorOfJson(const Json& value, DType dtype, const Json& shape) {
  std::vector<Json> flat;
  Flatten(value, flat);
  const Shape its_shape = ShapeOf(value, shape);
  if (dtype == DType::kString) {
    std::vector<std::string> texts;
    for (const Json& text : flat) texts.push_back(text.get<std::string>());
    return *Tensor::FromStrings(its_shape, texts);
  }
  const std::string bytes = BytesOfDType(flat, dtype);
  return *Tensor::FromBytes(dtype, its_shape, std::as_bytes(std::span(bytes)));
}

Json JsonOfTensor(const Tensor& tensor) {
  size_t next = 0;
  return Nested(tensor, 0, next);
}

TensorSpec SpecOfStep(const Json& step) {
  const DType dtype = *DTypeFromName(step.value("dtype", "float32"));
  if (step.contains("shape_open")) {
    std::vector<int64_t> sizes;
    for (const Json& dim : step["shape_open"])
      sizes.push_back(dim.is_null() ? PartialShape::kUnknown : dim.get<int64_t>());
    return {dtype, *PartialShape::Make(sizes)};
  }
  return {dtype, ShapeOf(step.value("value", Json()), step.value("shape", Json()))};
}

Tensor ValueOfStep(const Json& step) {
  return TensorOfJson(step["value"], *DTypeFromName(step.value("dtype", "float32")),
                      step.value("shape", Json()));
}

std::shared_ptr<Trackable> ScriptObjects::Make(const Json& step) {
  const auto kind = step["as"].get<std::string>();
  const auto name = step["make"].get<std::string>();
  if (kind == "module") return std::make_shared<Module>();
  if (kind == "list") return std::make_shared<List>();
  if (kind == "dict") return std::make_shared<Dict>();
  if (kind == "variable") return MakeVariable(step);
  if (kind == "state") return std::make_shared<State>(name, step["value"], log_);
  if (kind == "pair") return std::make_shared<Tensors>(name, TensorsOfStep(step), log_);
  if (kind == "configured")
    return std::make_shared<Configured>(step["config"], step.value("optional", false));
  if (kind == "adam")
    return std::make_shared<samples::Adam>(
        samples::AdamOptions{.learning_rate = step.value("learning_rate", 0.125f)});
  if (kind == "registered") {
    RegisterSaver(step["saver"], step.value("strict", true));
    return std::make_shared<Registered>(TensorOfJson(step["value"], DType::kFloat32), step["saver"]);
  }
  Fail("no kind of object is called " + kind);
}

void ScriptObjects::RegisterSaver(const std::string& name, bool strict) {
  const std::string full_name = "RestoreScript." + name;
  if (savers_.Find(full_name)) return;
  const auto handles = [name](const Trackable& object) {
    const auto* registered = dynamic_cast<const Registered*>(&object);
    return registered && registered->saver_ == name;
  };
  const auto restore = [name, log = log_](const SaverRestore& call) -> Status {
    std::string names;
    for (const auto& [object_name, object] : call.objects) names += " " + object_name;
    log->push_back("saver " + name + ":" + names);
    for (const auto& [object_name, object] : call.objects) {
      StatusOr<Tensor> value = call.reader.Read(object_name + "/value");
      if (!value.ok()) return value.status();
      static_cast<Registered&>(*object).value_ = *std::move(value);
    }
    return OkStatus();
  };
  Status status =
      savers_.Register({.name = full_name, .handles = handles, .restore = restore, .strict = strict});
  if (!status.ok()) Fail(status.ToString());
}

Json ScriptObjects::ValueOf(const Trackable& object) {
  if (const auto* variable = dynamic_cast<const Variable*>(&object)) {
    const StatusOr<Tensor> value = variable->Read();
    return value.ok() ? JsonOfTensor(*value) : Json("error");
  }
  if (const auto* state = dynamic_cast<const State*>(&object)) return state->text_;
  if (const auto* configured = dynamic_cast<const Configured*>(&object)) return configured->config_;
  if (const auto* registered = dynamic_cast<const Registered*>(&object))
    return JsonOfTensor(registered->value_);
  if (const auto* adam = dynamic_cast<const samples::Adam*>(&object)) return PowersOf(*adam);
  if (const auto* tensors = dynamic_cast<const Tensors*>(&object)) {
    Json values;
    for (const auto& [name, value] : tensors->values_) values[name] = JsonOfTensor(value);
    return values;
  }
  Fail("an object without a value was asked for one");
}

void ScriptObjects::SetValue(Trackable& object, const Json& value) {
  if (auto* variable = dynamic_cast<Variable*>(&object)) {
    Status status = variable->Assign(TensorOfJson(value, variable->dtype(), ShapeToKeep(*variable)));
    if (!status.ok()) Fail(status.ToString());
  } else if (auto* state = dynamic_cast<State*>(&object)) {
    state->text_ = value;
  } else if (auto* configured = dynamic_cast<Configured*>(&object)) {
    configured->config_ = value;
  } else if (auto* registered = dynamic_cast<Registered*>(&object)) {
    registered->value_ = TensorOfJson(value, DType::kFloat32);
  } else if (auto* tensors = dynamic_cast<Tensors*>(&object)) {
    for (const auto& [name, part] : value.items())
      tensors->values_[name] = TensorOfJson(part, DType::kFloat32);
  } else {
    for (const auto& [name, part] : value.items()) SetValue(*object.Child(name), part);
  }
}

}  // namespace savedmodel::testing
