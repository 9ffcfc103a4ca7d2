// Loads a SavedModel with everything in it and prints its variables, with a few values.
//
//   sample_load_whole MODEL_DIRECTORY
// docs: begin
#include <cstdio>
#include <span>
#include <string>

#include "savedmodel/saved_model/loader.h"

using namespace savedmodel;

void PrintFirstValues(const Variable& variable) {
  // The tensor must live as long as its view is used: not `*variable.Read()->View<float>()` in one line.
  StatusOr<Tensor> value = variable.Read();
  if (!value.ok() || value->dtype() != DType::kFloat32) return;
  StatusOr<Tensor> aligned = value->Aligned();  // a copy only where the file's bytes are not
  if (!aligned.ok()) return;
  StatusOr<std::span<const float>> floats = aligned->View<float>();
  for (size_t i = 0; floats.ok() && i < floats->size() && i < 3; ++i) std::printf(" %g", (*floats)[i]);
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s MODEL_DIRECTORY\n", argv[0]), 2;
  StatusOr<LoadedModel> model = Load(argv[1]);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", std::string(Message(model.status())).c_str());
    return 1;
  }
  for (const LoadedVariable& v : model->report().variables) {
    std::printf("%s %s, %llu bytes:", v.path.c_str(), v.variable->spec().ToString().c_str(),
                static_cast<unsigned long long>(v.bytes));
    PrintFirstValues(*v.variable);
    std::printf("\n");
  }
  std::printf("written by TensorFlow %s; %llu nodes, %llu bytes read\n", model->tensorflow_version().c_str(),
              static_cast<unsigned long long>(model->report().nodes),
              static_cast<unsigned long long>(model->report().bytes_read));
}
// docs: end
