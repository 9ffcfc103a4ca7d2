// One call of Loader::Load or Plan, in steps: each needs those before it.
//
// Prepare: selection, bindings, match and restore plan, all checked and nothing changed. ReviveAndRestore: new objects,
// then values. Wire and what follows cannot fail.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/leftovers.h"
#include "savedmodel/checkpoint/saver_objects.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/paths.h"
#include "savedmodel/object_graph/selection.h"
#include "savedmodel/saved_model/internal/bindings.h"
#include "savedmodel/saved_model/internal/model.h"
#include "savedmodel/saved_model/load_options.h"
#include "savedmodel/saved_model/load_plan.h"
#include "savedmodel/saved_model/loaded_model.h"

namespace savedmodel::internal {

class LoadCall {
 public:
  using Handles = std::vector<std::shared_ptr<Trackable>>;

  // All three outlive the call.
  LoadCall(const Model& model, const Selection& selection, const LoadOptions& options)
      : model_(model),
        selection_(selection),
        options_(options),
        names_(*model.graph),
        by_saver_(options.savers) {}

  Status Prepare();
  LoadPlan Plan() const;

  Status ReviveAndRestore();
  Handles Wire();
  std::shared_ptr<Trackable> MakeRoot(const Handles& handles) const;
  std::map<std::string, std::shared_ptr<Trackable>> ObjectsByKey(
      const Handles& handles, const std::shared_ptr<Trackable>& root) const;
  LoadReport Report(const Handles& handles) const;
  // Tells the objects that got values, as they are wired now.
  void AfterRestore(const Handles& handles) const;

 private:
  Status CheckModel() const;
  bool WantsValues() const;
  Status PlanValues();
  StatusOr<std::vector<WantedNode>> WantedNodes(const ObjectGraph& stored, const MatchResult& match);
  Status CheckMatch(const ObjectGraph& stored, const MatchResult& match);
  Status Restore();
  // The values that the object of a node takes, or would take.
  std::vector<CheckpointValue> ValuesOf(NodeId id) const;
  LoadedVariable DescribeVariable(NodeId id, const std::shared_ptr<Variable>& variable,
                                  const std::unordered_map<NodeId, const RestoreItem*>& items) const;

  const Model& model_;
  const Selection& selection_;
  const LoadOptions& options_;
  NodeNames names_;
  SelectedNodes selected_;
  Bindings bindings_;
  std::optional<BundleReader> reader_;
  RestorePlan plan_;
  SaverObjects by_saver_;
  std::vector<UnrestoredObject> unmatched_;  // the caller's, below bound objects
  RestoreReport restored_;
  Handles objects_;  // by node id, before they are wired
};

}  // namespace savedmodel::internal
