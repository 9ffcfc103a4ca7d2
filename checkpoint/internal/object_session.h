// A restore by the checkpoint's object graph: matched by edge names as far as objects exist, and again from where they
// appear.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/internal/live_objects.h"
#include "savedmodel/checkpoint/internal/restore_batch.h"
#include "savedmodel/checkpoint/internal/restore_session.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/checkpoint/saver_objects.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel::internal {

class ObjectSession final : public RestoreSession {
 public:
  // `checkpoint` has a graph.
  ObjectSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
                const RestoreOptions& options);
  ~ObjectSession() override { WarnOfLeftovers(file()); }

  Status AssertConsumed() const override;
  Status AssertExistingObjectsMatched() const override;
  Status AssertNontrivialMatch() const override;
  std::vector<UnusedValue> unused_values() const override;
  std::vector<UnrestoredObject> unrestored_objects() const override;
  std::vector<RestoredObject> restored() const override;
  std::vector<RestoreConflict> conflicts() const override;
  bool waits() const override { return left_ > 0; }
  bool Covers(const RestoreSession& older) const override;

 private:
  // What was paired since the last batch.
  struct Batch {
    explicit Batch(const SaverRegistry* savers) : by_saver(savers) {}
    std::vector<NodeId> stored;  // all, in order
    std::vector<WantedNode> wanted;
    std::vector<NodeId> updated;  // targets that this restore decides the values of, but for those of savers
    std::vector<NodeId> saved;    // those of savers
    std::vector<std::shared_ptr<Trackable>> held;  // all of them, alive
    SaverObjects by_saver;
  };

  Status Begin() override;
  Status Handle(const Event& event) override;
  void PairChild(NodeId stored_parent, const Event& event);
  std::vector<NodeId> StoredNodesOf(NodeId target) const;

  Status Deliver();
  StatusOr<Batch> TakeBatch();
  Status AddToBatch(NodeId stored, NodeId target, Batch& batch) const;
  void Commit(const Batch& batch, const BatchResult& result);
  void Listen(const Batch& batch);

  const ObjectGraph& graph() const { return *checkpoint_.graph(); }
  const std::string& file() const { return checkpoint_.reader().index_name(); }
  const NodeNames& names() const;
  // True when a node, or what is below it, has values: only such nodes are waited for.
  bool HasValues(NodeId stored) const;
  bool IsBound(NodeId stored) const;
  // A node with values of its own that are to be restored; one that nobody has taken.
  bool KeepsValues(NodeId stored) const;
  bool WaitsFor(NodeId stored) const { return KeepsValues(stored) && matcher_.TargetOf(stored) < 0; }
  // The nodes that children or slots can still come to: live ones that listen, and what waits below them.
  std::vector<NodeId> WaitingNodes() const;
  // For Covers: whether what `older` waits for at a node comes from this one's node `own` too.
  bool CoversNode(const ObjectSession& older, NodeId stored, const MatchResult& match) const;
  bool CoversSlots(const ObjectSession& older, NodeId stored, const MatchResult& match) const;
  bool NeedsListener(NodeId stored) const;
  Status AssertAssigned() const;
  bool LacksValue(const Trackable& object) const;
  std::vector<UnrestoredObject> TellOfLacking() const;

  const ObjectCheckpoint checkpoint_;
  LiveObjects live_;
  Matcher matcher_;
  size_t taken_ = 0;  // of matcher_.paired(), by earlier batches
  std::vector<bool> is_slot_;
  size_t left_ = 0;                         // nodes that WaitsFor
  mutable std::optional<NodeNames> names_;  // made when first asked for
  std::vector<UnusedAttribute> unused_attributes_;
  // Targets whose node records none of their values, or has lost them.
  std::unordered_set<NodeId> without_value_;
  std::map<NodeId, std::vector<std::string>> keys_read_;  // by stored node
  // Objects without values that the last assertion told of, or that came for a value that was taken.
  mutable std::vector<std::weak_ptr<Trackable>> told_of_;
};

}  // namespace savedmodel::internal
