#include "savedmodel/checkpoint/restore_plan.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

using internal::Error;

constexpr size_t kMaxNamed = 10;  // offenders named in one message

// Faults of one kind, gathered so that one error names all of them, up to a few.
struct Faults {
  StatusCode code;
  std::string what;
  std::string lines = {};
  size_t count = 0;
  ErrorContext first = {};

  void Add(const std::string& line, ErrorContext context) {
    if (count == 0) first = std::move(context);
    if (count < kMaxNamed) lines += (count == 0 ? "" : "; ") + line;
    ++count;
  }
  Status ToStatus() const {
    if (count == 0) return OkStatus();
    // The number comes first: a long message is cut at its end.
    const std::string all = count > 1 ? " (" + std::to_string(count) + " in all)" : "";
    return Error(code, what + all + ": " + lines + (count > kMaxNamed ? "; ..." : ""))
        .File(first.file)
        .Key(first.key)
        .Path(first.path)
        .Expected(first.expected)
        .Found(first.found);
  }
};

const Attribute* ValueOf(const Node& node) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == kVariableValue) return &attribute;
  }
  return nullptr;
}

Status Lacks(const char* what) {
  return Error(StatusCode::kInvalidArgument, std::string("a restore cannot be planned without ") + what);
}

// The pointers and functions, and that the match is of these graphs.
Status CheckInput(const RestorePlanInput& in) {
  if (in.stored == nullptr) return Lacks("the stored graph");
  if (in.target == nullptr) return Lacks("the target graph");
  if (in.match == nullptr) return Lacks("a match of the two graphs");
  if (!in.wanted || !in.name || !in.spec || !in.is_bound) {
    return Lacks("each of the functions wanted, name, spec and is_bound");
  }
  const std::vector<NodeId>& stored_of = in.match->stored_of;
  const bool fits =
      stored_of.size() == in.target->size() && std::ranges::all_of(stored_of, [&](NodeId stored) {
        return stored < 0 || static_cast<size_t>(stored) < in.stored->size();
      });
  return fits ? OkStatus()
              : Error(StatusCode::kInvalidArgument, "the match is one of other graphs").ToStatus();
}

class Planner {
 public:
  explicit Planner(const RestorePlanInput& in) : in_(in) {}

  StatusOr<RestorePlan> Run() {
    for (size_t t = 0; t < in_.target->size(); ++t) {
      const auto target = static_cast<NodeId>(t);
      if (!in_.wanted(target)) continue;
      const NodeId stored = in_.match->stored_of[t];
      NoteOtherAttributes(stored);
      if (in_.target->node(target).kind == NodeKind::kVariable)
        SAVEDMODEL_RETURN_IF_ERROR(PlanVariable(target, stored));
    }
    for (const Faults* faults : {&missing_, &bound_, &stored_, &unmatched_}) {
      SAVEDMODEL_RETURN_IF_ERROR(faults->ToStatus());
    }
    CountUnused();
    return std::move(plan_);
  }

 private:
  void NoteOtherAttributes(NodeId stored) {
    if (stored < 0) return;
    for (const Attribute& attribute : in_.stored->node(stored).attributes) {
      if (attribute.name != kVariableValue) plan_.other_attributes.push_back(attribute.checkpoint_key);
    }
  }

  Status PlanVariable(NodeId target, NodeId stored) {
    if (stored < 0) {
      plan_.unmatched.push_back(target);
      if (!in_.allow_missing) {
        unmatched_.Add(in_.name(target), {.file = in_.index_name, .key = "", .path = in_.name(target)});
      }
      return OkStatus();
    }
    const Attribute* value = ValueOf(in_.stored->node(stored));
    if (!value) return plan_.without_value.push_back(target), OkStatus();
    if (!in_.reader) {
      return Error(StatusCode::kNotFound,
                   "the checkpoint's index is not there, and a selected variable needs a value")
          .File(in_.index_name)
          .Key(value->checkpoint_key)
          .Path(in_.name(target));
    }
    return PlanStored(target, stored, value->checkpoint_key);
  }

  Status PlanStored(NodeId target, NodeId stored, const std::string& key) {
    if (!in_.reader->Contains(key)) {
      plan_.missing_keys.push_back(target);
      if (!in_.allow_missing) {
        missing_.Add(in_.name(target) + " (key " + key + ")",
                     {.file = in_.index_name, .key = key, .path = in_.name(target)});
      }
      return OkStatus();
    }
    StatusOr<TensorInfo> info = in_.reader->Find(key);
    if (!info.ok()) return internal::WithContext(info.status(), {.key = key, .path = in_.name(target)});
    if (!CheckSpec(target, key, *info)) return OkStatus();
    plan_.bytes +=
        std::min(info->stored_bytes(), UINT64_MAX - plan_.bytes);  // a file's claims may be any number
    plan_.items.push_back(
        {stored, target, in_.name(target), key, info->dtype, info->shape, info->stored_bytes()});
    return OkStatus();
  }

  // False, with a fault noted, when the value does not fit what takes it.
  bool CheckSpec(NodeId target, const std::string& key, const TensorInfo& info) {
    const TensorSpec spec = in_.spec(target);
    if (spec.dtype == info.dtype && spec.shape.IsCompatibleWith(info.shape)) return true;
    const std::string found = TensorSpec{info.dtype, info.shape}.ToString();
    Faults& faults = in_.is_bound(target) ? bound_ : stored_;
    faults.Add(
        in_.name(target) + " (key " + key + ") takes " + spec.ToString() + " and " + found + " is stored",
        {.file = in_.index_name,
         .key = key,
         .path = in_.name(target),
         .expected = spec.ToString(),
         .found = found});
    return false;
  }

  void CountUnused() {
    if (!in_.reader) return;
    std::unordered_set<std::string_view> used = {kObjectGraphKey};
    for (const RestoreItem& item : plan_.items) used.insert(item.key);
    const auto keys = in_.reader->keys();
    plan_.unused_keys = static_cast<size_t>(
        std::count_if(keys.begin(), keys.end(), [&](std::string_view key) { return !used.count(key); }));
  }

  const RestorePlanInput& in_;
  RestorePlan plan_;
  Faults missing_{StatusCode::kNotFound, "the checkpoint has no value for"};
  Faults bound_{StatusCode::kInvalidArgument, "a bound variable does not fit"};
  Faults stored_{StatusCode::kFailedPrecondition, "a variable and its stored value differ"};
  Faults unmatched_{StatusCode::kFailedPrecondition, "the checkpoint knows nothing of"};
};

}  // namespace

std::string RestorePlan::ToString() const {
  std::string text;
  for (const RestoreItem& item : items) {
    text += item.path + " <- " + item.key + " " + TensorSpec{item.dtype, item.shape}.ToString() + ", " +
            std::to_string(item.bytes) + " bytes\n";
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
