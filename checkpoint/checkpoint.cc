#include "savedmodel/checkpoint/checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/internal/empty_session.h"
#include "savedmodel/checkpoint/internal/name_session.h"
#include "savedmodel/checkpoint/internal/object_session.h"
#include "savedmodel/checkpoint/object_checkpoint.h"
#include "savedmodel/object_graph/module.h"

namespace savedmodel {
namespace {

using internal::Error;
using internal::Guarded;
using internal::NameSession;
using internal::ObjectSession;
using internal::RestoreSession;
using internal::RootObjects;

Status CheckObjects(const std::vector<NamedObject>& objects) {
  for (size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].name == Checkpoint::kSaveCounter) {
      return Error(StatusCode::kInvalidArgument, "the name is reserved for the checkpoint's own counter")
          .Path(objects[i].name);
    }
    if (!objects[i].object) {
      return Error(StatusCode::kInvalidArgument, "an object of a checkpoint cannot be null")
          .Path(objects[i].name);
    }
    const bool repeats = std::any_of(objects.begin(), objects.begin() + static_cast<ptrdiff_t>(i),
                                     [&](const NamedObject& one) { return one.name == objects[i].name; });
    if (repeats) {
      return Error(StatusCode::kInvalidArgument, "two objects of a checkpoint have one name")
          .Path(objects[i].name);
    }
  }
  return OkStatus();
}

void SortByName(std::vector<NamedObject>& objects) { std::ranges::sort(objects, {}, &NamedObject::name); }

template <class T>
Status CheckEnum(const char* name, T value, T last) {
  const auto number = static_cast<int>(value);
  if (number >= 0 && number <= static_cast<int>(last)) return OkStatus();
  return Error(StatusCode::kInvalidArgument, std::string(name) + " is none that there is")
      .Found(std::to_string(number));
}

Status CheckOptions(const RestoreOptions& options) {
  // Here, as a restore that reads nothing yet must not keep what its deferred parts would fail with.
  SAVEDMODEL_RETURN_IF_ERROR(CheckEnum("RestoreBy", options.by, RestoreBy::kName));
  SAVEDMODEL_RETURN_IF_ERROR(CheckEnum("RestoreMode", options.mode, RestoreMode::kInPlace));
  SAVEDMODEL_RETURN_IF_ERROR(CheckEnum("ReadMode", options.read_mode, ReadMode::kCopied));
  SAVEDMODEL_RETURN_IF_ERROR(CheckEnum("Verify", options.verify, Verify::kNever));
  SAVEDMODEL_RETURN_IF_ERROR(options.control.CheckOptions());
  return options.control.Check();
}

BundleOptions BundleOptionsOf(const RestoreOptions& options) {
  return {.limits = options.limits, .file_system = options.file_system};
}

}  // namespace

struct Checkpoint::State {
  std::shared_ptr<RootObjects> objects = std::make_shared<RootObjects>();
  bool own_root = false;
  std::shared_ptr<Variable> save_counter;
  // All that were issued before there was a counter: it is told to them, however they are kept.
  std::vector<std::weak_ptr<RestoreSession>> before_counter;
  std::shared_ptr<internal::WaitingRestores> waiting = std::make_shared<internal::WaitingRestores>();

  StatusOr<std::shared_ptr<RestoreSession>> MakeSession(ObjectCheckpoint checkpoint,
                                                        const RestoreOptions& options) const;
  StatusOr<std::shared_ptr<RestoreSession>> Restore(ObjectCheckpoint checkpoint,
                                                    const RestoreOptions& options);
  RestoreStatus RestoreNothing(const RestoreOptions& options) const;
  Status MakeSaveCounter();
  void Keep(std::shared_ptr<RestoreSession> session);
};

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

StatusOr<Checkpoint> Checkpoint::Make(std::vector<NamedObject> objects) {
  return Guarded([&]() -> StatusOr<Checkpoint> {
    SAVEDMODEL_RETURN_IF_ERROR(CheckObjects(objects));
    SortByName(objects);
    auto state = std::make_unique<State>();
    state->own_root = true;
    state->objects->root = std::make_shared<Module>();
    for (NamedObject& one : objects)
      SAVEDMODEL_RETURN_IF_ERROR(state->objects->root->Track(one.name, std::move(one.object)));
    return Checkpoint(std::move(state));
  });
}

StatusOr<Checkpoint> Checkpoint::Make(std::shared_ptr<Trackable> root, std::vector<NamedObject> objects) {
  return Guarded([&]() -> StatusOr<Checkpoint> {
    if (!root) return Error(StatusCode::kInvalidArgument, "the root of a checkpoint cannot be null");
    SAVEDMODEL_RETURN_IF_ERROR(CheckObjects(objects));
    const auto named_root = std::ranges::find(objects, "root", &NamedObject::name);
    if (named_root != objects.end() && named_root->object != root) {
      return Error(StatusCode::kInvalidArgument, "the name is reserved for the root").Path("root");
    }
    if (named_root == objects.end())
      objects.push_back({"root", root});  // TensorFlow lists it among its own children
    SortByName(objects);
    auto state = std::make_unique<State>();
    for (NamedObject& one : objects) {
      const std::shared_ptr<Trackable> child = root->Child(one.name);
      if (!child) {
        state->objects->attached.push_back(std::move(one));
      } else if (child != one.object) {
        return Error(StatusCode::kInvalidArgument, "the root has another child of that name").Path(one.name);
      }
    }
    state->save_counter = root->ChildAs<Variable>(kSaveCounter);
    state->objects->root = std::move(root);
    return Checkpoint(std::move(state));
  });
}

const std::shared_ptr<Trackable>& Checkpoint::root() const { return state_->objects->root; }
const std::shared_ptr<Variable>& Checkpoint::save_counter() const { return state_->save_counter; }

StatusOr<std::shared_ptr<RestoreSession>> Checkpoint::State::MakeSession(
    ObjectCheckpoint checkpoint, const RestoreOptions& options) const {
  const bool has_graph = checkpoint.graph() != nullptr;
  const bool has_none = !checkpoint.reader().Contains(kObjectGraphKey);
  // A graph that is there and cannot be read is damage, and no checkpoint of names.
  if (!has_graph && !has_none) return checkpoint.graph_status();
  if (has_graph && options.by == RestoreBy::kObjectGraph) {
    return std::shared_ptr<RestoreSession>(
        std::make_shared<ObjectSession>(std::move(checkpoint), objects, options));
  }
  return std::shared_ptr<RestoreSession>(
      std::make_shared<NameSession>(std::move(checkpoint), objects, options));
}

StatusOr<std::shared_ptr<RestoreSession>> Checkpoint::State::Restore(ObjectCheckpoint checkpoint,
                                                                     const RestoreOptions& options) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<RestoreSession> session,
                              MakeSession(std::move(checkpoint), options));
  session->NoteSaveCounter(save_counter);
  SAVEDMODEL_RETURN_IF_ERROR(session->Start());
  if (!save_counter) {
    std::erase_if(before_counter, [](const auto& one) { return one.expired(); });
    before_counter.push_back(session);
  }
  Keep(session);
  return session;
}

// Lets go of what waits for nothing, or for nothing that `session` does not have too. A restore that was issued within
// `session`, by a hook, is a later one.
void Checkpoint::State::Keep(std::shared_ptr<RestoreSession> session) {
  std::vector<std::shared_ptr<RestoreSession>> kept, gone;
  for (const std::shared_ptr<RestoreSession>& one : waiting->sessions) {
    const bool goes = !one->waits() || (one->issue() < session->issue() && session->Covers(*one));
    (goes ? gone : kept).push_back(one);
  }
  if (session->waits()) {
    kept.push_back(session);
    std::ranges::sort(kept, {}, [](const auto& one) { return one->issue(); });
  }
  session->KeptBy(waiting);
  waiting->sessions = std::move(kept);
}  // `gone` goes last: what it warns may come back here

RestoreStatus Checkpoint::State::RestoreNothing(const RestoreOptions& options) const {
  return RestoreStatus(std::make_shared<internal::EmptySession>(objects, options));
}

Status Checkpoint::State::MakeSaveCounter() {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> counter, Variable::Make({DType::kInt64, Shape{}}));
  counter->set_name(std::string(kSaveCounter));
  counter->set_trainable(false);
  SAVEDMODEL_ASSIGN_OR_RETURN(Tensor zero, Tensor::FromValues<int64_t>({}, {0}));
  SAVEDMODEL_RETURN_IF_ERROR(counter->Assign(std::move(zero)));
  save_counter = counter;
  std::vector<std::shared_ptr<RestoreSession>> told;
  for (const std::weak_ptr<RestoreSession>& one : std::exchange(before_counter, {})) {
    if (auto session = one.lock()) told.push_back(std::move(session));
  }
  std::ranges::sort(told, {}, [](const auto& one) { return one->issue(); });
  for (const std::shared_ptr<RestoreSession>& session : told) session->NoteSaveCounter(counter);
  if (own_root) return objects->root->Track(kSaveCounter, counter);
  objects->attached.push_back({std::string(kSaveCounter), counter});
  // Newest first, as an object tells its listeners.
  const NamedObject attached = objects->attached.back();
  for (auto it = told.rbegin(); it != told.rend(); ++it) (*it)->OnAttached(attached);
  return OkStatus();
}

StatusOr<RestoreStatus> Checkpoint::Restore(std::optional<std::string_view> path,
                                            const RestoreOptions& options) {
  return Guarded([&]() -> StatusOr<RestoreStatus> {
    SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
    if (!path) {
      if (!state_->save_counter) SAVEDMODEL_RETURN_IF_ERROR(state_->MakeSaveCounter());
      return state_->RestoreNothing(options);
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(ObjectCheckpoint checkpoint,
                                ObjectCheckpoint::Open(*path, BundleOptionsOf(options)));
    SAVEDMODEL_ASSIGN_OR_RETURN(const std::shared_ptr<RestoreSession> session,
                                state_->Restore(std::move(checkpoint), options));
    // Made after all else, as TensorFlow makes it: it takes the value that waits for it, and a restore that failed has
    // not changed anything.
    if (!state_->save_counter) SAVEDMODEL_RETURN_IF_ERROR(state_->MakeSaveCounter());
    return RestoreStatus(session);
  });
}

StatusOr<RestoreStatus> Checkpoint::Read(std::optional<std::string_view> prefix,
                                         const RestoreOptions& options) {
  return Guarded([&]() -> StatusOr<RestoreStatus> {
    SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
    if (!prefix) return state_->RestoreNothing(options);
    SAVEDMODEL_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(*prefix, BundleOptionsOf(options)));
    SAVEDMODEL_ASSIGN_OR_RETURN(ObjectCheckpoint checkpoint, ObjectCheckpoint::Of(std::move(reader)));
    SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<RestoreSession> session,
                                state_->Restore(std::move(checkpoint), options));
    return RestoreStatus(std::move(session));
  });
}

ObjectSnapshot Checkpoint::Objects() const {
  return Snapshot(state_->objects->root, GraphView::kCheckpoint, state_->objects->attached);
}

size_t Checkpoint::num_waiting() const { return state_->waiting->sessions.size(); }
void Checkpoint::StopWaiting() { std::exchange(state_->waiting->sessions, {}).clear(); }

}  // namespace savedmodel
