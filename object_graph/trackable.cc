#include "savedmodel/object_graph/trackable.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
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

struct Trackable::Listeners {
  struct Entry {
    std::weak_ptr<AttachListener> listener;
    int32_t token;
  };
  std::vector<Entry> entries;

  void DropExpired() {
    std::erase_if(entries, [](const Entry& entry) { return entry.listener.expired(); });
  }
};

Trackable::Trackable() = default;

Trackable::~Trackable() {
  for (Link& link : links_) internal::DeferredRelease(std::move(link.owned));
}

void Trackable::IndexLinks() {
  constexpr size_t kFewLinks = 16;  // below that a scan is as fast
  index_.reset();
  if (links_.size() <= kFewLinks) return;
  index_ = std::make_unique<NameIndex>();
  for (size_t i = 0; i < links_.size(); ++i) index_->positions.emplace(links_[i].name, i);
}

const Trackable::Link* Trackable::FindLink(std::string_view name) const {
  if (index_) {
    auto it = index_->positions.find(name);
    return it == index_->positions.end() ? nullptr : &links_[it->second];
  }
  auto it = std::find_if(links_.begin(), links_.end(),
                         [&](const Link& link) { return !link.removed && link.name == name; });
  return it == links_.end() ? nullptr : &*it;
}

Trackable::Link& Trackable::LinkFor(std::string_view name) {
  if (const Link* link = FindLink(name)) return links_[static_cast<size_t>(link - links_.data())];
  Link link;
  link.name = name;
  links_.push_back(std::move(link));
  ++name_changes_;
  if (index_) {
    index_->positions.emplace(links_.back().name, links_.size() - 1);
  } else {
    Compact();
    IndexLinks();
  }
  return links_.back();
}

void Trackable::Compact() {
  links_.erase(std::remove_if(links_.begin(), links_.end(), [](const Link& link) { return link.removed; }),
               links_.end());
  num_removed_ = 0;
}

Status Trackable::Track(std::string_view name, std::shared_ptr<Trackable> child) {
  if (!child) return NullChild(name);
  return internal::Guarded([&] {
    Link& link = LinkFor(name);
    const bool was_free = !link.Get();
    link.back.reset();
    internal::DeferredRelease(std::exchange(link.owned, child));
    if (was_free) TellOfChild(name, child);
    return OkStatus();
  });
}

Status Trackable::TrackBack(std::string_view name, const std::shared_ptr<Trackable>& child) {
  if (!child) return NullChild(name);
  return internal::Guarded([&] {
    Link& link = LinkFor(name);
    const bool was_free = !link.Get();
    link.back = child;
    internal::DeferredRelease(std::exchange(link.owned, nullptr));
    if (was_free) TellOfChild(name, child);
    return OkStatus();
  });
}

void Trackable::TellOfChild(std::string_view name, const std::shared_ptr<Trackable>& child) {
  if (!listeners_) return;
  const std::string own_name(name);  // what `name` points to may go while listeners work
  TellListeners([&](AttachListener& listener, int32_t token) { listener.OnChild(token, own_name, child); });
}

void Trackable::TellListeners(const std::function<void(AttachListener&, int32_t)>& tell) {
  if (!listeners_) return;
  listeners_->DropExpired();
  struct Told {
    std::shared_ptr<AttachListener> listener;
    int32_t token;
  };
  std::vector<Told> told;  // a copy: listeners may come and go meanwhile
  for (const Listeners::Entry& entry : listeners_->entries) {
    if (auto listener = entry.listener.lock()) told.push_back({std::move(listener), entry.token});
  }
  std::sort(told.begin(), told.end(),
            [](const Told& a, const Told& b) { return a.listener->issue() > b.listener->issue(); });
  for (const Told& one : told) tell(*one.listener, one.token);
}

void Trackable::AddListener(std::weak_ptr<AttachListener> listener, int32_t token) {
  if (!listeners_) listeners_ = std::make_unique<Listeners>();
  listeners_->DropExpired();
  const std::shared_ptr<AttachListener> added = listener.lock();
  const bool known = std::any_of(listeners_->entries.begin(), listeners_->entries.end(),
                                 [&](const Listeners::Entry& e) { return e.listener.lock() == added; });
  if (added && !known) listeners_->entries.push_back({std::move(listener), token});
}

size_t Trackable::num_listeners() const {
  if (!listeners_) return 0;
  return static_cast<size_t>(
      std::count_if(listeners_->entries.begin(), listeners_->entries.end(),
                    [](const Listeners::Entry& entry) { return !entry.listener.expired(); }));
}

Status Trackable::RestoreValues(std::vector<std::optional<Tensor>> values) {
  if (values.empty()) return OkStatus();
  return internal::Error(StatusCode::kInvalidArgument,
                         "a class that has CheckpointValues must take them back: it overrides RestoreValues");
}

bool Trackable::Untrack(std::string_view name) {
  const Link* found = FindLink(name);
  if (!found) return false;
  Link& link = links_[static_cast<size_t>(found - links_.data())];
  std::shared_ptr<Trackable> owned = std::move(link.owned);
  link.back.reset();
  link.removed = true;
  ++num_removed_;
  ++name_changes_;
  if (index_) index_->positions.erase(index_->positions.find(link.name));
  if (num_removed_ > links_.size() / 2) {
    Compact();
    IndexLinks();
  }
  internal::DeferredRelease(std::move(owned));
  return true;
}

std::shared_ptr<Trackable> Trackable::Child(std::string_view name) const {
  const Link* link = FindLink(name);
  return link ? link->Get() : nullptr;
}

void Trackable::ForEachChild(
    const std::function<void(const std::string&, const std::shared_ptr<Trackable>&)>& visit,
    GraphView view) const {
  for (const Link& link : links_) {
    const std::shared_ptr<Trackable> child = link.Get();
    if (child && child->InView(view)) visit(link.name, child);
  }
}

size_t Trackable::num_children() const {
  return static_cast<size_t>(std::count_if(
      links_.begin(), links_.end(), [](const Link& link) { return link.owned || !link.back.expired(); }));
}

namespace {

// `path` leads from the root to `object` by its first `known` components; the next is not there.
Status NoSuchObject(const Trackable& object, const NodePath& path, size_t known) {
  const auto steps = path.components();
  const NodePath missing(
      std::vector<std::string>(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(known) + 1));
  std::vector<std::string> names;
  object.ForEachChild(
      [&](const std::string& name, const std::shared_ptr<Trackable>&) { names.push_back(name); });
  const std::vector<std::string_view> views(names.begin(), names.end());
  return internal::Error(StatusCode::kNotFound, "no object at " + missing.ToString())
      .Path(path.ToString())
      .Hint(internal::DidYouMean(steps[known], views));
}

}  // namespace

StatusOr<std::shared_ptr<Trackable>> FindObject(const std::shared_ptr<Trackable>& root,
                                                const NodePath& path) {
  if (!root) return internal::Error(StatusCode::kInvalidArgument, "the root object is null");
  std::shared_ptr<Trackable> object = root;
  const auto names = path.components();
  for (size_t i = 0; i < names.size(); ++i) {
    std::shared_ptr<Trackable> child = object->Child(names[i]);
    if (!child) return NoSuchObject(*object, path, i);
    object = std::move(child);
  }
  return object;
}

}  // namespace savedmodel
