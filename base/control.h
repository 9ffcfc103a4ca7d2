// How a long call runs: on whose threads, how it is cancelled, when it gives up, whom it tells.
//
// Values of one call's options; nothing is remembered between calls and there is no global pool.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel {

// Runs tasks on threads of the caller's choosing.
class Executor {
 public:
  virtual ~Executor() = default;
  // Runs every task once, in any order and on any threads, and returns when all have finished.
  // Tasks do not throw and do not wait for each other.
  virtual void RunAll(std::vector<std::function<void()>> tasks) = 0;
  virtual int concurrency() const = 0;  // how many tasks may run at once, >= 1
};

// A flag that one thread sets and others look at. Copies share the flag.
class CancellationToken {
 public:
  CancellationToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void Cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

struct Progress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;
};

struct Control {
  // Whose threads; null: `threads` threads made for the call and joined before it returns.
  std::shared_ptr<Executor> executor = {};
  // Used without an executor: 0 means as many as the machine has cores, at most 8; 1 stays on the calling
  // thread. Never more than there is work for, nor than 64 or the machine's cores, whichever is more.
  int threads = 0;
  CancellationToken cancellation = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // Called from any thread of the call, never concurrently with itself.
  std::function<void(const Progress&)> progress = {};

  // OK, Cancelled or DeadlineExceeded.
  Status Check() const;
  // What every call that takes a Control asks first. Errors: InvalidArgument (`threads` below 0, an executor
  // whose concurrency() is below 1).
  Status CheckOptions() const;
};

// Runs tasks, which do not throw, as `control` says; returns when all have finished. A system that grants fewer
// threads makes it slower only. A number of threads that CheckOptions refuses counts as 1.
void RunAll(const Control& control, std::vector<std::function<void()>> tasks);

}  // namespace savedmodel
