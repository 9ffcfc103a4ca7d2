#include "savedmodel/saved_model/load_plan.h"

namespace savedmodel {

std::string LoadPlan::ToString() const {
  std::string text;
  for (const PlannedNode& node : nodes) {
    text += node.path + " (" + std::string(NodeKindName(node.kind)) +
            "): " + std::string(SelectionReasonName(node.reason)) + (node.bound ? ", bound" : "") + "\n";
  }
  return text + restore.ToString();
}

}  // namespace savedmodel
