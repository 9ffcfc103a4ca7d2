#include "savedmodel/object_graph/internal/deferred_release.h"

#include <utility>
#include <vector>

#include "savedmodel/object_graph/trackable.h"

namespace savedmodel::internal {
namespace {

// The queue of the outermost release on this thread; null when none runs. It lives on that release's stack,
// so nothing outlasts the call.
thread_local std::vector<std::shared_ptr<Trackable>>* running_queue = nullptr;

}  // namespace

void DeferredRelease(std::shared_ptr<Trackable> object) {
  if (!object) return;
  if (running_queue) {
    running_queue->push_back(std::move(object));
    return;
  }
  std::vector<std::shared_ptr<Trackable>> queue;
  running_queue = &queue;
  object.reset();
  while (!queue.empty()) {
    std::shared_ptr<Trackable> next = std::move(queue.back());
    queue.pop_back();
    next.reset();
  }
  running_queue = nullptr;
}

}  // namespace savedmodel::internal
