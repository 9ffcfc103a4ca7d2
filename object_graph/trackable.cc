#include "savedmodel/object_graph/trackable.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/object_graph/internal/deferred_release.h"

namespace savedmodel {
namespace {

Status NullChild(std::string_view name) {
  return internal::Error(StatusCode::kInvalidArgument, "a child cannot be null").Path(QuoteComponent(name));
}

}  // namespace

struct Trackable::NameIndex {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> positions;
};

Trackable::Trackable() = default;

Trackable::~Trackable() {
  for (Link& link : links_) internal::DeferredRelease(std::move(link.owned));
}

void Trackable::IndexLinks() {
  constexpr size_t kFewLinks = 16;  // below that a scan is as fast
  if (links_.size() <= kFewLinks) return;
  if (!index_) index_ = std::make_unique<NameIndex>();
  for (size_t i = index_->positions.size(); i < links_.size(); ++i) index_->positions.emplace(links_[i].name, i);
}

const Trackable::Link* Trackable::FindLink(std::string_view name) const {
  if (index_) {
    auto it = index_->positions.find(name);
    return it == index_->positions.end() ? nullptr : &links_[it->second];
  }
  auto it = std::find_if(links_.begin(), links_.end(), [&](const Link& link) { return link.name == name; });
  return it == links_.end() ? nullptr : &*it;
}

Trackable::Link& Trackable::LinkFor(std::string_view name) {
  if (const Link* link = FindLink(name)) return links_[static_cast<size_t>(link - links_.data())];
  links_.push_back({std::string(name), nullptr, {}});
  IndexLinks();
  return links_.back();
}

Status Trackable::Track(std::string_view name, std::shared_ptr<Trackable> child) {
  if (!child) return NullChild(name);
  Link& link = LinkFor(name);
  link.back.reset();
  internal::DeferredRelease(std::exchange(link.owned, std::move(child)));
  return OkStatus();
}

Status Trackable::TrackBack(std::string_view name, const std::shared_ptr<Trackable>& child) {
  if (!child) return NullChild(name);
  Link& link = LinkFor(name);
  link.back = child;
  internal::DeferredRelease(std::exchange(link.owned, nullptr));
  return OkStatus();
}

bool Trackable::Untrack(std::string_view name) {
  const Link* link = FindLink(name);
  if (!link) return false;
  const auto position = link - links_.data();
  std::shared_ptr<Trackable> owned = std::move(links_[static_cast<size_t>(position)].owned);
  links_.erase(links_.begin() + position);
  index_.reset();  // positions have moved
  IndexLinks();
  internal::DeferredRelease(std::move(owned));
  return true;
}

std::shared_ptr<Trackable> Trackable::Child(std::string_view name) const {
  const Link* link = FindLink(name);
  return link ? link->Get() : nullptr;
}

void Trackable::ForEachChild(
    const std::function<void(const std::string&, const std::shared_ptr<Trackable>&)>& visit) const {
  for (const Link& link : links_) {
    if (std::shared_ptr<Trackable> child = link.Get()) visit(link.name, child);
  }
}

StatusOr<std::shared_ptr<Trackable>> FindObject(const std::shared_ptr<Trackable>& root, const NodePath& path) {
  if (!root) return internal::Error(StatusCode::kInvalidArgument, "the root object is null");
  std::shared_ptr<Trackable> object = root;
  NodePath reached;
  for (const std::string& name : path.components()) {
    std::shared_ptr<Trackable> child = object->Child(name);
    if (!child) {
      std::vector<std::string> names;
      object->ForEachChild([&](const std::string& n, const std::shared_ptr<Trackable>&) { names.push_back(n); });
      const std::vector<std::string_view> views(names.begin(), names.end());
      return internal::Error(StatusCode::kNotFound, "no object at " + reached.Child(name).ToString())
          .Path(path.ToString())
          .Hint(internal::DidYouMean(name, views));
    }
    object = std::move(child);
    reached = reached.Child(name);
  }
  return object;
}

}  // namespace savedmodel
