// A line on standard error that shows how far a run has come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tidemark/operators/live_run.h"

namespace tidemark::cli {

// Shows rows, rate, watermark, late rows and time left while it lives, and removes its line at the
// end.
class ProgressLine {
 public:
  // What a command knows of its way.
  struct Estimate {
    std::string phase;  // empty if there is only one
    std::optional<std::chrono::duration<double>> left;
  };
  using Estimator = std::function<Estimate(const LiveRuns::State& state, const RowTotals& totals,
                                           std::chrono::duration<double> elapsed)>;

  // `runs`, and what `estimate` refers to, must outlive this. It is asked by another thread.
  ProgressLine(const LiveRuns& runs, Estimator estimate);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show();

  const LiveRuns& runs_;
  Estimator estimate_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

// The same for a measurement of steps that say themselves when they begin: which one of how many,
// and the time left. Shows nothing before the first.
class StepLine {
 public:
  // `noun` is what a step is, such as "cell".
  explicit StepLine(std::string noun) : noun_(std::move(noun)) {}
  ~StepLine();
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  // `done` of `all` steps are done, and `next` begins. One thread at a time.
  void operator()(std::size_t done, std::size_t all, const std::string& next) const;

 private:
  std::string noun_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Whether to show one: as told by --progress and --no-progress, else where somebody sees it.
bool shows_progress(bool wanted, bool unwanted, bool otherwise);

}  // namespace tidemark::cli
