// Runs restore scripts with the library: the same lists of steps that real TensorFlow runs (tests/cases/README.md, "Rows
// with `steps`").
//
//   RestoreScript script("tests/fixtures/restore/T01_a_single_variable");
//   nlohmann::json outcome = script.Run({{"restore", "file"}, {"checkpoint", "c"}, {"status", "s"}});
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "savedmodel/checkpoint/checkpoint.h"
#include "savedmodel/tests/checkpoint/restore_script_objects.h"

namespace savedmodel::testing {

class RestoreScript {
 public:
  // `folder` holds the checkpoints that the script's own steps would write.
  explicit RestoreScript(std::string folder) : folder_(std::move(folder)) {}

  // The outcome of one step. A step that is no step throws std::runtime_error.
  nlohmann::json Run(const nlohmann::json& step);
  // What steps said otherwise than they had to: codes and texts of errors.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  using Json = nlohmann::json;
  using Question = Status (RestoreStatus::*)() const;

  std::optional<Json> RunObjectStep(const std::string& kind, const Json& step);
  std::optional<Json> RunCheckpointStep(const std::string& kind, const Json& step);
  std::optional<Json> RunQuestion(const std::string& kind, const Json& step);

  Json Make(const Json& step);
  Json Chain(const Json& step);
  Json Create(const Json& step);
  Json Track(const Json& step);
  Json EditList(const Json& step, bool insert);
  Json Drop(const std::string& name);
  Json Train(const Json& step);
  Json MakeCheckpoint(const Json& step);
  Json Save(const std::string& checkpoint);
  Json Restore(const Json& step, bool read);
  Json RestoreByName(const Json& step);
  Json Ask(const Json& step, const std::string& kind, Question question);
  Json Children(const std::string& name);
  Json Slot(const Json& step, const std::string& optimizer);

  // "ok" or "error"; an error is compared with what the step says of it.
  Json Outcome(const Json& step, const Status& status);
  void Complain(const Json& step, const Status& status);
  size_t CountDeferredErrors() const;
  Status LastDeferredError() const;

  std::shared_ptr<Trackable> Object(const Json& name) const;
  Checkpoint& CheckpointCalled(const Json& name);

  const std::string folder_;
  ScriptObjects kinds_;
  std::map<std::string, std::shared_ptr<Trackable>> objects_;
  std::map<std::string, Checkpoint> checkpoints_;
  std::map<std::string, std::optional<RestoreStatus>> statuses_;  // nothing: its restore failed
  std::vector<std::string> complaints_;
};

}  // namespace savedmodel::testing
