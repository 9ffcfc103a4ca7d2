// Loads a SavedModel with everything in it and prints its variables.
//
//   sample_load_whole MODEL_DIRECTORY
#include <cstdio>

#include "savedmodel/saved_model/loader.h"

using namespace savedmodel;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s MODEL_DIRECTORY\n", argv[0]), 2;
  // docs: begin
  StatusOr<LoadedModel> model = Load(argv[1]);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", std::string(Message(model.status())).c_str());
    return 1;
  }
  for (const LoadedVariable& v : model->report().variables) {
    std::printf("%s %s, %llu bytes\n", v.path.c_str(), v.variable->spec().ToString().c_str(),
                static_cast<unsigned long long>(v.bytes));
  }
  // docs: end
  std::printf("written by TensorFlow %s; %llu nodes, %llu bytes read\n", model->tensorflow_version().c_str(),
              static_cast<unsigned long long>(model->report().nodes),
              static_cast<unsigned long long>(model->report().bytes_read));
}
