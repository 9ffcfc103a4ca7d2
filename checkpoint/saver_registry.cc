#include "savedmodel/checkpoint/saver_registry.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"

namespace savedmodel {
namespace {

bool IsName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace

Status SaverRegistry::Register(RegisteredSaver saver) {
  if (!IsName(saver.name)) {
    return internal::Error(StatusCode::kInvalidArgument, "a saver's name has letters, digits and ._- only")
        .Found(saver.name);
  }
  if (!saver.handles || !saver.restore) {
    return internal::Error(StatusCode::kInvalidArgument, "a saver needs both of its functions")
        .Found(saver.name);
  }
  if (Find(saver.name)) {
    return internal::Error(StatusCode::kAlreadyExists, "a saver of that name is registered")
        .Found(saver.name);
  }
  savers_.push_back(std::move(saver));
  return OkStatus();
}

const RegisteredSaver* SaverRegistry::Find(std::string_view name) const {
  const auto found = std::ranges::find(savers_, name, &RegisteredSaver::name);
  return found == savers_.end() ? nullptr : &*found;
}

const RegisteredSaver* SaverRegistry::For(const Trackable& object) const {
  const auto found = std::find_if(savers_.rbegin(), savers_.rend(),
                                  [&](const RegisteredSaver& saver) { return saver.handles(object); });
  return found == savers_.rend() ? nullptr : &*found;
}

}  // namespace savedmodel
