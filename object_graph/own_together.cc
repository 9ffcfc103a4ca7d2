#include "savedmodel/object_graph/own_together.h"

#include <utility>

#include "savedmodel/object_graph/internal/deferred_release.h"

namespace savedmodel {
namespace {

struct Group {
  std::vector<std::shared_ptr<Trackable>> members;
  ~Group() {
    for (std::shared_ptr<Trackable>& member : members) internal::DeferredRelease(std::move(member));
  }
};

}  // namespace

std::vector<std::shared_ptr<Trackable>> OwnTogether(std::vector<std::shared_ptr<Trackable>> members) {
  auto group = std::make_shared<Group>();
  group->members = std::move(members);
  std::vector<std::shared_ptr<Trackable>> handles;
  handles.reserve(group->members.size());
  for (const std::shared_ptr<Trackable>& member : group->members) handles.emplace_back(group, member.get());
  return handles;
}

}  // namespace savedmodel
