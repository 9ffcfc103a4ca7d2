// Savers of a program's own: objects whose values it writes and reads by code of its own, beside the checkpoint's
// tensors.
//
//   SaverRegistry savers;
//   Status status = savers.Register({.name = "Custom.embedding",
//       .handles = [](const Trackable& o) { return dynamic_cast<const Embedding*>(&o) != nullptr; },
//       .restore = [](const SaverRestore& call) { return ReadEmbeddings(call.objects, call.prefix); }});
//   auto restored = checkpoint.Restore("ckpt-1", {.savers = &savers});
//
// A value that a call is given in its options; there is no registry of the process. The names are TensorFlow's
// "<package>.<name>", as the checkpoint's object graph records them.
// Thread-safety: const methods may run concurrently.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// What a restore function is given: its objects by the name that they were saved under, and where their bytes are.
struct SaverRestore {
  const std::map<std::string, std::shared_ptr<Trackable>>& objects;
  std::string_view prefix;     // of the checkpoint
  const BundleReader& reader;  // of the same files
};

struct RegisteredSaver {
  std::string name = {};
  std::function<bool(const Trackable&)> handles = {};
  // Runs after all other objects of the restore have their values, once for all of its objects, and again for those that
  // come later. Its error becomes the restore's, and what the default restore gave stays given.
  std::function<Status(const SaverRestore&)> restore = {};
  // A stored object of this saver that `handles` does not accept: an error, or (false) left as it is.
  bool strict = true;
};

// Registering more savers leaves pointers to those that are there valid.
class SaverRegistry {
 public:
  // Errors: InvalidArgument (a name with other characters than [A-Za-z0-9._-], a missing function), AlreadyExists.
  Status Register(RegisteredSaver saver);
  // Null when there is none.
  const RegisteredSaver* Find(std::string_view name) const;
  // The last registered that handles `object`; null when none does.
  const RegisteredSaver* For(const Trackable& object) const;

 private:
  std::deque<RegisteredSaver> savers_;
};

}  // namespace savedmodel
