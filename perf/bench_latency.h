// Measures how late results are at an offered rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "tidemark/operators/run_report.h"
#include "tidemark/perf/bench_options.h"
#include "tidemark/perf/recording_cost.h"
#include "tidemark/perf/result_latencies.h"
#include "tidemark/perf/schedule_lag.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

struct LatencyRun {
  RunReport report;
  std::uint64_t rows = 0;  // the schedule's
  std::uint64_t rows_sent = 0;
  // How long after its start the run was cut off; nothing if all rows were sent.
  std::optional<std::chrono::milliseconds> cut_off_after;
  std::uint64_t offered_rate = 0;
  // Rows over the time from the start of the schedule until the last row was sent, or the run was
  // cut off.
  double achieved_rate = 0;
  ScheduleLag lag;
  // Event time between the first and last row, and whether that filled the window before the first
  // result was recorded.
  std::int64_t event_time_ms = 0;
  bool window_filled = false;
  ResultLatencies latencies;
  RecordingCost cost;            // of the sinks
  double recording_seconds = 0;  // CPU time for recording, at the sinks and at the sources
  double cpu_seconds = 0;        // of the whole process during the run
  std::uint64_t involuntary_switches = 0;
  std::optional<CpuThrottling> throttled;

  // At least 99 % of the offered rate.
  bool rate_reached() const { return achieved_rate >= 0.99 * static_cast<double>(offered_rate); }
  // Over the results that were looked at, those of the warm-up included; 0 if there were none.
  double nanoseconds_per_record() const;
  double recording_share() const { return cpu_seconds > 0 ? recording_seconds / cpu_seconds : 0; }
};

// After this time a run at a rate, which should take `scheduled`, is cut off: twice as long, but at
// least 5 s more.
std::chrono::milliseconds longest_run(std::chrono::milliseconds scheduled);

// `options` are valid and `rate` at least 1. Takes warmup + duration, and what the system then
// needs for its backlog, but not much more than longest_run(warmup + duration).
LatencyRun run_latency(const BenchOptions& options, std::uint64_t rate);

}  // namespace tidemark
