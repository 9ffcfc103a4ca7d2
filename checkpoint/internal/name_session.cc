#include "savedmodel/checkpoint/internal/name_session.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/leftovers.h"

namespace savedmodel::internal {

NameSession::NameSession(ObjectCheckpoint checkpoint, std::shared_ptr<const RootObjects> objects,
                         const RestoreOptions& options)
    : RestoreSession(std::move(objects), options),
      checkpoint_(std::move(checkpoint)),
      names_(checkpoint_.reader(), checkpoint_.graph().get()),
      num_stored_(checkpoint_.reader().keys().size() - (checkpoint_.graph() ? 1 : 0)),
      live_(nullptr, nullptr) {}

Status NameSession::Begin() {
  return Deliver(SnapshotNow(), options().by == RestoreBy::kName && !options().allow_partial_checkpoint);
}

Status NameSession::Handle(const Event& event) {
  std::shared_ptr<Trackable> object = event.child;
  // A new slot: all of the optimizer's are looked at, those that have their values are passed over.
  if (!object) object = live_.Get(event.token);
  return object ? Deliver(Snapshot(object, GraphView::kCheckpoint), false) : OkStatus();
}

// Restores those of `objects` that no restore issued later has. `strict`: every name must be there.
Status NameSession::Deliver(const ObjectSnapshot& objects, bool strict) {
  const NodeNames paths(objects.graph);
  BatchInput input{.allow_missing = true, .mode = options().mode, .read = read_options()};
  std::map<NodeId, std::pair<NodeId, NodeKeys>>
      found;  // by target: where it is in the snapshot, and its keys
  fault_ = OkStatus();
  for (size_t i = 0; i < objects.objects.size(); ++i) {
    const std::shared_ptr<Trackable>& object = objects.objects[i];
    const NodeId target = live_.IdOf(object);
    if (object->restored_by() >= issue()) continue;
    const auto node = static_cast<NodeId>(i);
    const std::vector<CheckpointValue> values = object->CheckpointValues();
    found[target] = {node, KeysOf(*object, target, paths.Name(node), values)};
    input.wanted.push_back({.target = target});
  }
  input.keys = [&](NodeId target, std::span<const CheckpointValue>) { return found[target].second; };
  input.name = [&](NodeId target) { return paths.Name(found[target].first); };
  const bool misses = fault_.code() == StatusCode::kNotFound;
  Status status = misses && !strict ? OkStatus() : fault_;
  if (status.ok()) {
    StatusOr<BatchResult> result = RestoreBatch(checkpoint_.reader(), live_, input);
    status = result.status();
    if (result.ok()) Commit(objects, input.wanted, *result);
  }
  live_.Release();
  return status;
}

NodeKeys NameSession::KeysOf(const Trackable& object, NodeId target, const std::string& path,
                             std::span<const CheckpointValue> values) {
  NodeKeys keys;
  std::vector<std::string> missing;
  for (const CheckpointValue& value : values) {
    keys.values.push_back(KeyOf(value, path));
    if (keys.values.back().state == ValueKey::State::kStored || value.optional) continue;
    missing.push_back(value.full_name.empty() ? value.name : options().names.ToStored(value.full_name));
  }
  const bool is_exempt = exempt_.lock().get() == &object;
  if (!missing.empty() && !is_exempt) {
    if (fault_.ok()) fault_ = names_.NoSuchName(missing.front(), path);
    missing_[target] = std::move(missing);
  }
  return keys;
}

ValueKey NameSession::KeyOf(const CheckpointValue& value, const std::string& path) {
  if (value.full_name.empty()) return {};
  const std::string name = options().names.ToStored(value.full_name);
  const std::vector<std::string> keys = names_.KeysOf(name);
  if (keys.size() == 1) return {ValueKey::State::kStored, keys.front()};
  if (keys.size() > 1) {
    fault_ = Error(StatusCode::kFailedPrecondition, "several stored values have this name")
                 .File(file())
                 .Key(name)
                 .Path(path)
                 .Found(keys[0] + ", " + keys[1] + (keys.size() > 2 ? ", ..." : ""));
  }
  return {};
}

void NameSession::Commit(const ObjectSnapshot& objects, const std::vector<WantedNode>& wanted,
                         const BatchResult& result) {
  CountBytes(result.bytes_read);
  for (const RestoreItem& item : result.plan.items) {
    used_.insert(item.key);
    if (item.value == 0) restored_.push_back({item.path, {}});
    restored_.back().keys.push_back(item.key);
  }
  for (const WantedNode& one : wanted) live_.Get(one.target)->set_restored_by(issue());
  for (const std::shared_ptr<Trackable>& object : objects.objects)
    object->AddListener(weak_from_this(), *live_.Find(*object));
  for (const RestoreItem& item : result.plan.items) {
    if (item.value == 0) live_.Get(item.target)->AfterRestore();
  }
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
    const std::optional<NodeId> target = live_.Find(*now.objects[i]);
    const auto missing = target ? missing_.find(*target) : missing_.end();
    if (missing != missing_.end()) {
      unrestored.push_back({paths.Name(static_cast<NodeId>(i)), missing->second});
    }
  }
  return unrestored;
}

Status NameSession::AssertConsumed() const {
  if (!deferred_errors().empty()) return deferred_errors().front();
  return ErrorOfUnrestored(unrestored_objects(), file());
}

bool NameSession::Covers(const RestoreSession& other) const {
  const auto* older = dynamic_cast<const NameSession*>(&other);
  if (!older || options().names != older->options().names) return false;
  return std::ranges::all_of(older->checkpoint_.reader().keys(), [&](std::string_view key) {
    return older->used_.contains(std::string(key)) || !names_.KeysOf(key).empty() || key == kObjectGraphKey;
  });
}

}  // namespace savedmodel::internal
