#include "savedmodel/checkpoint/saver_objects.h"

#include <algorithm>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"

namespace savedmodel {

using internal::Error;

StatusOr<bool> SaverObjects::Add(const Node& stored, const std::shared_ptr<Trackable>& object) {
  if (stored.registered_saver.empty()) {
    const RegisteredSaver* saver = savers_ && !stored.attributes.empty() ? savers_->For(*object) : nullptr;
    if (!saver) return false;
    return Add(saver, stored.attributes[0].checkpoint_key, object);
  }
  const RegisteredSaver* saver = savers_ ? savers_->Find(stored.registered_saver) : nullptr;
  if (!saver) {
    return Error(StatusCode::kNotFound, "the options have no saver " + stored.registered_saver);
  }
  if (saver->handles(*object)) {
    return Add(saver, stored.registered_saver_object, object);
  } else if (saver->strict) {
    return Error(StatusCode::kInvalidArgument, "the registered saver does not handle the object")
        .Expected("an object of " + saver->name);
  }
  return true;
}

StatusOr<bool> SaverObjects::Add(const RegisteredSaver* saver, const std::string& name,
                                 const std::shared_ptr<Trackable>& object) {
  auto call = std::ranges::find(calls_, saver, &Call::saver);
  if (call == calls_.end()) call = calls_.insert(calls_.end(), {.saver = saver});
  if (call->objects.emplace(name, object).second) return true;
  return Error(StatusCode::kDataLoss, "two objects of one saver have one name").Found(name);
}

Status SaverObjects::Run(const BundleReader& reader) const {
  const std::string_view prefix = PrefixOfFileName(reader.index_name());
  for (const Call& call : calls_) {
    Status status = call.saver->restore({.objects = call.objects, .prefix = prefix, .reader = reader});
    if (!status.ok()) return internal::WithHint(status, "the saver " + call.saver->name + " failed");
  }
  return OkStatus();
}

}  // namespace savedmodel
