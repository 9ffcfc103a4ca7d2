#include "answer.h"

#include <savedmodel/object_graph/variable.h>
#include <savedmodel/saved_model/loader.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <sstream>

namespace {

using savedmodel::Loader;
using savedmodel::StatusOr;
using savedmodel::Variable;

// All of it: how many variables, and the value of the one that is an integer.
StatusOr<std::string> Whole(const Loader& loader) {
  auto model = loader.Load();
  if (!model.ok()) return model.status();
  auto step = model->Get<Variable>("root.step");
  if (!step.ok()) return step.status();
  auto value = (*step)->Read();
  if (!value.ok()) return value.status();
  auto numbers = value->View<int64_t>();
  if (!numbers.ok()) return numbers.status();
  std::ostringstream text;
  text << "whole " << model->report().variables.size() << " step " << numbers->front();
  return text.str();
}

// One variable, straight into memory of this program's.
StatusOr<std::string> Part(const Loader& loader) {
  std::array<float, 6> weights = {};
  auto mine = Variable::Wrap({savedmodel::DType::kFloat32, savedmodel::Shape{2, 3}},
                             std::as_writable_bytes(std::span(weights)));
  if (!mine.ok()) return mine.status();
  auto model = loader.Load(savedmodel::Selection({{"root.encoder.layer.kernel", *mine}}));
  if (!model.ok()) return model.status();
  std::ostringstream text;
  text << "part " << weights.back();
  return text.str();
}

// One tensor of the checkpoint, by key.
StatusOr<std::string> Key(const Loader& loader) {
  auto checkpoint = loader.checkpoint();
  if (!checkpoint.ok()) return checkpoint.status();
  auto tensor = checkpoint->Read("decoder/layer/bias/.ATTRIBUTES/VARIABLE_VALUE");
  if (!tensor.ok()) return tensor.status();
  auto aligned = tensor->Aligned();
  if (!aligned.ok()) return aligned.status();
  auto numbers = aligned->View<float>();
  if (!numbers.ok()) return numbers.status();
  std::ostringstream text;
  text << "key " << numbers->back();
  return text.str();
}

}  // namespace

std::string AskSavedModel(const std::string& model) {
  auto loader = Loader::Open(model);
  if (!loader.ok()) return loader.status().ToString();
  std::string answer;
  for (auto* ask : {Whole, Part, Key}) {
    auto part = ask(*loader);
    answer += (answer.empty() ? "" : " | ") + (part.ok() ? *part : part.status().ToString());
  }
  return answer;
}
