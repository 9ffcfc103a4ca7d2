#include "savedmodel/checkpoint/internal/object_session.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/leftovers.h"

namespace savedmodel::internal {
ObjectSession::ObjectSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
                             const RestoreOptions& options)
    : RestoreSession(std::move(objects), options),
      checkpoint_(std::move(checkpoint)),
      live_(checkpoint_.graph().get(), &checkpoint_.reader()),
      matcher_(*checkpoint_.graph(), live_),
      is_slot_(SlotNodes(graph())) {
  if (options.skip_slot_variables) matcher_.SkipSlots();
  for (size_t i = 0; i < graph().size(); ++i) left_ += KeepsValues(static_cast<NodeId>(i)) ? 1 : 0;
}

const NodeNames& ObjectSession::names() const {
  if (!names_) names_.emplace(graph());
  return *names_;
}

// ---- Matching

Status ObjectSession::Begin() {
  const LiveObjects::Hold hold(live_);
  matcher_.Pair(kRootId, live_.IdOf(objects().root));
  matcher_.Run();
  // A place of its own for the attached: what the root leads to comes first, and stands.
  for (const NamedObject& attached : objects().attached) {
    if (attached.object == objects().root) continue;
    PairChild(kRootId, {.name = attached.name, .object = attached.object, .kind = Event::kAttached});
    matcher_.Run();
  }
  return Deliver();
}

Status ObjectSession::Handle(const Event& event) {
  const LiveObjects::Hold hold(live_);
  const NodeId parent = event.kind == Event::kAttached ? matcher_.TargetOf(kRootId) : event.token;
  for (NodeId stored : StoredNodesOf(parent)) {
    if (event.kind == Event::kSlot) {
      matcher_.RetrySlots(stored);
    } else {
      PairChild(stored, event);
    }
  }
  matcher_.Run();
  return Deliver();
}

void ObjectSession::PairChild(NodeId stored_parent, const Event& event) {
  const std::optional<NodeId> stored = graph().Child(stored_parent, event.name);
  if (!stored) return;
  const bool is_known = matcher_.TargetOf(*stored) >= 0;
  if (is_known ? event.kind == Event::kAttached : !HasValues(*stored)) return;
  if (is_known) told_of_.push_back(event.object);  // it waited for a value that another has taken
  matcher_.Pair(*stored, live_.IdOf(event.object));
}

// Mostly one; others met in an object that was paired already.
std::vector<NodeId> ObjectSession::StoredNodesOf(NodeId target) const {
  std::vector<NodeId> stored;
  if (const NodeId first = matcher_.StoredOf(target); first >= 0) stored.push_back(first);
  for (const MatchConflict& conflict : matcher_.conflicts()) {
    if (!conflict.one_stored_two_targets && conflict.target == target) stored.push_back(conflict.stored);
  }
  return stored;
}

bool ObjectSession::HasValues(NodeId id) const {
  const Node& node = graph().node(id);
  if (node.has_checkpoint_values) return *node.has_checkpoint_values;
  // Files from before TensorFlow 2.8 do not say: whatever holds anything may hold values.
  return !node.children.empty() || !node.attributes.empty() || !node.slots.empty() ||
         !node.registered_saver.empty();
}

bool ObjectSession::IsBound(NodeId stored) const {
  const NodeId target = matcher_.TargetOf(stored);
  return target >= 0 && live_.IsAlive(target);
}

// ---- Values

Status ObjectSession::Deliver() {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Batch batch, TakeBatch());
  const bool lacks_key = live_.status().code() == StatusCode::kNotFound;
  if (!lacks_key || !options().allow_partial_checkpoint) SAVEDMODEL_RETURN_IF_ERROR(live_.status());
  Listen(batch);  // before values are given: an object may make children when it takes its own
  const BatchInput input{.wanted = batch.wanted,
                         .stored = &graph(),
                         .name = [this](NodeId target) { return names().Name(matcher_.StoredOf(target)); },
                         .allow_missing = options().allow_partial_checkpoint,
                         .mode = options().mode,
                         .read = read_options()};
  SAVEDMODEL_ASSIGN_OR_RETURN(const BatchResult result, RestoreBatch(checkpoint_.reader(), live_, input));
  Commit(batch, result);
  Status saved = batch.by_saver.Run(checkpoint_.reader());
  for (NodeId target : batch.saved)
    if (saved.ok()) live_.Get(target)->set_restored_by(issue());
  for (NodeId target : result.plan.targets()) live_.Get(target)->AfterRestore();
  return saved;
}

// What fails is not tried again: the status tells of it.
StatusOr<ObjectSession::Batch> ObjectSession::TakeBatch() {
  Batch batch(options().savers);
  const auto fresh = matcher_.paired().subspan(std::exchange(taken_, matcher_.paired().size()));
  for (NodeId stored : fresh) left_ -= KeepsValues(stored) ? 1 : 0;
  for (NodeId stored : fresh) {
    batch.stored.push_back(stored);
    SAVEDMODEL_RETURN_IF_ERROR(AddToBatch(stored, matcher_.TargetOf(stored), batch));
  }
  return batch;
}

Status ObjectSession::AddToBatch(NodeId stored, NodeId target, Batch& batch) const {
  if (matcher_.StoredOf(target) != stored) return OkStatus();  // the first of two nodes decides
  const std::shared_ptr<Trackable> object = live_.Get(target);
  if (!object) return OkStatus();  // paired when memory ran out, and gone since
  batch.held.push_back(object);
  if (object->restored_by() >= issue()) return OkStatus();  // a restore issued later has
  StatusOr<bool> by_saver = batch.by_saver.Add(graph().node(stored), object);
  if (!by_saver.ok()) {
    return WithContext(by_saver.status(), {.file = file(), .key = {}, .path = names().Name(stored)});
  }
  (*by_saver ? batch.saved : batch.updated).push_back(target);
  if (!*by_saver) batch.wanted.push_back({.target = target, .stored = stored});
  return OkStatus();
}

void ObjectSession::Commit(const Batch& batch, const BatchResult& result) {
  live_.AdoptSlots([this](NodeId target) { return matcher_.StoredOf(target) >= 0; });
  CountBytes(result.bytes_read);
  for (const RestoreItem& item : result.plan.items) keys_read_[item.stored].push_back(item.key);
  without_value_.insert(result.plan.without_value.begin(), result.plan.without_value.end());
  without_value_.insert(result.plan.missing_keys.begin(), result.plan.missing_keys.end());
  // What this restore has no value for may have one from another, or from its initialiser.
  for (NodeId target : batch.updated)
    if (!without_value_.contains(target)) live_.Get(target)->set_restored_by(issue());
  unused_attributes_.insert(unused_attributes_.end(), result.plan.unused_attributes.begin(),
                            result.plan.unused_attributes.end());
}

bool ObjectSession::NeedsListener(NodeId stored) const {
  const Node& node = graph().node(stored);
  const bool lacks_child = std::ranges::any_of(node.children, [&](const Edge& edge) {
    return matcher_.TargetOf(edge.child) < 0 && HasValues(edge.child);
  });
  if (lacks_child || options().skip_slot_variables) return lacks_child;
  return std::ranges::any_of(node.slots,
                             [&](const SlotReference& slot) { return matcher_.TargetOf(slot.slot) < 0; });
}

void ObjectSession::Listen(const Batch& batch) {
  for (NodeId stored : batch.stored) {
    if (!NeedsListener(stored)) continue;
    const NodeId target = matcher_.TargetOf(stored);
    if (const std::shared_ptr<Trackable> object = live_.Get(target))
      object->AddListener(weak_from_this(), target);
  }
}

// ---- Answers

bool ObjectSession::KeepsValues(NodeId stored) const {
  const Node& node = graph().node(stored);
  if (node.attributes.empty() && node.registered_saver.empty()) return false;
  return !options().skip_slot_variables || !is_slot_[static_cast<size_t>(stored)];
}

std::vector<NodeId> ObjectSession::WaitingNodes() const {
  std::vector<NodeId> nodes;
  std::vector<bool> seen(graph().size(), false);
  const auto add = [&](NodeId id) {
    if (!seen[static_cast<size_t>(id)]) nodes.push_back(id);
    seen[static_cast<size_t>(id)] = true;
  };
  for (NodeId stored : matcher_.paired())
    if (IsBound(stored) && NeedsListener(stored)) add(stored);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const Edge& edge : graph().node(nodes[i]).children)
      if (matcher_.TargetOf(edge.child) < 0 && HasValues(edge.child)) add(edge.child);
  }
  return nodes;
}

bool ObjectSession::Covers(const RestoreSession& other) const {
  const auto* older = dynamic_cast<const ObjectSession*>(&other);
  if (!older || (options().skip_slot_variables && !older->options().skip_slot_variables)) return false;
  // The same objects are the same nodes, whatever the files call them.
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (NodeId stored : older->matcher_.paired()) {
    const std::shared_ptr<Trackable> object = older->live_.Get(older->matcher_.TargetOf(stored));
    const std::optional<NodeId> target = object ? live_.Find(*object) : std::nullopt;
    if (target && matcher_.StoredOf(*target) >= 0) pairs.emplace_back(stored, matcher_.StoredOf(*target));
  }
  const MatchResult match = MatchFrom(pairs, older->graph(), graph());
  return std::ranges::all_of(older->WaitingNodes(), [&](NodeId stored) {
    return CoversNode(*older, stored, match) && CoversSlots(*older, stored, match);
  });
}

bool ObjectSession::CoversNode(const ObjectSession& older, NodeId stored, const MatchResult& match) const {
  const NodeId own = match.target_of[static_cast<size_t>(stored)];
  if (own < 0) return false;
  const Node& wanted = older.graph().node(stored);
  const Node& node = graph().node(own);
  const bool waits = older.matcher_.TargetOf(stored) < 0;
  if (!waits) {  // a live object that children can come to: this one must know it too
    const std::shared_ptr<Trackable> object = older.live_.Get(older.matcher_.TargetOf(stored));
    if (!object || live_.Find(*object) != std::optional(matcher_.TargetOf(own))) return false;
  }
  if (waits && wanted.registered_saver != node.registered_saver) return false;
  const bool has_attributes = std::ranges::all_of(wanted.attributes, [&](const Attribute& attribute) {
    return std::ranges::find(node.attributes, attribute.name, &Attribute::name) != node.attributes.end();
  });
  if (waits && !has_attributes) return false;
  return std::ranges::all_of(wanted.children, [&](const Edge& edge) {
    if (older.matcher_.TargetOf(edge.child) >= 0 || !older.HasValues(edge.child)) return true;
    const std::optional<NodeId> child = graph().Child(own, edge.name);
    return child && *child == match.target_of[static_cast<size_t>(edge.child)] &&
           matcher_.TargetOf(*child) < 0;
  });
}

bool ObjectSession::CoversSlots(const ObjectSession& older, NodeId stored, const MatchResult& match) const {
  if (older.options().skip_slot_variables) return true;
  return std::ranges::all_of(older.graph().node(stored).slots, [&](const SlotReference& slot) {
    const bool may_come =
        older.matcher_.TargetOf(slot.slot) < 0 &&
        (older.IsBound(slot.original) || match.target_of[static_cast<size_t>(slot.original)] >= 0);
    return !may_come || match.target_of[static_cast<size_t>(slot.slot)] >= 0;
  });
}

std::vector<UnusedValue> ObjectSession::unused_values() const {
  return FindUnused(
      graph(),
      [&](NodeId stored) {
        return IsBound(stored) || (options().skip_slot_variables && is_slot_[static_cast<size_t>(stored)]);
      },
      unused_attributes_);
}

// True when a value is wanted and this restore has none for it.
bool ObjectSession::LacksValue(const Trackable& object) const {
  const std::vector<CheckpointValue> values = object.CheckpointValues();
  const bool by_saver = options().savers && options().savers->For(object);
  if (!by_saver && std::ranges::all_of(values, &CheckpointValue::optional)) return false;
  const std::optional<NodeId> target = live_.Find(object);
  if (!target || matcher_.StoredOf(*target) < 0) return true;
  return without_value_.contains(*target) && object.restored_by() < issue();
}

// Reachable ones first; then those that were told of before and are still alive, wherever they are now.
std::vector<UnrestoredObject> ObjectSession::unrestored_objects() const {
  const ObjectSnapshot now = SnapshotNow();
  const NodeNames now_names(now.graph);
  std::vector<UnrestoredObject> lacking;
  std::unordered_set<const Trackable*> seen;
  const auto add = [&](const std::shared_ptr<Trackable>& object, std::string path) {
    if (object && seen.insert(object.get()).second && LacksValue(*object))
      lacking.push_back(DescribeUnrestored(object, std::move(path)));
  };
  for (size_t i = 0; i < now.objects.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!options().skip_slot_variables || !now_names.IsSlot(id)) add(now.objects[i], now_names.Name(id));
  }
  for (const std::weak_ptr<Trackable>& told : told_of_)
    add(told.lock(), "an object that the root does not lead to");
  return lacking;
}

// For an assertion, which tells of them: TensorFlow's count what they once saw for as long as it lives.
std::vector<UnrestoredObject> ObjectSession::TellOfLacking() const {
  std::vector<UnrestoredObject> lacking = unrestored_objects();
  told_of_.clear();
  for (const UnrestoredObject& one : lacking) told_of_.push_back(one.object);
  return lacking;
}

std::vector<RestoredObject> ObjectSession::restored() const {
  std::vector<RestoredObject> restored;
  for (const auto& [stored, keys] : keys_read_)
    restored.push_back({names().Name(stored), keys, live_.Get(matcher_.TargetOf(stored))});
  return restored;
}

std::vector<RestoreConflict> ObjectSession::conflicts() const {
  std::vector<RestoreConflict> conflicts;
  for (const MatchConflict& conflict : matcher_.conflicts()) {
    if (conflict.one_stored_two_targets) {
      conflicts.push_back({.kind = RestoreConflict::Kind::kOneStoredTwoObjects,
                           .path = names().Name(conflict.stored),
                           .object = live_.Get(conflict.target),
                           .other_object = live_.Get(conflict.other)});
    } else {
      conflicts.push_back({.kind = RestoreConflict::Kind::kTwoStoredOneObject,
                           .path = names().Name(conflict.stored),
                           .other = names().Name(conflict.other),
                           .object = live_.Get(conflict.target)});
    }
  }
  return conflicts;
}

// Every object that was matched must have been given its values: a deferred read may have failed.
Status ObjectSession::AssertAssigned() const {
  for (NodeId stored : matcher_.paired()) {
    const NodeId target = matcher_.TargetOf(stored);
    const std::shared_ptr<Trackable> object = live_.Get(target);
    if (!object || object->restored_by() >= issue() || without_value_.contains(target)) continue;
    if (!deferred_errors().empty()) return deferred_errors().front();
    return Error(StatusCode::kFailedPrecondition, "an object was matched and not given its value")
        .File(file())
        .Path(names().Name(stored));
  }
  return OkStatus();
}

Status ObjectSession::AssertExistingObjectsMatched() const {
  SAVEDMODEL_RETURN_IF_ERROR(AssertAssigned());
  const std::vector<UnrestoredObject> lacking = TellOfLacking();
  const Status status = ErrorOfUnrestored(lacking, file());
  const bool only_counter = lacking.size() == 1 && IsSaveCounter(*lacking[0].object);
  return only_counter ? WithHint(status, "a checkpoint without a save counter is for Checkpoint::Read")
                      : status;
}

Status ObjectSession::AssertConsumed() const {
  SAVEDMODEL_RETURN_IF_ERROR(AssertExistingObjectsMatched());
  return ErrorOfUnused(unused_values(), file());
}

Status ObjectSession::AssertNontrivialMatch() const {
  const std::vector<UnrestoredObject> unrestored = TellOfLacking();
  const auto bound = std::ranges::count_if(matcher_.paired(), [&](NodeId stored) { return IsBound(stored); });
  if (bound > 1) return OkStatus();
  if (unrestored.empty()) {
    return Error(StatusCode::kFailedPrecondition,
                 "nothing was restored: the root has no objects with values yet")
        .File(file());
  }
  const Status lacking = ErrorOfUnrestored(unrestored, file());
  return WithHint(lacking, "nothing but the root was matched: is this the checkpoint of another program?");
}

}  // namespace savedmodel::internal
