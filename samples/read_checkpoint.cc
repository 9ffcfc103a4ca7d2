// Reads tensors of a checkpoint by key, without any object.
//
//   sample_read_checkpoint PREFIX        the path without ".index"
#include <cstdio>

#include "savedmodel/checkpoint/bundle/bundle_reader.h"

using namespace savedmodel;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s PREFIX\n", argv[0]), 2;
  // docs: begin
  StatusOr<BundleReader> reader = BundleReader::Open(argv[1]);
  if (!reader.ok()) {
    std::fprintf(stderr, "%s\n", std::string(Message(reader.status())).c_str());
    return 1;
  }
  for (std::string_view key : reader->keys()) {
    StatusOr<Tensor> tensor = reader->Read(key);  // checksum compared
    if (!tensor.ok()) {
      std::fprintf(stderr, "%s\n", std::string(Message(tensor.status())).c_str());
      return 1;
    }
    std::printf("%.*s %s\n", static_cast<int>(key.size()), key.data(),
                TensorSpec{tensor->dtype(), tensor->shape()}.ToString().c_str());
  }
  // docs: end
}
