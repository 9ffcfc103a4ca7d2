// The objects of a restore script, as classes that a program could write: tests/cases/README.md, "Rows with `steps`".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/saver_registry.h"
#include "savedmodel/object_graph/trackable.h"
#include "savedmodel/tests/restore_script/json_tensor.h"

namespace savedmodel::testing {

// What restoring called, in order.
using EventLog = std::vector<std::string>;

// The object of a {"make": ...} step. It tells `log`, which must outlive it. Throws when the script is at fault.
std::shared_ptr<Trackable> MakeObject(const Json& step, EventLog* log);

// What an object holds, and another value for it or for parts of it.
StatusOr<Json> GetValue(const Trackable& object);
Status SetValue(Trackable& object, const Json& value);

// One step of an optimizer with that gradient for every element.
Status Train(Trackable& optimizer, const std::vector<std::shared_ptr<Trackable>>& variables, float gradient);

// For a `registered` object: its saver, which reads "<object name>/value".
RegisteredSaver MakeSaver(const std::string& name, bool strict, EventLog* log);
std::string SaverName(const std::string& name);

}  // namespace savedmodel::testing
