#include "savedmodel/checkpoint/saver_objects.h"

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"

namespace savedmodel {

using internal::Error;

StatusOr<bool> SaverObjects::Add(const Node& stored, const std::shared_ptr<Trackable>& object) {
  if (stored.registered_saver.empty()) {
    const RegisteredSaver* saver = savers_ && !stored.attributes.empty() ? savers_->For(*object) : nullptr;
    if (saver) objects_[saver->name].emplace(stored.attributes[0].checkpoint_key, object);
    return saver != nullptr;
  }
  const RegisteredSaver* saver = savers_ ? savers_->Find(stored.registered_saver) : nullptr;
  if (!saver) {
    return Error(StatusCode::kNotFound, "the options have no saver " + stored.registered_saver);
  }
  if (saver->handles(*object)) {
    objects_[saver->name].emplace(stored.registered_saver_object, object);
  } else if (saver->strict) {
    return Error(StatusCode::kInvalidArgument, "the registered saver does not handle the object")
        .Expected("an object of " + saver->name);
  }
  return true;
}

Status SaverObjects::Run(const BundleReader& reader) const {
  if (objects_.empty()) return OkStatus();
  const std::string_view prefix = PrefixOfFileName(reader.index_name());
  for (const RegisteredSaver& saver : savers_->savers()) {
    const auto own = objects_.find(saver.name);
    if (own == objects_.end()) continue;
    Status status = saver.restore({.objects = own->second, .prefix = prefix, .reader = reader});
    if (!status.ok()) return internal::WithHint(status, "the saver " + saver.name + " failed");
  }
  return OkStatus();
}

}  // namespace savedmodel
