// Thread per core: one pinned worker thread for each core, running its own tasks downstream first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tidemark/runtime/parker.h"
#include "tidemark/runtime/task.h"
#include "tidemark/runtime/worker_figures.h"

namespace tidemark {

// How an idle worker waits: it spins, then yields, then parks until it is woken.
struct WaitLadder {
  std::uint32_t spins = 64;
  std::uint32_t yields = 16;
  // Without parking a worker yields for ever: lowest wake-up latency, a whole core burnt.
  bool park = true;
};

struct SchedulerOptions {
  // Number of workers, at least 1.
  std::size_t cores = 1;
  // CPUs to pin workers to, one per worker in order; empty leaves placement to the system.
  std::vector<int> cpus;
  WaitLadder ladder;
  // Stress tests: yield at random points between tasks, from this seed.
  std::optional<std::uint64_t> random_yields;
  // Where each worker says how it spends its time, or empty; they must outlive the scheduler.
  std::vector<WorkerFigures*> figures;
};

// Not thread-safe: set up, run once, read back.
class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options);
  ~Scheduler();

  std::size_t cores() const;

  // Where events for the tasks of `core` are announced. Valid for the scheduler's lifetime.
  Parker& parker(std::size_t core);

  // Puts `task` on `core`. Tasks of one core run in reverse order of addition: add sources first,
  // then what they feed, so that data already taken in leaves before more is taken in.
  void add(std::size_t core, Task& task);

  // Runs until every task has finished. If a task throws, all workers stop and the first exception
  // is thrown here.
  void run();

  // Per worker, after run(): how often it parked, and how long in all.
  struct WorkerMetrics {
    std::uint64_t parks = 0;
    Clock::duration parked{};
    Clock::duration busy{};
  };
  const std::vector<WorkerMetrics>& metrics() const;

 private:
  struct Worker;
  SchedulerOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<WorkerMetrics> metrics_;
};

}  // namespace tidemark
