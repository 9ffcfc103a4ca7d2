// Live objects as the side of a match that wants values: ids are given out as objects are met, so that a restore goes
// on where it stopped when more objects appear.
//
// Objects are known weakly; those that a batch of a restore meets are kept alive until it ends (Hold). A slot that a checkpoint has a value
// for and the optimizer has not made yet is made ready here; it becomes the optimizer's when the restore has gone well.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/match.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel::internal {

class LiveObjects : public MatchTarget {
 public:
  // With both null no slots are made. Borrowed.
  LiveObjects(const ObjectGraph* stored, const BundleReader* reader) : stored_(stored), reader_(reader) {}

  // One batch: at its end objects are let go of, and slots that were not adopted.
  class Hold {
   public:
    explicit Hold(LiveObjects& objects) : objects_(objects) {}
    ~Hold() { objects_.Release(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    LiveObjects& objects_;
  };

  // The object's id; a new one for an object not met before. Keeps it alive until the batch ends.
  NodeId IdOf(const std::shared_ptr<Trackable>& object);
  // Nothing for an object not met before.
  std::optional<NodeId> Find(const Trackable& object) const;
  // Null when the object is gone.
  std::shared_ptr<Trackable> Get(NodeId id) const { return objects_[static_cast<size_t>(id)].lock(); }
  bool IsAlive(NodeId id) const { return !objects_[static_cast<size_t>(id)].expired(); }
  size_t size() const { return objects_.size(); }

  std::optional<NodeId> Child(NodeId target, std::string_view name, size_t nth) override;
  std::optional<NodeId> Slot(NodeId optimizer, NodeId original, const SlotReference& slot) override;

  // The first error of making a slot in this batch.
  const Status& status() const { return status_; }
  // Hands those slots made in this batch to their optimizers that were matched.
  void AdoptSlots(const std::function<bool(NodeId)>& is_matched);

 private:
  struct NewSlot {
    std::shared_ptr<Optimizer> optimizer;
    std::shared_ptr<Variable> variable;
    std::string name;
    std::shared_ptr<Variable> slot;
    NodeId id = 0;
  };
  void Release();
  StatusOr<std::shared_ptr<Variable>> MakeSlot(const Optimizer& optimizer, const Variable& variable,
                                               const SlotReference& slot) const;

  const ObjectGraph* stored_;
  const BundleReader* reader_;
  std::vector<std::weak_ptr<Trackable>> objects_;
  std::unordered_map<const Trackable*, NodeId> ids_;
  std::vector<std::shared_ptr<Trackable>> held_;
  std::vector<NewSlot> new_slots_;
  std::map<std::tuple<NodeId, NodeId, std::string>, NodeId> new_slot_ids_;  // by optimizer, variable and name
  Status status_;
};

}  // namespace savedmodel::internal
