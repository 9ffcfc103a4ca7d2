// A restore by the names of variables: of checkpoints without an object graph, or where names were asked for.
//
// Every object that is reachable now, or is attached later anywhere below the root, is looked up by its values' full
// names. There is no order to wait for: each object is on its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/internal/faults.h"
#include "savedmodel/checkpoint/internal/live_objects.h"
#include "savedmodel/checkpoint/internal/restore_batch.h"
#include "savedmodel/checkpoint/internal/restore_session.h"
#include "savedmodel/checkpoint/internal/stored_names.h"
#include "savedmodel/checkpoint/object_checkpoint.h"

namespace savedmodel::internal {

class NameSession final : public RestoreSession {
 public:
  NameSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
              const RestoreOptions& options);
  ~NameSession() override { WarnOfLeftovers(file()); }

  // All three are one: a checkpoint of names does not say what objects there should be.
  Status AssertConsumed() const override;
  Status AssertExistingObjectsMatched() const override { return AssertConsumed(); }
  Status AssertNontrivialMatch() const override { return AssertConsumed(); }
  std::vector<UnusedValue> unused_values() const override;
  std::vector<UnrestoredObject> unrestored_objects() const override;
  std::vector<RestoredObject> restored() const override;
  bool waits() const override { return used_.size() < num_stored_; }
  bool Covers(const RestoreSession& older) const override;

 private:
  // An object of one batch: what messages call it, and where its values are.
  struct Wanted {
    std::string name;
    NodeKeys keys;
  };
  struct Batch {
    std::map<NodeId, Wanted> wanted = {};  // by target
    Faults missing{StatusCode::kNotFound, "no stored value is called"};
    Faults ambiguous{StatusCode::kFailedPrecondition, "several stored values are called"};
    std::string near = {};  // names close to the first that is missing
  };

  std::vector<std::shared_ptr<Trackable>> NewObjectsFrom(const std::shared_ptr<Trackable>& object) const;
  Status Begin() override;
  Status Handle(const Event& event) override;
  // Restores those of `objects` that no restore issued later has. `name`: what messages call object i.
  // `strict`: every name must be there.
  Status Deliver(const std::vector<std::shared_ptr<Trackable>>& objects,
                 const std::function<std::string(size_t)>& name, bool strict);
  void AddToBatch(const std::shared_ptr<Trackable>& object, std::string name, Batch& batch);
  void NoteMissing(const CheckpointValue& value, const std::string& name, Batch& batch) const;
  ValueKey KeyOf(const CheckpointValue& value, const std::string& object_name, Batch& batch) const;
  Status RestoreBatchOf(const Batch& batch);
  void Commit(const Batch& batch, const BatchResult& result);
  const std::string& file() const { return checkpoint_.reader().index_name(); }

  const ObjectCheckpoint checkpoint_;
  const StoredNames names_;
  const size_t num_stored_;
  LiveObjects live_;
  std::map<NodeId, std::vector<std::string>> missing_;  // by target: names not stored, values without a name
  std::set<std::string> used_;                          // keys
  std::map<NodeId, std::vector<std::string>> keys_read_;  // by target
};

}  // namespace savedmodel::internal
