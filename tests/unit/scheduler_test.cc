#include "tidemark/runtime/scheduler.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tidemark {
namespace {

using std::chrono::milliseconds;

class FunctionTask : public Task {
 public:
  explicit FunctionTask(std::function<TaskStatus()> body) : body_(std::move(body)) {}
  TaskStatus run() override { return body_(); }
  std::optional<Clock::time_point> deadline() const override { return next_run; }
  std::string name() const override { return "function"; }

  std::optional<Clock::time_point> next_run;

 private:
  std::function<TaskStatus()> body_;
};

SchedulerOptions options(std::size_t cores, WaitLadder ladder = {}) {
  SchedulerOptions result;
  result.cores = cores;
  result.ladder = ladder;
  return result;
}

constexpr WaitLadder kParkAtOnce{.spins = 0, .yields = 0, .park = true};

TEST(Scheduler, NoCoresIsRefused) { EXPECT_THROW(Scheduler(options(0)), std::invalid_argument); }

TEST(Scheduler, TaskOnAnUnknownCoreIsRefused) {
  Scheduler scheduler(options(2));
  FunctionTask task([] { return TaskStatus::kFinished; });
  EXPECT_THROW(scheduler.add(2, task), std::out_of_range);
}

TEST(Scheduler, WithoutTasksRunReturns) {
  Scheduler scheduler(options(3));
  scheduler.run();
  EXPECT_EQ(scheduler.metrics().size(), 3U);
}

TEST(Scheduler, TasksOfACoreRunInReverseOrderOfAddition) {
  std::string log;
  std::vector<std::unique_ptr<FunctionTask>> tasks;
  Scheduler scheduler(options(1));
  for (const char name : {'a', 'b', 'c'}) {
    tasks.push_back(std::make_unique<FunctionTask>([&log, name, runs = 0]() mutable {
      log += name;
      return ++runs == 2 ? TaskStatus::kFinished : TaskStatus::kProgress;
    }));
    scheduler.add(0, *tasks.back());
  }
  scheduler.run();
  EXPECT_EQ(log, "cbacba");
}

TEST(Scheduler, FinishedTaskIsNotRunAgain) {
  int finished_runs = 0;
  int runs = 0;
  FunctionTask finished([&] {
    ++finished_runs;
    return TaskStatus::kFinished;
  });
  FunctionTask lasting(
      [&] { return ++runs < 100 ? TaskStatus::kProgress : TaskStatus::kFinished; });
  Scheduler scheduler(options(1));
  scheduler.add(0, lasting);
  scheduler.add(0, finished);
  scheduler.run();
  EXPECT_EQ(finished_runs, 1);
  EXPECT_EQ(runs, 100);
}

TEST(Scheduler, TaskStaysOnOneThread) {
  std::set<std::thread::id> threads[2];
  std::vector<std::unique_ptr<FunctionTask>> tasks;
  Scheduler scheduler(options(2));
  for (std::size_t core = 0; core < 2; ++core) {
    tasks.push_back(std::make_unique<FunctionTask>([&threads, core, runs = 0]() mutable {
      threads[core].insert(std::this_thread::get_id());
      return ++runs < 1000 ? TaskStatus::kWaiting : TaskStatus::kFinished;
    }));
    tasks.back()->next_run = Clock::time_point::min();
    scheduler.add(core, *tasks.back());
  }
  scheduler.run();
  EXPECT_EQ(threads[0].size(), 1U);
  EXPECT_EQ(threads[1].size(), 1U);
  EXPECT_NE(threads[0], threads[1]);
}

TEST(Scheduler, UnparkWakesAWaitingTask) {
  std::atomic<int> stage{0};
  Scheduler scheduler(options(2, kParkAtOnce));
  const auto player = [&](int turn, std::size_t other) {
    return [&stage, &scheduler, turn, other] {
      const int now = stage.load(std::memory_order_relaxed);
      if (now >= 1000) return TaskStatus::kFinished;
      if (now % 2 != turn) return TaskStatus::kWaiting;
      stage.store(now + 1, std::memory_order_relaxed);
      scheduler.parker(other).unpark();
      return TaskStatus::kProgress;
    };
  };
  FunctionTask even(player(0, 1));
  FunctionTask odd(player(1, 0));
  scheduler.add(0, even);
  scheduler.add(1, odd);
  scheduler.run();
  EXPECT_EQ(stage.load(), 1000);
}

TEST(Scheduler, NearestDeadlineWakesAParkedWorker) {
  const Clock::time_point near = Clock::now() + milliseconds(30);
  bool seen = false;
  FunctionTask first([&] {
    seen = Clock::now() >= near;
    return seen ? TaskStatus::kFinished : TaskStatus::kWaiting;
  });
  FunctionTask second([&] { return seen ? TaskStatus::kFinished : TaskStatus::kWaiting; });
  FunctionTask without([&] { return seen ? TaskStatus::kFinished : TaskStatus::kWaiting; });
  first.next_run = near;
  second.next_run = near + std::chrono::hours(1);
  Scheduler scheduler(options(1, kParkAtOnce));
  scheduler.add(0, without);
  scheduler.add(0, first);
  scheduler.add(0, second);
  scheduler.run();
  EXPECT_TRUE(seen);
  const Scheduler::WorkerMetrics metrics = scheduler.metrics().at(0);
  EXPECT_GE(metrics.parks, 1U);
  EXPECT_GE(metrics.parked, milliseconds(5));
  EXPECT_LT(metrics.busy, milliseconds(30)) << "a parked worker is not busy";
}

TEST(Scheduler, WithoutParkingAWorkerNeverParks) {
  const Clock::time_point end = Clock::now() + milliseconds(10);
  FunctionTask task(
      [&] { return Clock::now() >= end ? TaskStatus::kFinished : TaskStatus::kWaiting; });
  Scheduler scheduler(options(1, {.spins = 2, .yields = 2, .park = false}));
  scheduler.add(0, task);
  scheduler.run();
  EXPECT_EQ(scheduler.metrics().at(0).parks, 0U);
}

TEST(Scheduler, BusyTimeIsTheTimeOfWork) {
  int runs = 0;
  FunctionTask task([&] {
    const Clock::time_point end = Clock::now() + milliseconds(2);
    while (Clock::now() < end) {
    }
    return ++runs < 10 ? TaskStatus::kProgress : TaskStatus::kFinished;
  });
  Scheduler scheduler(options(1));
  scheduler.add(0, task);
  scheduler.run();
  EXPECT_GE(scheduler.metrics().at(0).busy, milliseconds(20));
}

TEST(Scheduler, ExceptionOfATaskStopsAllWorkersAndComesOut) {
  FunctionTask endless_busy([] { return TaskStatus::kProgress; });
  FunctionTask endless_waiting([] { return TaskStatus::kWaiting; });
  FunctionTask failing([]() -> TaskStatus { throw std::runtime_error("disk is full"); });
  Scheduler scheduler(options(3));
  scheduler.add(0, endless_busy);
  scheduler.add(1, endless_waiting);
  scheduler.add(2, failing);
  try {
    scheduler.run();
    FAIL() << "expected the task's exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "disk is full");
  }
}

TEST(Scheduler, FirstOfSeveralExceptionsComesOut) {
  std::atomic<bool> second_runs{false};
  std::atomic<bool> first_thrown{false};
  FunctionTask first([&]() -> TaskStatus {
    while (!second_runs.load()) std::this_thread::yield();
    first_thrown.store(true);
    throw std::runtime_error("first");
  });
  // In the middle of its run while the first one fails, and fails when that is long over.
  FunctionTask second([&]() -> TaskStatus {
    second_runs.store(true);
    while (!first_thrown.load()) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(50));
    throw std::logic_error("second");
  });
  Scheduler scheduler(options(2));
  scheduler.add(0, first);
  scheduler.add(1, second);
  EXPECT_THROW(scheduler.run(), std::runtime_error);
}

std::vector<int> affinity_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

TEST(Scheduler, WorkersArePinnedInOrderAndTheCallerIsNot) {
  const std::vector<int> before = affinity_of_this_thread();
  const std::vector<int> wished{before.back(), before.front()};
  std::vector<int> seen[2];
  std::vector<std::unique_ptr<FunctionTask>> tasks;
  SchedulerOptions pinned = options(2);
  pinned.cpus = wished;
  Scheduler scheduler(pinned);
  for (std::size_t core = 0; core < 2; ++core) {
    tasks.push_back(std::make_unique<FunctionTask>([&seen, core] {
      seen[core] = affinity_of_this_thread();
      return TaskStatus::kFinished;
    }));
    scheduler.add(core, *tasks.back());
  }
  scheduler.run();
  EXPECT_EQ(seen[0], std::vector<int>{wished[0]});
  EXPECT_EQ(seen[1], std::vector<int>{wished[1]});
  EXPECT_EQ(affinity_of_this_thread(), before);
}

TEST(Scheduler, WorkerThatCannotBePinnedRunsAnyway) {
  int runs = 0;
  FunctionTask task([&] {
    ++runs;
    return TaskStatus::kFinished;
  });
  SchedulerOptions impossible = options(1);
  impossible.cpus = {8000};
  Scheduler scheduler(impossible);
  scheduler.add(0, task);
  scheduler.run();
  EXPECT_EQ(runs, 1);
}

TEST(Scheduler, RandomYieldsRunEverything) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 2147483647ULL, ~0ULL}) {
    int runs = 0;
    FunctionTask task(
        [&] { return ++runs < 1000 ? TaskStatus::kProgress : TaskStatus::kFinished; });
    SchedulerOptions yielding = options(1);
    yielding.random_yields = seed;
    Scheduler scheduler(yielding);
    scheduler.add(0, task);
    scheduler.run();
    EXPECT_EQ(runs, 1000);
  }
}

}  // namespace
}  // namespace tidemark
