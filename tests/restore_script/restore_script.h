// Runs restore scripts against the library: tests/cases/README.md, "Rows with `steps`".
//
//   RestoreScript script(folder_with_the_checkpoints);
//   for (const Json& step : steps) Compare(script.Run(step).answer, ...);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/checkpoint/saver_registry.h"
#include "savedmodel/tests/restore_script/json_tensor.h"
#include "savedmodel/tests/restore_script/script_objects.h"

namespace savedmodel::testing {

class RestoreScript {
 public:
  struct Outcome {
    Json answer = {};
    Status status = {};  // what an action or an assertion said
  };

  // `folder` holds what the script's saves wrote.
  explicit RestoreScript(std::string folder) : folder_(std::move(folder)) {}
  RestoreScript(const RestoreScript&) = delete;
  RestoreScript& operator=(const RestoreScript&) = delete;
  ~RestoreScript();

  // Throws std::exception when the script is at fault.
  Outcome Run(const Json& step);

 private:
  using Handler = Outcome (RestoreScript::*)(const Json& step);
  struct NamedCheckpoint {
    Checkpoint checkpoint;
    std::optional<std::vector<std::string>> beside = {};  // names of what is beside a root that was given
  };

  static const std::map<std::string_view, Handler>& Handlers();
  static Outcome Action(Status status) { return {status.ok() ? "ok" : "error", status}; }
  static Outcome Answer(const StatusOr<Json>& value);

  // Steps, by their first keys.
  Outcome Make(const Json& step);
  Outcome Chain(const Json& step);
  Outcome Create(const Json& step);
  Outcome Track(const Json& step);
  Outcome Untrack(const Json& step);
  Outcome Insert(const Json& step);
  Outcome Remove(const Json& step);
  Outcome Drop(const Json& step);
  Outcome Assign(const Json& step);
  Outcome AssignSlot(const Json& step);
  Outcome Train(const Json& step);
  Outcome MakeCheckpoint(const Json& step);
  Outcome Save(const Json& step);
  Outcome Nothing(const Json&) { return Action(OkStatus()); }
  Outcome Restore(const Json& step);
  Outcome Read(const Json& step);
  Outcome RestoreByName(const Json& step);
  Outcome AssertConsumed(const Json& step);
  Outcome AssertExistingObjectsMatched(const Json& step);
  Outcome AssertNontrivialMatch(const Json& step);
  Outcome ExpectPartial(const Json& step);
  Outcome InitializeOrRestore(const Json& step);
  Outcome Value(const Json& step);
  Outcome Slot(const Json& step);
  Outcome SaveCounter(const Json& step);
  Outcome Children(const Json& step);
  Outcome Log(const Json& step);

  // What a name stands for.
  std::shared_ptr<Trackable> Object(const Json& name) const;
  template <class T>
  std::shared_ptr<T> ObjectAs(const Json& name) const;
  NamedCheckpoint& FindCheckpoint(const Json& name);
  void Remember(const std::string& name, std::shared_ptr<Trackable> object);
  std::shared_ptr<Variable> FindSlot(const Json& optimizer, const Json& step) const;
  std::string Path(const Json& step, const std::string& file) const;

  Status MakeSaveCounter(Checkpoint& checkpoint);
  RestoreOptions Options(const Json& step) const;
  Outcome Keep(const Json& step, StatusOr<RestoreStatus> status);
  Outcome Assertion(const Json& name, Status (RestoreStatus::*ask)() const);
  std::vector<Status> DeferredErrors() const;

  const std::string folder_;
  EventLog log_;
  SaverRegistry savers_;
  std::vector<std::weak_ptr<Trackable>> made_;
  std::map<std::string, std::shared_ptr<Trackable>> objects_;
  std::map<std::string, NamedCheckpoint> checkpoints_;
  std::map<std::string, std::optional<RestoreStatus>> statuses_;  // nothing: the restore failed
};

// The outcomes of a whole script.
Json RunScript(const Json& steps, const std::string& folder);

}  // namespace savedmodel::testing
