// The result of a load: live objects by path, and a report of what was read and what was not.
//
//   StatusOr<LoadedModel> model = Load("m");
//   auto kernel = *model->Get<Variable>("root.dense.kernel");
//   for (const LoadedVariable& v : model->report().variables) ...
//
// Lifetime: objects outlive the model; an object keeps alive what is below it. The object graph frees itself, cycles and
// all. Thread-safety: const methods may run concurrently; the objects follow their own rules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/trackable.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {

struct LoadedVariable {
  std::string path;  // a slot variable's is <optimizer path>.slots.<slot name>.<variable path without root>
  std::string key;   // of its value in the checkpoint; empty without one
  std::shared_ptr<Variable> variable;
  uint64_t bytes = 0;  // stored
  bool restored = false;
  bool bound = false;  // the caller's object
  bool slot = false;   // an optimizer's state
};

struct SkippedNode {
  std::string path;
  std::string why;
};

struct LoadReport {
  uint64_t nodes = 0;                     // objects made or bound
  std::vector<LoadedVariable> variables;  // by node id
  uint64_t bytes_read = 0;      // of the values' entries, passes that only compare checksums included
  uint64_t bytes_selected = 0;  // stored size of the values restored
  std::vector<std::string> unmatched_objects;  // variables that got no value
  // Keys of selected objects that hold no variable's value: not restored.
  std::vector<std::string> other_attributes;
  // Tensors of the checkpoint that were not asked for. Nothing where no value was wanted: it stayed closed.
  std::optional<size_t> unused_keys = {};
  std::vector<SkippedNode> not_revived;  // nodes kept as they are: functions, captured tensors
};

class LoadedModel {
 public:
  // The model's root; of a partial load a new object that holds what was asked for under its path.
  const std::shared_ptr<Trackable>& root() const { return root_; }
  // By the strings of the selection, as they were given; a pattern gives one entry per node it matched, by path.
  const std::map<std::string, std::shared_ptr<Trackable>>& objects() const { return objects_; }

  // The object loaded at `path`: any node of the selection, a slot variable by its path too.
  // Errors: NotFound (no such node, or not selected), InvalidArgument (malformed path; a kind that is no T).
  template <class T>
  StatusOr<std::shared_ptr<T>> Get(const NodePath& path) const {
    StatusOr<std::shared_ptr<Trackable>> object = Object(path);
    if (!object.ok()) return object.status();
    if (auto typed = std::dynamic_pointer_cast<T>(*object)) return typed;
    return WrongType(path, **object);
  }
  template <class T>
  StatusOr<std::shared_ptr<T>> Get(std::string_view path) const {
    StatusOr<NodePath> parsed = NodePath::Parse(path);
    if (!parsed.ok()) return parsed.status();
    return Get<T>(*parsed);
  }

  const LoadReport& report() const { return report_; }
  const std::string& tensorflow_version() const { return tensorflow_version_; }
  const std::string& tensorflow_git_version() const { return tensorflow_git_version_; }

 private:
  friend class Loader;
  StatusOr<std::shared_ptr<Trackable>> Object(const NodePath& path) const;
  static Status WrongType(const NodePath& path, const Trackable& object);

  std::shared_ptr<const ObjectGraph> graph_;
  std::vector<std::shared_ptr<Trackable>> by_id_;  // null for nodes that were not selected
  std::shared_ptr<Trackable> root_;
  std::map<std::string, std::shared_ptr<Trackable>> objects_;
  LoadReport report_;
  std::string tensorflow_version_;
  std::string tensorflow_git_version_;
};

}  // namespace savedmodel
