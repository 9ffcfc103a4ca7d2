#include "savedmodel/base/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "savedmodel/base/internal/progress.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using testing::IsOk;
using testing::StatusIs;
using Tasks = std::vector<std::function<void()>>;

Tasks CountingTasks(std::vector<std::atomic<int>>& runs) {
  Tasks tasks;
  for (auto& count : runs) tasks.push_back([&count] { ++count; });
  return tasks;
}

TEST(Control, ChecksCancellationThenDeadline) {
  Control control;
  EXPECT_THAT(control.Check(), IsOk());
  control.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  EXPECT_THAT(control.Check(), IsOk());
  control.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_THAT(control.Check(), StatusIs(StatusCode::kDeadlineExceeded));
  control.cancellation.Cancel();
  EXPECT_THAT(control.Check(), StatusIs(StatusCode::kCancelled));
}

TEST(Control, CopiesOfATokenShareTheFlag) {
  Control control;
  CancellationToken token = control.cancellation;
  std::jthread([&] { token.Cancel(); }).join();
  EXPECT_TRUE(control.cancellation.cancelled());
  EXPECT_FALSE(Control().cancellation.cancelled()) << "another call's token";
}

TEST(RunAll, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (int threads : {-3, 0, 1, 2, 3, 16}) {
    for (size_t count : {0u, 1u, 2u, 100u}) {
      std::vector<std::atomic<int>> runs(count);
      Control control;
      control.threads = threads;
      RunAll(control, CountingTasks(runs));
      for (const auto& run : runs) EXPECT_EQ(run.load(), 1) << threads << " threads, " << count << " tasks";
    }
  }
}

TEST(RunAll, OneThreadIsTheCallersAndKeepsTheOrder) {
  std::vector<int> order;
  std::set<std::thread::id> ids;
  Tasks tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back([&, i] {
      order.push_back(i);
      ids.insert(std::this_thread::get_id());
    });
  }
  Control control;
  control.threads = 1;
  RunAll(control, std::move(tasks));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(Control, RefusesNumbersThatAreNoNumberOfThreads) {
  Control control;
  for (const int threads : {0, 1, 64, 1'000'000}) {
    control.threads = threads;
    EXPECT_THAT(control.CheckOptions(), IsOk()) << threads;
  }
  for (const int threads : {-1, -64, std::numeric_limits<int>::min()}) {
    control.threads = threads;
    EXPECT_THAT(control.CheckOptions(), StatusIs(StatusCode::kInvalidArgument)) << threads;
  }
}

TEST(RunAll, AMillionThreadsAreNotStarted) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  Control control;
  control.threads = 1'000'000;
  RunAll(control, Tasks(10'000, [&] {
           const std::lock_guard lock(mutex);
           ids.insert(std::this_thread::get_id());
         }));
  EXPECT_LE(ids.size(), std::max<size_t>(64, std::thread::hardware_concurrency()));
}

// Two tasks that wait for each other finish only when both run at the same time.
TEST(RunAll, TwoThreadsRunAtOnce) {
  std::atomic<int> arrived = 0;
  auto meet = [&] {
    ++arrived;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (arrived < 2 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  };
  Control control;
  control.threads = 2;
  RunAll(control, {meet, meet});
  EXPECT_EQ(arrived.load(), 2);
}

class RecordingExecutor : public Executor {
 public:
  void RunAll(std::vector<std::function<void()>> tasks) override {
    for (const auto& task : tasks) task();
    ran += static_cast<int>(tasks.size());
  }
  int concurrency() const override { return 1; }
  int ran = 0;
};

TEST(RunAll, TheCallersExecutorRunsTheTasks) {
  auto executor = std::make_shared<RecordingExecutor>();
  Control control;
  control.executor = executor;
  control.threads = 4;
  std::vector<std::atomic<int>> runs(7);
  RunAll(control, CountingTasks(runs));
  EXPECT_EQ(executor->ran, 7);
  for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
}

class IdleExecutor : public RecordingExecutor {
 public:
  explicit IdleExecutor(int concurrency) : concurrency_(concurrency) {}
  int concurrency() const override { return concurrency_; }

 private:
  int concurrency_;
};

TEST(Control, RefusesAnExecutorThatRunsNothing) {
  Control control;
  for (const int concurrency : {0, -5}) {
    control.executor = std::make_shared<IdleExecutor>(concurrency);
    EXPECT_THAT(control.CheckOptions(), StatusIs(StatusCode::kInvalidArgument));
  }
  control.executor = std::make_shared<IdleExecutor>(1);
  EXPECT_THAT(control.CheckOptions(), IsOk());
}

TEST(ProgressMeter, SumsAreReportedOneAtATimeAndNeverGoDown) {
  std::vector<Progress> reports;  // not locked: ThreadSanitizer sees it when two calls overlap
  Control control;
  control.threads = 4;
  control.progress = [&](const Progress& progress) { reports.push_back(progress); };
  internal::ProgressMeter meter(control, 400);
  Tasks tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back([&] { meter.Add(4); });
  RunAll(control, std::move(tasks));
  ASSERT_EQ(reports.size(), 100u);
  for (size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].bytes_done, 4 * (i + 1));
    EXPECT_EQ(reports[i].bytes_total, 400u);
  }
}

TEST(ProgressMeter, NobodyNeedsToListen) {
  const Control control;
  internal::ProgressMeter meter(control, 1);
  meter.Add(1);
}

}  // namespace
}  // namespace savedmodel
