// A restore by the names of variables: of checkpoints without an object graph, or where names were asked for.
//
// Every object that is reachable now, or is attached later anywhere below the root, is looked up by its values' full
// names. There is no order to wait for: each object is on its own.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/internal/live_objects.h"
#include "savedmodel/checkpoint/internal/restore_batch.h"
#include "savedmodel/checkpoint/internal/restore_session.h"
#include "savedmodel/checkpoint/internal/stored_names.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel::internal {

class NameSession final : public RestoreSession {
 public:
  NameSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
              const RestoreOptions& options);
  ~NameSession() override { WarnOfLeftovers(); }

  // `variable` may be without a stored value: the save counter.
  void Exempt(std::weak_ptr<const Trackable> variable) { exempt_ = std::move(variable); }

  // All three are one: a checkpoint of names does not say what objects there should be.
  Status AssertConsumed() const override;
  Status AssertExistingObjectsMatched() const override { return AssertConsumed(); }
  Status AssertNontrivialMatch() const override { return AssertConsumed(); }
  std::vector<UnusedValue> unused_values() const override;
  std::vector<UnrestoredObject> unrestored_objects() const override;
  std::vector<RestoredObject> restored() const override { return restored_; }
  bool waits() const override { return used_.size() < num_stored_; }
  bool Covers(const RestoreSession& older) const override;

 private:
  Status Begin() override;
  Status Handle(const Event& event) override;
  Status Deliver(const ObjectSnapshot& objects, bool strict);
  NodeKeys KeysOf(const Trackable& object, NodeId target, const std::string& path,
                  std::span<const CheckpointValue> values);
  ValueKey KeyOf(const CheckpointValue& value, const std::string& path);
  void Commit(const ObjectSnapshot& objects, const std::vector<WantedNode>& wanted,
              const BatchResult& result);
  const std::string& file() const { return checkpoint_.reader().index_name(); }

  const ObjectCheckpoint checkpoint_;
  const StoredNames names_;
  const size_t num_stored_;
  LiveObjects live_;
  std::weak_ptr<const Trackable> exempt_;
  Status fault_;  // the first of the batch: an ambiguous or a missing name
  std::map<NodeId, std::vector<std::string>>
      missing_;                 // by target: names that are not stored, values without a name
  std::set<std::string> used_;  // keys
  std::vector<RestoredObject> restored_;
};

}  // namespace savedmodel::internal
