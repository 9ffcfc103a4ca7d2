// Those objects of one restore that savers of the program's own read, and the call of those savers.
//
// The loader and the restore of live objects both ask this of every pair of nodes they match.
// Thread-safety: outside locking. Lifetime: borrows the registry, keeps the objects alive.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/saver_registry.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

class SaverObjects {
 public:
  // Null: there are no savers.
  explicit SaverObjects(const SaverRegistry* savers) : savers_(savers) {}

  // True when a saver is to restore `object`, or to leave it as it is, which `stored` was matched with: because the
  // checkpoint names the saver, or the object has one now and the checkpoint has values for it.
  // Errors: NotFound (a recorded saver is not registered), InvalidArgument (it is strict and does not handle the
  // object), DataLoss (the checkpoint has two objects of one name for a saver).
  StatusOr<bool> Add(const Node& stored, const std::shared_ptr<Trackable>& object);
  bool empty() const { return calls_.empty(); }
  // Calls every saver with its objects, in the order in which its first object was added. The first error ends it.
  Status Run(const BundleReader& reader) const;

 private:
  struct Call {
    const RegisteredSaver* saver = nullptr;
    std::map<std::string, std::shared_ptr<Trackable>> objects = {};  // by stored name
  };
  StatusOr<bool> Add(const RegisteredSaver* saver, const std::string& name,
                     const std::shared_ptr<Trackable>& object);

  const SaverRegistry* savers_;
  std::vector<Call> calls_;
};

}  // namespace savedmodel
