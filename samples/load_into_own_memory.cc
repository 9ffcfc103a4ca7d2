// Restores one variable of a SavedModel straight into memory that the program owned before.
//
//   sample_load_into_own_memory MODEL_DIRECTORY PATH      PATH names a float32 variable
#include <cstdio>
#include <vector>

#include "savedmodel/saved_model/loader.h"

using namespace savedmodel;

namespace {

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", std::string(Message(status)).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s MODEL_DIRECTORY PATH\n", argv[0]), 2;
  StatusOr<Loader> loader = Loader::Open(argv[1]);
  if (!loader.ok()) return Fail(loader.status());
  StatusOr<LoadPlan> plan = loader->Plan({argv[2]});
  if (!plan.ok()) return Fail(plan.status());
  const std::vector<RestoreItem>& items = plan->restore.items;
  if (items.size() != 1 || items[0].dtype != DType::kFloat32) {
    return std::fprintf(stderr, "%s: not one float32 variable with a stored value\n", argv[2]), 1;
  }
  const Shape shape = items[0].shape;

  // docs: begin
  std::vector<float> weights(static_cast<size_t>(shape.num_elements()));
  auto mine = Variable::Wrap({DType::kFloat32, shape}, std::as_writable_bytes(std::span(weights)));
  if (!mine.ok()) return Fail(mine.status());

  StatusOr<LoadedModel> model = loader->Load(Selection().Bind(argv[2], *mine));
  if (!model.ok()) return Fail(model.status());  // then `weights` is as it was
  // docs: end

  std::printf("%s %s:", argv[2], (*mine)->spec().ToString().c_str());
  for (float w : weights) std::printf(" %g", w);
  std::printf("\nthe model's object is the program's: %s\n",
              *model->Get<Variable>(argv[2]) == *mine ? "yes" : "no");
}
