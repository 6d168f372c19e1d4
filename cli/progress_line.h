// A line on standard error that shows how far a run has come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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

// Whether to show one: as told by --progress and --no-progress, else where somebody sees it.
bool shows_progress(bool wanted, bool unwanted, bool otherwise);

}  // namespace tidemark::cli
