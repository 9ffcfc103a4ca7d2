// Reads a checkpoint of TensorFlow 1's Saver, which knows variables by name, into objects that use other names.
//
//   sample_rename_variables PREFIX        the path without ".index"
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/object_graph/module.h"

using namespace savedmodel;

namespace {

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", std::string(Message(status)).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s PREFIX\n", argv[0]), 2;
  auto model = std::make_shared<Module>();
  for (const auto& [name, shape] : std::vector<std::pair<std::string, Shape>>{
           {"dense/kernel", {2, 3}}, {"dense/b", {3}}, {"dense/scale", {3}}}) {
    if (auto added = model->AddVariable(name, {DType::kFloat32, shape}); !added.ok())
      return Fail(added.status());
  }
  StatusOr<Checkpoint> checkpoint = Checkpoint::Make(model);
  if (!checkpoint.ok()) return Fail(checkpoint.status());

  // docs: begin
  // The program's names, and the file's for them: all below a scope, and one that has a name of its own.
  const NameMap names = NameMap::LiveToStored({{"dense/", "scope/"}, {"dense/kernel", "scope/w"}});
  // By default a name that the file does not have is an error, and nothing is read.
  StatusOr<RestoreStatus> restored = checkpoint->Restore(
      argv[1], {.by = RestoreBy::kName, .names = names, .allow_partial_checkpoint = true});
  if (!restored.ok()) return Fail(restored.status());
  for (const RestoredObject& object : restored->restored())
    std::printf("%s is %s\n", object.path.c_str(), object.keys.front().c_str());
  for (const UnrestoredObject& object : restored->unrestored_objects())
    std::printf("%s: the file has no %s\n", object.path.c_str(), object.values.front().c_str());
  for (const UnusedValue& value : restored->unused_values())
    std::printf("nobody took %s\n", value.key.c_str());
  // docs: end
}
