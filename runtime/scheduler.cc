#include "tidemark/runtime/scheduler.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "tidemark/runtime/cpu_set.h"

namespace tidemark {

namespace {

constexpr std::size_t kCacheLine = 64;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A worker that may not run on the wished CPU, because the mask or the cgroup changed meanwhile,
// runs where the system puts it: slower perhaps, but right.
void pin_current_thread(int cpu) {
  if (cpu < 0) return;
  const auto index = static_cast<std::size_t>(cpu);
  const std::size_t bytes = CPU_ALLOC_SIZE(index + 1);
  const CpuSet set(CPU_ALLOC(index + 1));
  if (!set) return;
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(index, bytes, set.get());
  static_cast<void>(pthread_setaffinity_np(pthread_self(), bytes, set.get()));
}

}  // namespace

struct Scheduler::Worker {
  explicit Worker(WaitLadder wait_ladder) : ladder(wait_ladder) {}

  void run_tasks(const std::atomic<bool>& stop);
  bool run_round(const std::atomic<bool>& stop);
  void wait_once();
  std::optional<Clock::time_point> nearest_deadline() const;
  void yield_at_random();

  // Other workers write to the parker at every hand-over; it shares its line with nothing.
  alignas(kCacheLine) Parker parker;
  alignas(kCacheLine) WaitLadder ladder;
  // Not yet finished tasks in the order in which they were added.
  std::vector<Task*> tasks;
  std::optional<std::minstd_rand> random;
  WorkerMetrics metrics;
  WorkerFigures* figures = nullptr;
  std::uint64_t idle_rounds = 0;
  bool blocked = false;  // in the last round some task was
  std::thread thread;
};

// Busy is what is left of the whole time after waiting. The clock is read when a worker runs out of
// work and while it waits, never between rounds that get on.
void Scheduler::Worker::run_tasks(const std::atomic<bool>& stop) {
  const Clock::time_point start = Clock::now();
  Clock::duration waited{};
  if (figures != nullptr) figures->begin(start);
  // Relaxed: whoever sets the flag unparks this worker afterwards, and no data hangs on it.
  while (!tasks.empty() && !stop.load(std::memory_order_relaxed)) {
    if (run_round(stop)) {
      idle_rounds = 0;
      continue;
    }
    const Clock::time_point wait_start = Clock::now();
    if (figures != nullptr) figures->begin_wait(wait_start, blocked);
    wait_once();
    const Clock::time_point wait_end = Clock::now();
    if (figures != nullptr) figures->end_wait(wait_end);
    waited += wait_end - wait_start;
  }
  const Clock::time_point end = Clock::now();
  if (figures != nullptr) figures->end(end);
  metrics.busy = end - start - waited;
}

// Runs every task once, downstream first. True if any got on or finished.
bool Scheduler::Worker::run_round(const std::atomic<bool>& stop) {
  bool progress = false;
  blocked = false;
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const TaskStatus status = tasks[i]->run();
    progress |= status == TaskStatus::kProgress || status == TaskStatus::kFinished;
    blocked |= status == TaskStatus::kBlocked;
    if (status == TaskStatus::kFinished) {
      tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (random) yield_at_random();
    if (stop.load(std::memory_order_relaxed)) break;
  }
  return progress;
}

// One rung of the ladder. After a park without a gain the next wait parks again at once; only a
// round that gets on sends the worker back to spinning.
void Scheduler::Worker::wait_once() {
  const std::uint64_t round = idle_rounds++;
  if (round < ladder.spins) {
    pause_briefly();
  } else if (!ladder.park || round < std::uint64_t{ladder.spins} + ladder.yields) {
    std::this_thread::yield();
  } else {
    const std::optional<Clock::time_point> deadline = nearest_deadline();
    const Clock::time_point before = Clock::now();
    parker.park(deadline);
    metrics.parked += Clock::now() - before;
    ++metrics.parks;
  }
}

std::optional<Clock::time_point> Scheduler::Worker::nearest_deadline() const {
  std::optional<Clock::time_point> nearest;
  for (const Task* task : tasks) {
    const std::optional<Clock::time_point> deadline = task->deadline();
    if (deadline && (!nearest || *deadline < *nearest)) nearest = deadline;
  }
  return nearest;
}

void Scheduler::Worker::yield_at_random() {
  constexpr std::minstd_rand::result_type kOneIn = 4;
  if ((*random)() % kOneIn == 0) std::this_thread::yield();
}

Scheduler::Scheduler(SchedulerOptions options) : options_(std::move(options)) {
  if (options_.cores == 0) throw std::invalid_argument("a scheduler needs at least one core");
  workers_.reserve(options_.cores);
  for (std::size_t core = 0; core < options_.cores; ++core) {
    workers_.push_back(std::make_unique<Worker>(options_.ladder));
    if (core < options_.figures.size()) workers_.back()->figures = options_.figures[core];
    if (options_.random_yields) {
      // The generator's own seeding maps every seed to a usable state; cores differ by their
      // number.
      workers_.back()->random.emplace(static_cast<std::minstd_rand::result_type>(
          (*options_.random_yields + core) % 2147483647));
    }
  }
}

Scheduler::~Scheduler() = default;

std::size_t Scheduler::cores() const { return workers_.size(); }

Parker& Scheduler::parker(std::size_t core) { return workers_.at(core)->parker; }

void Scheduler::add(std::size_t core, Task& task) { workers_.at(core)->tasks.push_back(&task); }

void Scheduler::run() {
  std::atomic<bool> stop{false};
  std::mutex failure_mutex;
  std::exception_ptr failure;

  const auto fail = [&](std::exception_ptr exception) {
    {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::move(exception);
    }
    // Relaxed: the tokens left next carry it to workers that sleep, the others look every round.
    stop.store(true, std::memory_order_relaxed);
    for (const auto& worker : workers_) worker->parker.unpark();
  };
  const auto work = [&](std::size_t core) {
    if (core < options_.cpus.size()) pin_current_thread(options_.cpus[core]);
    try {
      workers_[core]->run_tasks(stop);
    } catch (...) {
      fail(std::current_exception());
    }
  };

  for (std::size_t core = 0; core < workers_.size(); ++core) {
    try {
      workers_[core]->thread = std::thread(work, core);
      const std::string name = "worker-" + std::to_string(core);
      pthread_setname_np(workers_[core]->thread.native_handle(), name.substr(0, 15).c_str());
    } catch (...) {
      fail(std::current_exception());
      break;
    }
  }
  metrics_.clear();
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
    metrics_.push_back(worker->metrics);
  }
  if (failure) std::rethrow_exception(failure);
}

const std::vector<Scheduler::WorkerMetrics>& Scheduler::metrics() const { return metrics_; }

}  // namespace tidemark
