#include "savedmodel/tests/restore_script/restore_script.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/name_map.h"
#include "savedmodel/object_graph/containers.h"
#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/optimizer.h"

namespace savedmodel::testing {
namespace {

[[noreturn]] void Fail(const std::string& what, const Json& about) {
  throw std::runtime_error(what + ": " + about.dump());
}

std::vector<std::string> NamesOf(const Trackable& object) {
  std::vector<std::string> names;
  object.ForEachChild(
      [&](const std::string& name, const std::shared_ptr<Trackable>&) { names.push_back(name); });
  return names;
}

}  // namespace

// Scripts make circles of objects, which here would own each other for ever.
RestoreScript::~RestoreScript() {
  for (const std::weak_ptr<Trackable>& made : made_) {
    const std::shared_ptr<Trackable> object = made.lock();
    if (!object) continue;
    for (const std::string& name : NamesOf(*object)) object->Untrack(name);
  }
}

const std::map<std::string_view, RestoreScript::Handler>& RestoreScript::Handlers() {
  using Script = RestoreScript;
  static const std::map<std::string_view, Handler> handlers = {
      {"make", &Script::Make},
      {"chain", &Script::Chain},
      {"create", &Script::Create},
      {"track", &Script::Track},
      {"untrack", &Script::Untrack},
      {"insert", &Script::Insert},
      {"remove", &Script::Remove},
      {"drop", &Script::Drop},
      {"assign", &Script::Assign},
      {"assign_slot", &Script::AssignSlot},
      {"train", &Script::Train},
      {"checkpoint", &Script::MakeCheckpoint},
      {"save", &Script::Save},
      {"write", &Script::Nothing},
      {"save_names", &Script::Nothing},
      {"save_graph", &Script::Nothing},
      {"saver", &Script::Nothing},
      {"saved_model", &Script::Nothing},
      {"restore", &Script::Restore},
      {"read", &Script::Read},
      {"restore_by_name", &Script::RestoreByName},
      {"assert_consumed", &Script::AssertConsumed},
      {"assert_existing_objects_matched", &Script::AssertExistingObjectsMatched},
      {"assert_nontrivial_match", &Script::AssertNontrivialMatch},
      {"expect_partial", &Script::ExpectPartial},
      {"initialize_or_restore", &Script::InitializeOrRestore},
      {"value", &Script::Value},
      {"slot", &Script::Slot},
      {"save_counter", &Script::SaveCounter},
      {"children", &Script::Children},
      {"log", &Script::Log},
  };
  return handlers;
}

RestoreScript::Outcome RestoreScript::Run(const Json& step) {
  const std::string kind = step.begin().key();
  const auto handler = Handlers().find(kind);
  if (handler == Handlers().end()) Fail("no such step", step);
  const size_t errors_before = DeferredErrors().size();
  Outcome outcome = (this->*handler->second)(step);
  // What TensorFlow says where an object is attached, the statuses of restores that waited say.
  const std::vector<Status> errors = DeferredErrors();
  if (outcome.status.ok() && outcome.answer == "ok" && errors.size() > errors_before)
    return Action(errors.back());
  return outcome;
}

std::vector<Status> RestoreScript::DeferredErrors() const {
  std::vector<Status> errors;
  for (const auto& [name, status] : statuses_) {
    if (!status) continue;
    for (Status& error : status->deferred_errors()) errors.push_back(std::move(error));
  }
  return errors;
}

RestoreScript::Outcome RestoreScript::Answer(const StatusOr<Json>& value) {
  if (!value.ok()) return Action(value.status());
  return {*value, OkStatus()};
}

// ---- Names

std::shared_ptr<Trackable> RestoreScript::Object(const Json& name) const {
  const auto found = objects_.find(name.get<std::string>());
  if (found == objects_.end()) Fail("no object is called", name);
  return found->second;
}

template <class T>
std::shared_ptr<T> RestoreScript::ObjectAs(const Json& name) const {
  auto object = std::dynamic_pointer_cast<T>(Object(name));
  if (!object) Fail("an object of another kind", name);
  return object;
}

RestoreScript::NamedCheckpoint& RestoreScript::FindCheckpoint(const Json& name) {
  const auto found = checkpoints_.find(name.get<std::string>());
  if (found == checkpoints_.end()) Fail("no checkpoint is called", name);
  return found->second;
}

void RestoreScript::Remember(const std::string& name, std::shared_ptr<Trackable> object) {
  made_.push_back(object);
  objects_[name] = std::move(object);
}

std::string RestoreScript::Path(const Json& step, const std::string& file) const {
  if (!step.contains("fixture")) return folder_ + "/" + file;
  return SAVEDMODEL_SOURCE_DIR "/tests/fixtures/data/" + step.at("fixture").get<std::string>() + "/" + file;
}

// ---- Objects

RestoreScript::Outcome RestoreScript::Make(const Json& step) {
  Remember(step.at("make"), MakeObject(step, &log_));
  if (step.at("as") != "registered") return Action(OkStatus());
  const std::string saver = step.at("saver");
  if (!savers_.Find(SaverName(saver)))
    return Action(savers_.Register(MakeSaver(saver, step.value("strict", true), &log_)));
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::Chain(const Json& step) {
  const std::string edge = step.at("name");
  std::shared_ptr<Trackable> last = std::make_shared<Module>();
  Remember(step.at("chain"), last);
  for (int i = 1; i < step.at("length").get<int>(); ++i) {
    const auto below = std::make_shared<Module>();
    made_.push_back(below);
    if (Status status = last->Track(edge, below); !status.ok()) return Action(status);
    last = below;
  }
  return Action(last->Track(edge, Object(step.at("child"))));
}

RestoreScript::Outcome RestoreScript::Create(const Json& step) {
  const Tensor value = TensorFromJson(step.at("value"), *DTypeFromName(step.value("dtype", "float32")));
  auto variable = ObjectAs<Module>(step.at("parent"))
                      ->AddVariable(step.at("name").get<std::string>(), {value.dtype(), value.shape()},
                                    [value] { return StatusOr<Tensor>(value); });
  if (!variable.ok()) return Action(variable.status());
  Remember(step.at("create"), *std::move(variable));
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::Track(const Json& step) {
  const std::shared_ptr<Trackable> parent = Object(step.at("track")), child = Object(step.at("child"));
  if (const auto list = std::dynamic_pointer_cast<List>(parent)) return Action(list->Append(child));
  return Action(parent->Track(step.at("name").get<std::string>(), child));
}

RestoreScript::Outcome RestoreScript::Untrack(const Json& step) {
  const bool was_there = Object(step.at("untrack"))->Untrack(step.at("name").get<std::string>());
  return Action(was_there ? OkStatus() : Status(StatusCode::kNotFound, "no such child"));
}

RestoreScript::Outcome RestoreScript::Insert(const Json& step) {
  const auto list = ObjectAs<List>(step.at("insert"));
  const size_t at = step.at("at");
  std::shared_ptr<Trackable> moved = Object(step.at("child"));
  for (size_t i = at, size = list->size(); i < size; ++i) {
    std::shared_ptr<Trackable> next = list->at(i);
    if (Status status = list->Track(std::to_string(i), moved); !status.ok()) return Action(status);
    moved = std::move(next);
  }
  return Action(list->Append(moved));
}

RestoreScript::Outcome RestoreScript::Remove(const Json& step) {
  const auto list = ObjectAs<List>(step.at("remove"));
  const size_t last = list->size() - 1;
  for (size_t i = step.at("at"); i < last; ++i) {
    if (Status status = list->Track(std::to_string(i), list->at(i + 1)); !status.ok()) return Action(status);
  }
  list->Untrack(std::to_string(last));
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::Drop(const Json& step) {
  const std::string name = step.at("drop");
  if (objects_.erase(name) + checkpoints_.erase(name) + statuses_.erase(name) == 0)
    Fail("nothing is called", name);
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::Assign(const Json& step) {
  return Action(SetValue(*Object(step.at("assign")), step.at("value")));
}

std::shared_ptr<Variable> RestoreScript::FindSlot(const Json& optimizer, const Json& step) const {
  return ObjectAs<Optimizer>(optimizer)->Slot(*Object(step.at("variable")),
                                              step.at("slot_name").get<std::string>());
}

RestoreScript::Outcome RestoreScript::AssignSlot(const Json& step) {
  const std::shared_ptr<Variable> slot = FindSlot(step.at("assign_slot"), step);
  return Action(slot ? SetValue(*slot, step.at("value")) : Status(StatusCode::kNotFound, "no such slot"));
}

RestoreScript::Outcome RestoreScript::Train(const Json& step) {
  std::vector<std::shared_ptr<Trackable>> variables;
  for (const Json& name : step.at("variables")) variables.push_back(Object(name));
  return Action(testing::Train(*Object(step.at("train")), variables, step.value("gradient", 1.0f)));
}

// ---- Checkpoints

RestoreScript::Outcome RestoreScript::MakeCheckpoint(const Json& step) {
  std::vector<NamedObject> objects;
  const Json named = step.value("objects", Json::object());
  for (const auto& [name, object] : named.items()) objects.push_back({name, Object(object)});
  const bool has_root = step.contains("root");
  StatusOr<Checkpoint> made =
      has_root ? Checkpoint::Make(Object(step.at("root")), objects) : Checkpoint::Make(objects);
  if (!made.ok()) return Action(made.status());
  NamedCheckpoint checkpoint{*std::move(made)};
  if (has_root) {
    checkpoint.beside = {"root"};
    for (const NamedObject& one : objects) checkpoint.beside->push_back(one.name);
    std::sort(checkpoint.beside->begin(), checkpoint.beside->end());
  }
  checkpoints_.insert_or_assign(step.at("checkpoint").get<std::string>(), std::move(checkpoint));
  return Action(OkStatus());
}

Status RestoreScript::MakeSaveCounter(Checkpoint& checkpoint) {
  return checkpoint.save_counter() ? OkStatus() : checkpoint.Restore(std::nullopt).status();
}

// The file is there already; the counter goes on.
RestoreScript::Outcome RestoreScript::Save(const Json& step) {
  Checkpoint& checkpoint = FindCheckpoint(step.at("checkpoint")).checkpoint;
  if (Status status = MakeSaveCounter(checkpoint); !status.ok()) return Action(status);
  const StatusOr<Json> number = GetValue(*checkpoint.save_counter());
  if (!number.ok()) return Action(number.status());
  return Action(SetValue(*checkpoint.save_counter(), number->get<int64_t>() + 1));
}

RestoreOptions RestoreScript::Options(const Json& step) const {
  RestoreOptions options;
  options.skip_slot_variables = step.value("skip_slots", false);
  options.savers = &savers_;
  return options;
}

RestoreScript::Outcome RestoreScript::Keep(const Json& step, StatusOr<RestoreStatus> status) {
  std::optional<RestoreStatus>& kept = statuses_[step.value("status", "")];
  kept.reset();
  if (!status.ok()) return Action(status.status());
  kept = *std::move(status);
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::Restore(const Json& step) {
  Checkpoint& checkpoint = FindCheckpoint(step.at("checkpoint")).checkpoint;
  if (step.at("restore").is_null()) return Keep(step, checkpoint.Restore(std::nullopt, Options(step)));
  return Keep(step, checkpoint.Restore(Path(step, step.at("restore")), Options(step)));
}

RestoreScript::Outcome RestoreScript::Read(const Json& step) {
  Checkpoint& checkpoint = FindCheckpoint(step.at("checkpoint")).checkpoint;
  if (step.at("read").is_null()) return Keep(step, checkpoint.Read(std::nullopt, Options(step)));
  return Keep(step, checkpoint.Read(Path(step, step.at("read")), Options(step)));
}

RestoreScript::Outcome RestoreScript::RestoreByName(const Json& step) {
  std::vector<NamedObject> objects;
  std::map<std::string, std::string> names;
  for (const auto& [stored, name] : step.at("variables").items()) {
    const auto variable = ObjectAs<Variable>(name);
    objects.push_back({std::to_string(objects.size()), variable});
    if (step.at("variables").is_object()) names[stored] = variable->name();
  }
  RestoreOptions options = Options(step);
  options.by = RestoreBy::kName;
  StatusOr<NameMap> map = NameMap::StoredToLive(names);
  if (!map.ok()) return Action(map.status());
  options.names = *std::move(map);
  StatusOr<Checkpoint> checkpoint = Checkpoint::Make(std::move(objects));
  if (!checkpoint.ok()) return Action(checkpoint.status());
  return Action(checkpoint->Read(Path(step, step.at("restore_by_name")), options).status());
}

// ---- Questions

RestoreScript::Outcome RestoreScript::Assertion(const Json& name, Status (RestoreStatus::*ask)() const) {
  const auto found = statuses_.find(name.get<std::string>());
  if (found == statuses_.end()) Fail("no status is called", name);
  if (!found->second) return {};
  const Status status = (*found->second.*ask)();
  return {status.ok() ? "ok" : "fails", status};
}

RestoreScript::Outcome RestoreScript::AssertConsumed(const Json& step) {
  return Assertion(step.at("assert_consumed"), &RestoreStatus::AssertConsumed);
}
RestoreScript::Outcome RestoreScript::AssertExistingObjectsMatched(const Json& step) {
  return Assertion(step.at("assert_existing_objects_matched"), &RestoreStatus::AssertExistingObjectsMatched);
}
RestoreScript::Outcome RestoreScript::AssertNontrivialMatch(const Json& step) {
  return Assertion(step.at("assert_nontrivial_match"), &RestoreStatus::AssertNontrivialMatch);
}

RestoreScript::Outcome RestoreScript::ExpectPartial(const Json& step) {
  statuses_.at(step.at("expect_partial")).value().ExpectPartial();
  return Action(OkStatus());
}

RestoreScript::Outcome RestoreScript::InitializeOrRestore(const Json& step) {
  return Action(statuses_.at(step.at("initialize_or_restore")).value().InitializeOrRestore());
}

RestoreScript::Outcome RestoreScript::Value(const Json& step) {
  return Answer(GetValue(*Object(step.at("value"))));
}

RestoreScript::Outcome RestoreScript::Slot(const Json& step) {
  const std::shared_ptr<Variable> slot = FindSlot(step.at("slot"), step);
  return slot ? Answer(GetValue(*slot)) : Outcome();
}

RestoreScript::Outcome RestoreScript::SaveCounter(const Json& step) {
  const auto& counter = FindCheckpoint(step.at("save_counter")).checkpoint.save_counter();
  return counter ? Answer(GetValue(*counter)) : Outcome();
}

RestoreScript::Outcome RestoreScript::Children(const Json& step) {
  const std::string name = step.at("children");
  if (const auto object = objects_.find(name); object != objects_.end())
    return {NamesOf(*object->second), OkStatus()};
  const NamedCheckpoint& named = FindCheckpoint(name);
  std::vector<std::string> names = NamesOf(*named.checkpoint.root());
  if (named.beside) {
    for (const std::string& one : *named.beside) {
      if (!named.checkpoint.root()->Child(one)) names.push_back(one);
    }
    if (named.checkpoint.save_counter()) names.emplace_back(Checkpoint::kSaveCounter);
  }
  return {names, OkStatus()};
}

RestoreScript::Outcome RestoreScript::Log(const Json&) { return {Json(std::exchange(log_, {})), OkStatus()}; }

Json RunScript(const Json& steps, const std::string& folder) {
  RestoreScript script(folder);
  Json outcomes = Json::array();
  for (const Json& step : steps) outcomes.push_back(script.Run(step).answer);
  return outcomes;
}

}  // namespace savedmodel::testing
