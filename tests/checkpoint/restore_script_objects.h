// The objects of restore scripts (tests/cases/README.md), and their values as JSON.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "savedmodel/checkpoint/saver_registry.h"
#include "savedmodel/object_graph/trackable.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel::testing {

// Nested lists as a tensor; `shape` in place of that of the lists.
Tensor TensorOfJson(const nlohmann::json& value, DType dtype, const nlohmann::json& shape = {});
nlohmann::json JsonOfTensor(const Tensor& tensor);

class ScriptObjects {
 public:
  // The object of a {"make": ...} step. Throws std::runtime_error for a kind that there is not.
  std::shared_ptr<Trackable> Make(const nlohmann::json& step);
  // "error" where there is no value.
  static nlohmann::json ValueOf(const Trackable& object);
  static void SetValue(Trackable& object, const nlohmann::json& value);

  const SaverRegistry& savers() const { return savers_; }
  // What restoring called since last asked.
  std::vector<std::string> TakeLog() { return std::exchange(*log_, {}); }

 private:
  void RegisterSaver(const std::string& name, bool strict);

  std::shared_ptr<std::vector<std::string>> log_ = std::make_shared<std::vector<std::string>>();
  SaverRegistry savers_;
};

// A variable of a {"make", "as": "variable"} or {"create": ...} step: what it is made from.
TensorSpec SpecOfStep(const nlohmann::json& step);
Tensor ValueOfStep(const nlohmann::json& step);

}  // namespace savedmodel::testing
