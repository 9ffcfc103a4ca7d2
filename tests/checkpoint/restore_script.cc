#include "savedmodel/tests/checkpoint/restore_script.h"

#include <stdexcept>
#include <utility>

#include "adam.h"
#include "savedmodel/object_graph/containers.h"

namespace savedmodel::testing {
namespace {

using Json = nlohmann::json;

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error(what); }

const Json kOk = "ok", kError = "error";

}  // namespace

Json RestoreScript::Run(const Json& step) {
  const std::string kind = [&] {
    // The first key of a step says what it does; JSON objects here are sorted, so it is looked for.
    for (const char* name : {"make",
                             "chain",
                             "create",
                             "track",
                             "untrack",
                             "insert",
                             "remove",
                             "drop",
                             "assign_slot",
                             "assign",
                             "train",
                             "restore_by_name",
                             "restore",
                             "read",
                             "save_names",
                             "save_graph",
                             "saver",
                             "saved_model",
                             "save",
                             "write",
                             "save_counter",
                             "assert_consumed",
                             "assert_existing_objects_matched",
                             "assert_nontrivial_match",
                             "expect_partial",
                             "initialize_or_restore",
                             "children",
                             "log",
                             "slot",
                             "checkpoint",
                             "value"}) {
      if (step.contains(name)) return std::string(name);
    }
    Fail("no step: " + step.dump());
  }();
  if (auto outcome = RunObjectStep(kind, step)) return *outcome;
  if (auto outcome = RunCheckpointStep(kind, step)) return *outcome;
  if (auto outcome = RunQuestion(kind, step)) return *outcome;
  Fail("no step: " + step.dump());
}

std::optional<Json> RestoreScript::RunObjectStep(const std::string& kind, const Json& step) {
  if (kind == "make") return Make(step);
  if (kind == "chain") return Chain(step);
  if (kind == "create") return Create(step);
  if (kind == "track") return Track(step);
  if (kind == "untrack") {
    return Object(step["untrack"])->Untrack(step["name"].get<std::string>()) ? kOk : kError;
  }
  if (kind == "insert" || kind == "remove") return EditList(step, kind == "insert");
  if (kind == "drop") return Drop(step["drop"]);
  if (kind == "train") return Train(step);
  if (kind == "assign") return ScriptObjects::SetValue(*Object(step["assign"]), step["value"]), kOk;
  if (kind == "assign_slot") {
    auto& optimizer = static_cast<Optimizer&>(*Object(step["assign_slot"]));
    const auto slot = optimizer.Slot(*Object(step["variable"]), step["slot_name"].get<std::string>());
    if (!slot) return kError;
    return ScriptObjects::SetValue(*slot, step["value"]), kOk;
  }
  return std::nullopt;
}

std::optional<Json> RestoreScript::RunCheckpointStep(const std::string& kind, const Json& step) {
  if (kind == "checkpoint") return MakeCheckpoint(step);
  if (kind == "save") return Save(step["checkpoint"]);
  if (kind == "restore" || kind == "read") return Restore(step, kind == "read");
  if (kind == "restore_by_name") return RestoreByName(step);
  for (const char* writes : {"write", "save_names", "save_graph", "saver", "saved_model"}) {
    if (kind == writes) return kOk;  // the files are there
  }
  return std::nullopt;
}

std::optional<Json> RestoreScript::RunQuestion(const std::string& kind, const Json& step) {
  if (kind == "assert_consumed") return Ask(step, kind, &RestoreStatus::AssertConsumed);
  if (kind == "assert_existing_objects_matched") {
    return Ask(step, kind, &RestoreStatus::AssertExistingObjectsMatched);
  }
  if (kind == "assert_nontrivial_match") return Ask(step, kind, &RestoreStatus::AssertNontrivialMatch);
  if (kind == "expect_partial") return statuses_.at(step[kind])->ExpectPartial(), kOk;
  if (kind == "initialize_or_restore") {
    return Outcome(step, statuses_.at(step[kind])->InitializeOrRestore());
  }
  if (kind == "children") return Children(step[kind]);
  if (kind == "log") return Json(kinds_.TakeLog());
  if (kind == "slot") return Slot(step, step[kind]);
  if (kind == "value") return ScriptObjects::ValueOf(*Object(step[kind]));
  if (kind == "save_counter") {
    const auto& counter = CheckpointCalled(step[kind]).save_counter();
    return counter ? ScriptObjects::ValueOf(*counter) : Json();
  }
  return std::nullopt;
}

// ---- Objects

std::shared_ptr<Trackable> RestoreScript::Object(const Json& name) const {
  const auto found = objects_.find(name.get<std::string>());
  if (found == objects_.end()) Fail("no object is called " + name.dump());
  return found->second;
}

Checkpoint& RestoreScript::CheckpointCalled(const Json& name) {
  const auto found = checkpoints_.find(name.get<std::string>());
  if (found == checkpoints_.end()) Fail("no checkpoint is called " + name.dump());
  return found->second;
}

Json RestoreScript::Make(const Json& step) {
  objects_[step["make"]] = kinds_.Make(step);
  return kOk;
}

Json RestoreScript::Chain(const Json& step) {
  const std::string name = step["name"];
  auto top = std::make_shared<Module>();
  std::shared_ptr<Module> last = top;
  for (int i = 1; i < step["length"].get<int>(); ++i) {
    auto below = std::make_shared<Module>();
    (void)last->Track(name, below);
    last = below;
  }
  (void)last->Track(name, Object(step["child"]));
  objects_[step["chain"]] = top;
  return kOk;
}

Json RestoreScript::Create(const Json& step) {
  auto& parent = static_cast<Module&>(*Object(step["parent"]));
  const Tensor initial = ValueOfStep(step);
  auto made = parent.AddVariable(step["name"].get<std::string>(), SpecOfStep(step),
                                 [initial]() -> StatusOr<Tensor> { return initial; });
  if (made.ok()) objects_[step["create"]] = *made;
  return Outcome(step, made.status());
}

// What a waiting restore fails with is told by its status here, and by the assignment in TensorFlow.
Json RestoreScript::Track(const Json& step) {
  const size_t errors = CountDeferredErrors();
  const std::shared_ptr<Trackable> parent = Object(step["track"]), child = Object(step["child"]);
  auto* list = dynamic_cast<List*>(parent.get());
  const Status status = list ? list->Append(child) : parent->Track(step["name"].get<std::string>(), child);
  return Outcome(step, CountDeferredErrors() > errors ? LastDeferredError() : status);
}

Json RestoreScript::EditList(const Json& step, bool insert) {
  auto& list = static_cast<List&>(*Object(step[insert ? "insert" : "remove"]));
  std::vector<std::shared_ptr<Trackable>> items;
  for (size_t i = 0; i < list.size(); ++i) items.push_back(list.at(i));
  const auto at = items.begin() + step["at"].get<ptrdiff_t>();
  if (insert) {
    items.insert(at, Object(step["child"]));
  } else {
    items.erase(at);
  }
  for (size_t i = list.size(); i-- > 0;) list.Untrack(std::to_string(i));
  for (const auto& item : items) (void)list.Append(item);
  return kOk;
}

Json RestoreScript::Drop(const std::string& name) {
  if (objects_.erase(name) == 0 && checkpoints_.erase(name) == 0 && statuses_.erase(name) == 0) {
    Fail("nothing is called " + name);
  }
  return kOk;
}

Json RestoreScript::Train(const Json& step) {
  auto& adam = static_cast<samples::Adam&>(*Object(step["train"]));
  std::vector<samples::Gradient> gradients;
  for (const Json& name : step["variables"]) {
    const auto variable = std::static_pointer_cast<Variable>(Object(name));
    const Shape shape = variable->Read()->shape();
    const std::vector<float> values(static_cast<size_t>(shape.num_elements()), step.value("gradient", 1.0f));
    gradients.push_back(
        {variable, *Tensor::FromBytes(DType::kFloat32, shape, std::as_bytes(std::span(values)))});
  }
  return Outcome(step, adam.Step(gradients));
}

// ---- Checkpoints

Json RestoreScript::MakeCheckpoint(const Json& step) {
  std::vector<NamedObject> objects;
  const Json named = step.value("objects", Json::object());
  for (const auto& [name, object] : named.items()) objects.push_back({name, Object(object)});
  auto made = step.contains("root") ? Checkpoint::Make(Object(step["root"]), std::move(objects))
                                    : Checkpoint::Make(std::move(objects));
  if (made.ok()) checkpoints_.insert_or_assign(step["checkpoint"].get<std::string>(), *std::move(made));
  return Outcome(step, made.status());
}

Json RestoreScript::Save(const std::string& name) {
  Checkpoint& checkpoint = CheckpointCalled(name);
  if (!checkpoint.save_counter()) (void)checkpoint.Restore(std::nullopt);  // makes it, and nothing else
  Variable& counter = *checkpoint.save_counter();
  ScriptObjects::SetValue(counter, ScriptObjects::ValueOf(counter).get<int64_t>() + 1);
  return kOk;
}

Json RestoreScript::Restore(const Json& step, bool read) {
  const Json& file = step[read ? "read" : "restore"];
  const std::string status = step.value("status", "");
  const std::string folder = step.contains("fixture") ? SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/" +
                                                            step["fixture"].get<std::string>()
                                                      : folder_;
  const std::string path = file.is_null() ? "" : folder + "/" + file.get<std::string>();
  const RestoreOptions options{.skip_slot_variables = step.value("skip_slots", false),
                               .savers = &kinds_.savers()};
  Checkpoint& checkpoint = CheckpointCalled(step["checkpoint"]);
  StatusOr<RestoreStatus> result = file.is_null() ? checkpoint.Restore(std::nullopt, options)
                                   : read         ? checkpoint.Read(path, options)
                                                  : checkpoint.Restore(path, options);
  statuses_[status] = result.ok() ? std::optional(*result) : std::nullopt;
  return Outcome(step, result.status());
}

Json RestoreScript::RestoreByName(const Json& step) {
  std::map<std::string, std::string> names;  // stored to live
  std::vector<NamedObject> objects;
  const Json& variables = step["variables"];
  for (const auto& [stored, name] : variables.items()) {
    const auto variable = std::static_pointer_cast<Variable>(Object(name));
    if (variables.is_object()) names[stored] = variable->name();
    objects.push_back({"v" + std::to_string(objects.size()), variable});
  }
  StatusOr<Checkpoint> checkpoint = Checkpoint::Make(std::move(objects));
  StatusOr<NameMap> map = NameMap::StoredToLive(names);
  if (!checkpoint.ok() || !map.ok()) Fail("variables of one name: " + step.dump());
  const std::string path = folder_ + "/" + step["restore_by_name"].get<std::string>();
  return Outcome(step, checkpoint->Read(path, {.by = RestoreBy::kName, .names = *map}).status());
}

// ---- Questions

Json RestoreScript::Ask(const Json& step, const std::string& kind, Question question) {
  const auto found = statuses_.find(step[kind].get<std::string>());
  if (found == statuses_.end()) Fail("no status is called " + step[kind].dump());
  if (!found->second) return nullptr;
  const Status answer = ((*found->second).*question)();
  if (answer.ok()) return kOk;
  const std::string message(Message(answer));
  for (const Json& name : step.value("names", Json::array())) {
    if (message.find(name.get<std::string>()) == std::string::npos)
      complaints_.push_back(step.dump() + ": the message lacks " + name.dump() + ": " + message);
  }
  return "fails";
}

Json RestoreScript::Children(const std::string& name) {
  Json names = Json::array();
  if (const auto object = objects_.find(name); object != objects_.end()) {
    object->second->ForEachChild(
        [&](const std::string& child, const std::shared_ptr<Trackable>&) { names.push_back(child); },
        GraphView::kCheckpoint);
    return names;
  }
  const ObjectSnapshot now = CheckpointCalled(name).Objects();
  for (const Edge& edge : now.graph.node(kRootId).children) names.push_back(edge.name);
  return names;
}

Json RestoreScript::Slot(const Json& step, const std::string& optimizer_name) {
  const auto& optimizer = static_cast<const Optimizer&>(*Object(optimizer_name));
  const auto slot = optimizer.Slot(*Object(step["variable"]), step["slot_name"].get<std::string>());
  return slot ? ScriptObjects::ValueOf(*slot) : Json();
}

Json RestoreScript::Outcome(const Json& step, const Status& status) {
  if (step.contains("code") || step.contains("contains")) Complain(step, status);
  return status.ok() ? kOk : kError;
}

void RestoreScript::Complain(const Json& step, const Status& status) {
  const std::string code = absl::StatusCodeToString(status.code());
  if (step.contains("code") && step["code"].get<std::string>() != code)
    complaints_.push_back(step.dump() + ": the code is " + status.ToString());
  for (const Json& text : step.value("contains", Json::array())) {
    if (std::string(Message(status)).find(text.get<std::string>()) == std::string::npos)
      complaints_.push_back(step.dump() + ": the message lacks " + text.dump() + ": " + status.ToString());
  }
}

size_t RestoreScript::CountDeferredErrors() const {
  size_t count = 0;
  for (const auto& [name, status] : statuses_) count += status ? status->deferred_errors().size() : 0;
  return count;
}

// Of any status: steps are asked one at a time.
Status RestoreScript::LastDeferredError() const {
  for (const auto& [name, status] : statuses_) {
    if (status && !status->deferred_errors().empty()) return status->deferred_errors().back();
  }
  return OkStatus();
}

}  // namespace savedmodel::testing
