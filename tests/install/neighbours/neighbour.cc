#include "neighbour.h"

#include <algorithm>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace {

// Round trip through the messages: wrong as soon as another class of the same name takes part.
std::string AskMessages() {
  tensorflow::SavedModel model;
  model.mutable_graph()->set_answer(42);
  model.mutable_graph()->add_node()->set_name("a");
  (*model.mutable_graph()->add_node()->mutable_attr())["x"].set_i(7);
  tensorflow::SavedModel copy;
  if (!copy.ParseFromString(model.SerializeAsString())) return "no parse";
  if (copy.graph().node(1).attr().at("x").i() != 7) return "attribute lost";
  return "nodes=" + std::to_string(copy.graph().node_size()) +
         " answer=" + std::to_string(copy.graph().answer());
}

std::string AskLlvm() {
  llvm::StringMap<int> fruit;
  for (const char* name : {"pear", "apple", "pear"}) ++fruit[name];
  std::vector<std::string> names;
  llvm::SmallPtrSet<const void*, 1> seen;
  llvm::DenseMap<int, int> counts;
  for (const auto& entry : fruit) {
    names.push_back(entry.getKey().str());
    seen.insert(&entry);
    counts[entry.second] += 1;
  }
  if (seen.size() != 2 || counts[2] != 1) return "sets are wrong";
  std::sort(names.begin(), names.end());
  std::string text;
  llvm::raw_string_ostream out(text);
  double number = 0;
  if (llvm::StringRef("1.5").getAsDouble(number)) return "no number";
  llvm::SmallVector<char, 2> filled(100, 'x');
  out << number << " " << names[0] << "," << names[1];
  return filled.size() == 100 ? out.str() : "vector is wrong";
}

}  // namespace

std::string AskNeighbour() {
  return AskMessages() + " llvm=" + std::to_string(LLVM_VERSION_MAJOR) + " " + AskLlvm();
}
