#include "savedmodel/checkpoint/restore_plan.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/internal/faults.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::Faults;
using State = ValueKey::State;

Status Lacks(const char* what) {
  return Error(StatusCode::kInvalidArgument, std::string("a restore cannot be planned without ") + what);
}

Status CheckInput(const RestorePlanInput& in) {
  if (!in.stored && !in.keys) return Lacks("the stored graph, or keys");
  if (!in.name || !in.values) return Lacks("both of the functions name and values");
  const bool fits = std::ranges::all_of(in.wanted, [&](const WantedNode& wanted) {
    return wanted.stored < 0 || (in.stored && in.stored->Contains(wanted.stored));
  });
  return fits ? OkStatus()
              : Error(StatusCode::kInvalidArgument, "a wanted object is paired with a node that is not there")
                    .ToStatus();
}

class Planner {
 public:
  explicit Planner(const RestorePlanInput& in) : in_(in) {}

  StatusOr<RestorePlan> Run() {
    for (const WantedNode& wanted : in_.wanted) SAVEDMODEL_RETURN_IF_ERROR(PlanObject(wanted));
    for (const Faults* faults : {&missing_, &bound_, &stored_, &unmatched_}) {
      SAVEDMODEL_RETURN_IF_ERROR(faults->ToStatus());
    }
    CountUnused();
    return std::move(plan_);
  }

 private:
  Status PlanObject(const WantedNode& wanted) {
    const std::vector<CheckpointValue> values = in_.values(wanted.target);
    if (in_.stored && wanted.stored < 0) return NoteUnmatched(wanted, values), OkStatus();
    const NodeKeys keys = in_.stored ? KeysByAttribute(in_.stored->node(wanted.stored), values, in_.reader)
                                     : in_.keys(wanted.target, values);
    if (keys.values.size() != values.size()) return Lacks("a key for every value");
    NoteUnused(wanted.stored, keys);
    return PlanValues(wanted, values, keys);
  }

  void NoteUnmatched(const WantedNode& wanted, const std::vector<CheckpointValue>& values) {
    if (std::ranges::all_of(values, &CheckpointValue::optional)) return;
    plan_.unmatched.push_back(wanted.target);
    if (in_.allow_missing) return;
    const std::string name = in_.name(wanted.target);
    unmatched_.Add(name, {.file = in_.index_name, .key = "", .path = name});
  }

  void NoteUnused(NodeId stored, const NodeKeys& keys) {
    for (size_t i : keys.unused_attributes) {
      const Attribute& attribute = in_.stored->node(stored).attributes[i];
      plan_.unused_attributes.push_back(
          {stored, attribute.name, attribute.checkpoint_key, attribute.optional});
    }
  }

  Status PlanValues(const WantedNode& wanted, const std::vector<CheckpointValue>& values,
                    const NodeKeys& keys) {
    size_t unknown = 0, missing = 0, wanted_values = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].optional) continue;
      ++wanted_values;
      unknown += keys.values[i].state == State::kUnknown ? 1 : 0;
      missing += keys.values[i].state == State::kMissing ? 1 : 0;
    }
    // A node that records other values than the object keeps is one of another kind of object.
    const bool is_other = unknown > 0 && (unknown < wanted_values || !keys.unused_attributes.empty());
    if (is_other && !in_.allow_missing) NoteOtherKind(wanted, values, keys.values);
    if (missing > 0) NoteMissing(wanted, keys.values);
    if (unknown > 0) plan_.without_value.push_back(wanted.target);
    if (unknown > 0 || missing > 0) return OkStatus();  // all of its values or none: it cannot take a part
    for (size_t i = 0; i < values.size(); ++i) {
      if (keys.values[i].state == State::kStored)
        SAVEDMODEL_RETURN_IF_ERROR(PlanStored(wanted, i, values[i], keys.values[i].key));
    }
    return OkStatus();
  }

  void NoteOtherKind(const WantedNode& wanted, const std::vector<CheckpointValue>& values,
                     const std::vector<ValueKey>& keys) {
    const std::string name = in_.name(wanted.target);
    for (size_t i = 0; i < values.size(); ++i) {
      if (keys[i].state != State::kUnknown || values[i].optional) continue;
      FaultsFor(wanted.target)
          .Add(name + " keeps a value " + values[i].name + ", and the checkpoint has others for it",
               {.file = in_.index_name, .key = "", .path = name});
    }
  }

  // A value that does not fit is the fault of whoever bound the object, else of the files.
  Faults& FaultsFor(NodeId target) { return !in_.is_bound || in_.is_bound(target) ? bound_ : stored_; }

  void NoteMissing(const WantedNode& wanted, const std::vector<ValueKey>& keys) {
    plan_.missing_keys.push_back(wanted.target);
    if (in_.allow_missing) return;
    const std::string name = in_.name(wanted.target);
    for (const ValueKey& key : keys) {
      if (key.state != State::kMissing) continue;
      missing_.Add(name + " (key " + key.key + ")", {.file = in_.index_name, .key = key.key, .path = name});
    }
  }

  Status PlanStored(const WantedNode& wanted, size_t index, const CheckpointValue& value,
                    const std::string& key) {
    const std::string name = in_.name(wanted.target);
    if (!in_.reader) {
      return Error(StatusCode::kNotFound,
                   "the checkpoint's index is not there, and a selected variable needs a value")
          .File(in_.index_name)
          .Key(key)
          .Path(name);
    }
    StatusOr<TensorInfo> info = in_.reader->Find(key);
    if (!info.ok()) return internal::WithContext(info.status(), {.key = key, .path = name});
    if (!CheckSpec(wanted.target, name, key, value.spec, *info)) return OkStatus();
    RestoreItem item{.stored = wanted.stored,
                     .target = wanted.target,
                     .path = name,
                     .value = index,
                     .key = key,
                     .slice = value.slice,
                     .dtype = info->dtype,
                     .shape = info->shape,
                     .bytes = info->stored_bytes()};
    if (value.slice) {
      StatusOr<Shape> part = value.slice->ShapeWithin(info->shape);
      if (!part.ok()) return internal::WithContext(part.status(), {.key = key, .path = name});
      item.shape = *std::move(part);
    }
    plan_.bytes += std::min(item.bytes, UINT64_MAX - plan_.bytes);  // a file's claims may be any number
    plan_.items.push_back(std::move(item));
    return OkStatus();
  }

  // False, with a fault noted, when the value does not fit what takes it.
  bool CheckSpec(NodeId target, const std::string& name, const std::string& key, const TensorSpec& spec,
                 const TensorInfo& info) {
    if (spec.dtype == info.dtype && spec.shape.IsCompatibleWith(info.shape)) return true;
    const std::string found = TensorSpec{info.dtype, info.shape}.ToString();
    FaultsFor(target).Add(
        name + " (key " + key + ") takes " + spec.ToString() + " and " + found + " is stored",
        {.file = in_.index_name, .key = key, .path = name, .expected = spec.ToString(), .found = found});
    return false;
  }

  void CountUnused() {
    if (!in_.reader || !in_.count_unused) return;
    std::unordered_set<std::string_view> used = {kObjectGraphKey};
    for (const RestoreItem& item : plan_.items) used.insert(item.key);
    const auto keys = in_.reader->keys();
    plan_.unused_keys = static_cast<size_t>(
        std::count_if(keys.begin(), keys.end(), [&](std::string_view key) { return !used.count(key); }));
  }

  const RestorePlanInput& in_;
  RestorePlan plan_;
  Faults missing_{StatusCode::kNotFound, "the checkpoint has no value for"};
  Faults bound_{StatusCode::kInvalidArgument, "an object does not fit its stored value"};
  Faults stored_{StatusCode::kFailedPrecondition, "a variable and its stored value differ"};
  Faults unmatched_{StatusCode::kFailedPrecondition, "the checkpoint knows nothing of"};
};

}  // namespace

std::vector<NodeId> RestorePlan::targets() const {
  std::vector<NodeId> targets;
  for (const RestoreItem& item : items) {
    if (targets.empty() || targets.back() != item.target) targets.push_back(item.target);
  }
  return targets;
}

std::string RestorePlan::ToString() const {
  std::string text;
  for (const RestoreItem& item : items) {
    text += item.path + " <- " + item.key + " ";
    if (item.slice) text += "[" + item.slice->ToString() + "] ";
    text += TensorSpec{item.dtype, item.shape}.ToString() + ", " + std::to_string(item.bytes) + " bytes\n";
  }
  text += std::to_string(items.size()) + " tensors, " + std::to_string(bytes) + " bytes";
  if (unused_keys) text += ", " + std::to_string(*unused_keys) + " stored tensors unused";
  return text + "\n";
}

StatusOr<RestorePlan> PlanRestore(const RestorePlanInput& input) {
  return internal::Guarded([&]() -> StatusOr<RestorePlan> {
    SAVEDMODEL_RETURN_IF_ERROR(CheckInput(input));
    return Planner(input).Run();
  });
}

}  // namespace savedmodel
