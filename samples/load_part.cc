// Loads one object of a SavedModel and what is below it; says beforehand what that will cost.
//
//   sample_load_part MODEL_DIRECTORY PATH        for example root.encoder, or root.*.kernel
#include <cstdio>
#include <memory>
#include <string>

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
  // docs: begin
  StatusOr<Loader> loader = Loader::Open(argv[1]);
  if (!loader.ok()) return Fail(loader.status());

  const Selection part{argv[2]};
  StatusOr<LoadPlan> plan = loader->Plan(part);  // reads the index, no tensor
  if (!plan.ok()) return Fail(plan.status());
  std::printf("%zu tensors, %llu bytes\n", plan->restore.items.size(),
              static_cast<unsigned long long>(plan->bytes()));

  StatusOr<LoadedModel> model = loader->Load(part);
  if (!model.ok()) return Fail(model.status());
  for (const auto& [path, object] : model->objects()) {  // one for a path, one per match for a pattern
    std::printf("%s\n", path.c_str());
    object->ForEachChild([](const std::string& name, const std::shared_ptr<Trackable>& child) {
      std::printf("  %s: %s\n", name.c_str(), std::string(NodeKindName(child->kind())).c_str());
    });
  }
  // docs: end
  if (const auto unused = model->report().unused_keys)
    std::printf("%zu stored tensors not asked for\n", *unused);
}
