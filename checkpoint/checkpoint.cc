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

Status CheckOptions(const RestoreOptions& options) {
  if (options.by == RestoreBy::kObjectGraph || options.by == RestoreBy::kName)
    return options.control.CheckOptions();
  return Error(StatusCode::kInvalidArgument, "RestoreBy is none that there is")
      .Found(std::to_string(static_cast<int>(options.by)));
}

BundleOptions BundleOptionsOf(const RestoreOptions& options) {
  return {.limits = options.limits, .file_system = options.file_system};
}

}  // namespace

struct Checkpoint::State {
  std::shared_ptr<RootObjects> objects = std::make_shared<RootObjects>();
  bool own_root = false;
  std::shared_ptr<Variable> save_counter;
  // Restores that may still give values, the last issued last.
  std::vector<std::shared_ptr<RestoreSession>> waiting;

  StatusOr<std::shared_ptr<RestoreSession>> MakeSession(ObjectCheckpoint checkpoint,
                                                        const RestoreOptions& options) const;
  StatusOr<std::shared_ptr<RestoreSession>> Restore(StatusOr<ObjectCheckpoint> checkpoint,
                                                    const RestoreOptions& options);
  StatusOr<RestoreStatus> RestoreNothing(const RestoreOptions& options) const;
  Status MakeSaveCounter();
  void ForgetSaveCounter();
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
    objects.push_back({"root", root});  // TensorFlow lists the root among its own children
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
  const bool has_none = checkpoint.graph_status().code() == StatusCode::kFailedPrecondition;
  // A graph that is there and cannot be read is damage, and no checkpoint of names.
  if (!has_graph && !has_none) return checkpoint.graph_status();
  if (has_graph && options.by == RestoreBy::kObjectGraph) {
    return std::shared_ptr<RestoreSession>(
        std::make_shared<ObjectSession>(std::move(checkpoint), objects, options));
  }
  auto session = std::make_shared<NameSession>(std::move(checkpoint), objects, options);
  session->Exempt(save_counter);
  return std::shared_ptr<RestoreSession>(std::move(session));
}

StatusOr<std::shared_ptr<RestoreSession>> Checkpoint::State::Restore(StatusOr<ObjectCheckpoint> checkpoint,
                                                                     const RestoreOptions& options) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
  SAVEDMODEL_RETURN_IF_ERROR(options.control.Check());
  if (!checkpoint.ok()) return checkpoint.status();
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<RestoreSession> session,
                              MakeSession(*std::move(checkpoint), options));
  SAVEDMODEL_RETURN_IF_ERROR(session->Start());
  Keep(session);
  return session;
}

// Lets go of what waits for nothing, or for nothing that `session` does not have too.
void Checkpoint::State::Keep(std::shared_ptr<RestoreSession> session) {
  std::erase_if(waiting, [&](const std::shared_ptr<RestoreSession>& older) {
    return !older->waits() || session->Covers(*older);
  });
  if (session->waits()) waiting.push_back(std::move(session));
}

StatusOr<RestoreStatus> Checkpoint::State::RestoreNothing(const RestoreOptions& options) const {
  SAVEDMODEL_RETURN_IF_ERROR(CheckOptions(options));
  return RestoreStatus(std::make_shared<internal::EmptySession>(objects, options));
}

Status Checkpoint::State::MakeSaveCounter() {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<Variable> counter, Variable::Make({DType::kInt64, Shape{}}));
  counter->set_name(std::string(kSaveCounter));
  counter->set_trainable(false);
  SAVEDMODEL_ASSIGN_OR_RETURN(Tensor zero, Tensor::FromValues<int64_t>({}, {0}));
  SAVEDMODEL_RETURN_IF_ERROR(counter->Assign(std::move(zero)));
  save_counter = counter;
  if (own_root) return objects->root->Track(kSaveCounter, counter);
  objects->attached.push_back({std::string(kSaveCounter), counter});
  // Newest first, as an object tells its listeners.
  for (auto it = waiting.rbegin(); it != waiting.rend(); ++it) (*it)->OnAttached(objects->attached.back());
  return OkStatus();
}

void Checkpoint::State::ForgetSaveCounter() {
  save_counter = nullptr;
  if (own_root) {
    objects->root->Untrack(kSaveCounter);
  } else {
    objects->attached.pop_back();
  }
}

StatusOr<RestoreStatus> Checkpoint::Restore(std::optional<std::string_view> path,
                                            const RestoreOptions& options) {
  return Guarded([&]() -> StatusOr<RestoreStatus> {
    const bool is_first = !state_->save_counter;
    if (is_first) SAVEDMODEL_RETURN_IF_ERROR(state_->MakeSaveCounter());
    if (!path) return state_->RestoreNothing(options);
    StatusOr<std::shared_ptr<RestoreSession>> session = Guarded(
        [&] { return state_->Restore(ObjectCheckpoint::Open(*path, BundleOptionsOf(options)), options); });
    if (session.ok()) return RestoreStatus(*std::move(session));
    if (is_first) state_->ForgetSaveCounter();
    return session.status();
  });
}

StatusOr<RestoreStatus> Checkpoint::Read(std::optional<std::string_view> prefix,
                                         const RestoreOptions& options) {
  return Guarded([&]() -> StatusOr<RestoreStatus> {
    if (!prefix) return state_->RestoreNothing(options);
    SAVEDMODEL_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(*prefix, BundleOptionsOf(options)));
    SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<RestoreSession> session,
                                state_->Restore(ObjectCheckpoint::Of(std::move(reader)), options));
    return RestoreStatus(std::move(session));
  });
}

ObjectSnapshot Checkpoint::Objects() const {
  return Snapshot(state_->objects->root, GraphView::kCheckpoint, state_->objects->attached);
}

size_t Checkpoint::num_waiting() const { return state_->waiting.size(); }
void Checkpoint::StopWaiting() { state_->waiting.clear(); }

}  // namespace savedmodel
