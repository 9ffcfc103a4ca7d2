#include "savedmodel/base/control.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "savedmodel/base/internal/error.h"

namespace savedmodel {
namespace {

constexpr int kMaxDefaultThreads = 8;
constexpr int kMaxThreads = 64;  // on machines with fewer cores

int OwnThreads(const Control& control) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (control.threads != 0) return std::clamp(control.threads, 1, std::max(cores, kMaxThreads));
  return std::clamp(cores, 1, kMaxDefaultThreads);
}

// Takes tasks one by one until none is left.
void Work(std::vector<std::function<void()>>& tasks, std::atomic<size_t>& next) {
  for (size_t i = next.fetch_add(1); i < tasks.size(); i = next.fetch_add(1)) tasks[i]();
}

// The calling thread works too, so all tasks run even when the system grants no further thread.
void RunOnOwnThreads(std::vector<std::function<void()>>& tasks, size_t threads) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> helpers;
  try {
    helpers.reserve(threads - 1);
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back([&] { Work(tasks, next); });
  } catch (const std::system_error&) {  // as many as there are will do
  } catch (const std::bad_alloc&) {
  }
  Work(tasks, next);
}

}  // namespace

Status Control::Check() const {
  if (cancellation.cancelled()) return internal::Error(StatusCode::kCancelled, "cancelled by the caller");
  if (deadline && std::chrono::steady_clock::now() >= *deadline) {
    return internal::Error(StatusCode::kDeadlineExceeded, "the caller's deadline has passed");
  }
  return OkStatus();
}

Status Control::CheckOptions() const {
  if (threads < 0) {
    return internal::Error(StatusCode::kInvalidArgument, "the number of threads is out of range")
        .Expected("0 or more")
        .Found(std::to_string(threads));
  }
  const int concurrency = executor != nullptr ? executor->concurrency() : 1;
  if (concurrency >= 1) return OkStatus();
  return internal::Error(StatusCode::kInvalidArgument, "the executor's concurrency is out of range")
      .Expected("1 or more")
      .Found(std::to_string(concurrency));
}

void RunAll(const Control& control, std::vector<std::function<void()>> tasks) {
  if (control.executor != nullptr) return control.executor->RunAll(std::move(tasks));
  const size_t threads = std::min(static_cast<size_t>(OwnThreads(control)), tasks.size());
  if (threads > 1) return RunOnOwnThreads(tasks, threads);
  for (const auto& task : tasks) task();
}

}  // namespace savedmodel
