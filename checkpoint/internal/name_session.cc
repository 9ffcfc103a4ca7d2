#include "savedmodel/checkpoint/internal/name_session.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/leftovers.h"
#include "savedmodel/object_graph/optimizer.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel::internal {
namespace {

// What an object without a place in the tree is called: by the name it is looked up by.
std::string FullNameOf(const Trackable& object) {
  for (const CheckpointValue& value : object.CheckpointValues()) {
    if (!value.full_name.empty()) return value.full_name;
  }
  return "an object without a name";
}

}  // namespace

NameSession::NameSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
                         const RestoreOptions& options)
    : RestoreSession(std::move(objects), options),
      checkpoint_(std::move(checkpoint)),
      names_(checkpoint_.reader(), checkpoint_.graph().get()),
      num_stored_(checkpoint_.reader().keys().size() - (checkpoint_.graph() ? 1 : 0)),
      live_(nullptr, nullptr) {}

Status NameSession::Begin() {
  const ObjectSnapshot now = SnapshotNow();
  const NodeNames paths(now.graph);
  return Deliver(
      now.objects, [&](size_t i) { return paths.Name(static_cast<NodeId>(i)); },
      options().by == RestoreBy::kName && !options().allow_partial_checkpoint);
}

Status NameSession::Handle(const Event& event) {
  const std::vector<std::shared_ptr<Trackable>> fresh = NewObjectsFrom(event.object);
  return Deliver(fresh, [&](size_t i) { return FullNameOf(*fresh[i]); }, false);
}

// The object, and what it leads to that was not met before: what was met tells of its own children, and a link back to a
// parent must not cost the whole tree at every child.
std::vector<std::shared_ptr<Trackable>> NameSession::NewObjectsFrom(
    const std::shared_ptr<Trackable>& object) const {
  std::vector<std::shared_ptr<Trackable>> fresh = {object};
  std::unordered_set<const Trackable*> seen = {object.get()};
  const auto add = [&](const std::shared_ptr<Trackable>& one) {
    if (!live_.Find(*one) && seen.insert(one.get()).second) fresh.push_back(one);
  };
  for (size_t i = 0; i < fresh.size(); ++i) {
    const std::shared_ptr<Trackable> from = fresh[i];  // a copy: the list grows
    from->ForEachChild([&](const std::string&, const std::shared_ptr<Trackable>& child) { add(child); },
                       GraphView::kCheckpoint);
    if (const auto* optimizer = dynamic_cast<const Optimizer*>(from.get())) optimizer->ForEachSlot(add);
  }
  return fresh;
}

Status NameSession::Deliver(const std::vector<std::shared_ptr<Trackable>>& objects,
                            const std::function<std::string(size_t)>& name, bool strict) {
  const LiveObjects::Hold hold(live_);
  Batch batch;
  for (size_t i = 0; i < objects.size(); ++i) {
    const NodeId target = live_.IdOf(objects[i]);
    objects[i]->AddListener(weak_from_this(), target);
    if (objects[i]->restored_by() < issue()) AddToBatch(objects[i], name(i), batch);
  }
  Status status = batch.ambiguous.ToStatus();
  if (status.ok() && strict) status = batch.missing.ToStatus();
  if (!status.ok() && !batch.near.empty()) status = WithHint(status, batch.near);
  return status.ok() ? RestoreBatchOf(batch) : status;
}

void NameSession::AddToBatch(const std::shared_ptr<Trackable>& object, std::string name, Batch& batch) {
  const NodeId target = *live_.Find(*object);
  NodeKeys keys;
  std::vector<std::string> missing;
  for (const CheckpointValue& value : object->CheckpointValues()) {
    keys.values.push_back(KeyOf(value, name, batch));
    if (keys.values.back().state == ValueKey::State::kStored || value.optional) continue;
    if (IsSaveCounter(*object)) continue;
    missing.push_back(value.full_name.empty() ? value.name : options().names.ToStored(value.full_name));
    NoteMissing(value, name, batch);
  }
  if (!missing.empty()) missing_[target] = std::move(missing);
  batch.wanted[target] = {std::move(name), std::move(keys)};
}

void NameSession::NoteMissing(const CheckpointValue& value, const std::string& name, Batch& batch) const {
  if (value.full_name.empty()) {
    batch.missing.Add("nothing, as the value " + value.name + " of " + name + " has no name to ask for",
                      {.file = file(), .key = {}, .path = name});
    return;
  }
  const std::string stored = options().names.ToStored(value.full_name);
  if (batch.near.empty()) batch.near = names_.Near(stored);
  batch.missing.Add(stored + " (" + name + ")", {.file = file(), .key = stored, .path = name});
}

ValueKey NameSession::KeyOf(const CheckpointValue& value, const std::string& object_name,
                            Batch& batch) const {
  if (value.full_name.empty()) return {};
  const std::string name = options().names.ToStored(value.full_name);
  const std::vector<std::string> keys = names_.KeysOf(name);
  if (keys.size() == 1) {
    const bool is_stored = checkpoint_.reader().Contains(keys.front());
    return {is_stored ? ValueKey::State::kStored : ValueKey::State::kMissing, keys.front()};
  }
  if (keys.size() > 1) {
    batch.ambiguous.Add(name + " (" + object_name + ")",
                        {.file = file(),
                         .key = name,
                         .path = object_name,
                         .found = keys[0] + ", " + keys[1] + (keys.size() > 2 ? ", ..." : "")});
  }
  return {};
}

Status NameSession::RestoreBatchOf(const Batch& batch) {
  BatchInput input{.allow_missing = true, .mode = options().mode, .read = read_options()};
  for (const auto& [target, wanted] : batch.wanted) input.wanted.push_back({.target = target});
  input.keys = [&](NodeId target, std::span<const CheckpointValue>) { return batch.wanted.at(target).keys; };
  input.name = [&](NodeId target) { return batch.wanted.at(target).name; };
  SAVEDMODEL_ASSIGN_OR_RETURN(const BatchResult result, RestoreBatch(checkpoint_.reader(), live_, input));
  Commit(batch, result);
  return OkStatus();
}

void NameSession::Commit(const Batch& batch, const BatchResult& result) {
  CountBytes(result.bytes_read);
  // What this restore has no value for may have one from another, or from its initialiser.
  for (const auto& [target, wanted] : batch.wanted)
    if (!missing_.contains(target)) live_.Get(target)->set_restored_by(issue());
  for (const RestoreItem& item : result.plan.items) {
    used_.insert(item.key);
    keys_read_[item.target].push_back(item.key);
  }
  for (NodeId target : result.plan.targets()) live_.Get(target)->AfterRestore();
}

std::vector<UnusedValue> NameSession::unused_values() const {
  std::vector<UnusedValue> unused;
  for (std::string_view key : checkpoint_.reader().keys()) {
    if (key != kObjectGraphKey && !used_.contains(std::string(key)))
      unused.push_back({.path = {}, .attribute = {}, .key = std::string(key)});
  }
  return unused;
}

std::vector<UnrestoredObject> NameSession::unrestored_objects() const {
  const ObjectSnapshot now = SnapshotNow();
  const NodeNames paths(now.graph);
  std::vector<UnrestoredObject> unrestored;
  for (size_t i = 0; i < now.objects.size(); ++i) {
    const Trackable& object = *now.objects[i];
    const std::optional<NodeId> target = live_.Find(object);
    const auto missing = target ? missing_.find(*target) : missing_.end();
    UnrestoredObject one{.path = paths.Name(static_cast<NodeId>(i)), .object = now.objects[i]};
    if (missing != missing_.end()) {
      one.values = missing->second;
    } else if (object.restored_by() < issue() &&
               !IsSaveCounter(object)) {  // it came in a way that tells nobody, or its restore failed
      for (const CheckpointValue& value : object.CheckpointValues())
        if (!value.optional) one.values.push_back(value.name);
    }
    if (!one.values.empty()) unrestored.push_back(std::move(one));
  }
  return unrestored;
}

std::vector<RestoredObject> NameSession::restored() const {
  const ObjectSnapshot now = SnapshotNow();
  const NodeNames paths(now.graph);
  std::map<NodeId, std::vector<std::string>> left = keys_read_;
  std::vector<RestoredObject> restored;
  for (size_t i = 0; i < now.objects.size(); ++i) {
    const std::optional<NodeId> target = live_.Find(*now.objects[i]);
    auto read = target ? left.extract(*target) : decltype(left)::node_type();
    if (!read.empty())
      restored.push_back({paths.Name(static_cast<NodeId>(i)), std::move(read.mapped()), now.objects[i]});
  }
  for (auto& [target, keys] : left)
    restored.push_back({"an object that the root does not lead to", keys, live_.Get(target)});
  return restored;
}

Status NameSession::AssertConsumed() const {
  if (!deferred_errors().empty()) return deferred_errors().front();
  const Status status = ErrorOfUnrestored(unrestored_objects(), file());
  return status.ok() ? status : WithHint(status, "the values were looked for by the variables' names");
}

bool NameSession::Covers(const RestoreSession& other) const {
  const auto* older = dynamic_cast<const NameSession*>(&other);
  if (!older || options().names != older->options().names) return false;
  return std::ranges::all_of(older->checkpoint_.reader().keys(), [&](std::string_view key) {
    return older->used_.contains(std::string(key)) || !names_.KeysOf(key).empty() || key == kObjectGraphKey;
  });
}

}  // namespace savedmodel::internal
