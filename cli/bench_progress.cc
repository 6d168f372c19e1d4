#include "cli/bench_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tidemark::cli {

namespace {

using Seconds = std::chrono::duration<double>;

class BenchPhases {
 public:
  explicit BenchPhases(const BenchOptions& options)
      : passes_(1 + options.repeats),
        pass_rows_(options.stream.rows),
        latency_runs_(options.measures_latency ? 1 : 0),
        latency_time_(options.measures_latency ? Seconds(options.warmup + options.duration)
                                               : Seconds(0)),
        searches_(options.finds_rate) {}

  ProgressLine::Estimate operator()(const LiveRuns::State& state, const RowTotals& totals,
                                    Seconds elapsed) {
    if (state.runs <= passes_) return throughput(state.runs, totals, elapsed);
    if (!latency_began_) latency_began_ = elapsed;
    if (state.runs <= passes_ + latency_runs_) {
      const Seconds left = latency_time_ - (elapsed - *latency_began_);
      return {"latency", searches_ ? std::nullopt : std::optional(std::max(left, Seconds(0)))};
    }
    return {fmt::format("rate search, run {}", state.runs - passes_ - latency_runs_), {}};
  }

 private:
  ProgressLine::Estimate throughput(std::uint64_t runs, const RowTotals& totals, Seconds elapsed) {
    ProgressLine::Estimate estimate;
    estimate.phase = runs == 1 ? "one core" : fmt::format("repeat {} of {}", runs - 1, passes_ - 1);
    if (totals.read == 0 || searches_) return estimate;
    const double rate = static_cast<double>(totals.read) / elapsed.count();
    const double rows = static_cast<double>(passes_) * static_cast<double>(pass_rows_);
    const double left = std::max(rows - static_cast<double>(totals.read), 0.0);
    estimate.left = Seconds(left / rate) + latency_time_;
    return estimate;
  }

  std::uint64_t passes_;
  std::uint64_t pass_rows_;
  std::uint64_t latency_runs_;
  Seconds latency_time_;
  bool searches_;
  std::optional<Seconds> latency_began_;
};

}  // namespace

ProgressLine::Estimator bench_progress(const BenchOptions& options) { return BenchPhases(options); }

}  // namespace tidemark::cli
