// Goes on with a training loop that TensorFlow began, from its checkpoint: the model, and what its optimizer keeps.
//
//   sample_resume_training PREFIX        written by tf.train.Checkpoint(model=..., optimizer=...)
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "adam.h"
#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/object_graph/module.h"

using namespace savedmodel;
using samples::Floats;

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", std::string(Message(status)).c_str());
  return 1;
}

// How well y = x.w + b meets the points, and which way it gets worse.
struct Fit {
  Floats w = {}, b = {};
  float loss = 0;  // the mean of the squared errors
  Floats dw = {Shape{2}, {0, 0}}, db = {Shape{}, {0}};
};

StatusOr<Fit> Evaluate(const Variable& w, const Variable& b) {
  static constexpr float kPoints[4][2] = {{1, 2}, {2, 0}, {3, 1}, {0, 3}};
  static constexpr float kTargets[4] = {0.5f, 4.5f, 5.5f, -2.5f};
  StatusOr<Floats> w_now = samples::ReadFloats(w), b_now = samples::ReadFloats(b);
  if (!w_now.ok()) return w_now.status();
  if (!b_now.ok()) return b_now.status();
  Fit fit{.w = *std::move(w_now), .b = *std::move(b_now)};
  for (size_t i = 0; i < 4; ++i) {
    const float* x = kPoints[i];
    const float error = x[0] * fit.w.values[0] + x[1] * fit.w.values[1] + fit.b.values[0] - kTargets[i];
    fit.loss += error * error / 4;
    for (size_t j = 0; j < 2; ++j) fit.dw.values[j] += error * x[j] / 2;
    fit.db.values[0] += error / 2;
  }
  return fit;
}

// One step. Prints how well the line fits before it.
Status Train(const std::shared_ptr<Variable>& w, const std::shared_ptr<Variable>& b, samples::Adam& adam) {
  const StatusOr<Fit> fit = Evaluate(*w, *b);
  if (!fit.ok()) return fit.status();
  std::printf("loss %.4f, w %.4f %.4f, b %.4f\n", fit->loss, fit->w.values[0], fit->w.values[1],
              fit->b.values[0]);
  const StatusOr<Tensor> dw = samples::ToTensor(fit->dw), db = samples::ToTensor(fit->db);
  if (!dw.ok()) return dw.status();
  if (!db.ok()) return db.status();
  return adam.Step({{w, *dw}, {b, *db}});
}

// docs: begin
// y = x.w + b. Children are called what TensorFlow's program called them.
struct Line : Module {
  Line() {
    (void)Track("w", w);  // fails for null only
    (void)Track("b", b);
  }
  const std::shared_ptr<Variable> w = *Variable::Make({DType::kFloat32, Shape{2}});
  const std::shared_ptr<Variable> b = *Variable::Make({DType::kFloat32, Shape{}});
};

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s PREFIX\n", argv[0]), 2;
  auto model = std::make_shared<Line>();
  auto adam = std::make_shared<samples::Adam>(samples::AdamOptions{.learning_rate = 0.1f});
  StatusOr<Checkpoint> checkpoint = Checkpoint::Make({{"model", model}, {"optimizer", adam}});
  if (!checkpoint.ok()) return Fail(checkpoint.status());

  StatusOr<RestoreStatus> restored = checkpoint->Restore(argv[1]);
  if (!restored.ok()) return Fail(restored.status());
  // All that the program has so far must have been stored. Adam makes more at its first step: that is waited for.
  if (Status status = restored->AssertExistingObjectsMatched(); !status.ok()) return Fail(status);
  for (int step = 0; step < 6; ++step) {
    if (Status status = Train(model->w, model->b, *adam); !status.ok()) return Fail(status);
  }
  if (Status status = restored->AssertConsumed(); !status.ok()) return Fail(status);
  std::printf("every stored value was used\n");
}
// docs: end
