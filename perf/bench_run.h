// Measures a windowed job on a generated stream: throughput, then latency at an offered rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/local_aggregation.h"
#include "tidemark/operators/query.h"
#include "tidemark/operators/run_report.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/latency_recorder.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark {

struct BenchOptions {
  WindowSpec window = sliding(std::chrono::hours(1), std::chrono::seconds(1));
  std::vector<AggregateSpec> aggregates;  // over BenchStream::values()
  Strategy strategy = Strategy::kAuto;
  std::int64_t delay = 0;    // of the watermark, ms
  BenchStreamConfig stream;  // `rows` is the number of rows of one throughput run
  std::size_t cores = 1;
  std::vector<int> cpus;    // to pin to, one per core, or empty
  std::size_t repeats = 5;  // throughput runs, at least 1
  LocalAggregation local_aggregation = LocalAggregation::kWhenItPays;

  // Rows per second of the latency run; nothing: half of the median throughput.
  std::optional<std::uint64_t> rate;
  // Without a latency run there is only throughput.
  bool measures_latency = true;
  std::chrono::milliseconds duration{5'000};
  // Rows due earlier than this are sent, but their results are not recorded.
  std::chrono::milliseconds warmup{1'000};

  // Ends the measurement early; may be null.
  const Cancellation* cancellation = nullptr;
};

// count, sum(amount), max(amount).
std::vector<AggregateSpec> headline_aggregates();

// Rows that make 1.25 windows of event time, so that the window is full for a fifth of the run; at
// least 1.
std::uint64_t default_rows(const WindowSpec& window, std::uint64_t event_rate);

// One pass over the whole stream, as fast as it goes.
struct ThroughputRun {
  RunReport report;
  std::uint64_t checksum = 0;
  double cpu_seconds = 0;  // of all threads of the process

  // CPU time over the time for which workers were not parked, at most 1. Well below 1 other
  // processes, or a quota, kept the workers from running.
  double cpu_share() const;
  double rows_per_second() const {
    return static_cast<double>(report.rows_read) / report.wall_seconds;
  }
};

struct LatencyRun {
  RunReport report;
  std::uint64_t rows = 0;  // the schedule's
  std::uint64_t offered_rate = 0;
  // Rows over the time from the start of the schedule until the last row was sent.
  double achieved_rate = 0;
  ScheduleLag lag;  // after the warm-up
  // Event time between the first and last row, and whether that filled the window before the first
  // result was recorded.
  std::int64_t event_time_ms = 0;
  bool window_filled = false;
  LatencyRecorder latencies;

  // At least 99 % of the offered rate.
  bool rate_reached() const { return achieved_rate >= 0.99 * static_cast<double>(offered_rate); }
};

// Whether the results were right, by their checksums.
struct BenchChecks {
  // With less delay than disorder, which windows a row misses depends on which of several
  // partitions is ahead, so then results may differ.
  bool comparable = true;
  bool repeats_agree = true;
  bool one_core_agrees = true;
  bool rows_add_up = true;  // read = asked for = on time + late + bad + in no window
  bool no_overflow = true;

  bool right() const {
    return rows_add_up && no_overflow && (!comparable || (repeats_agree && one_core_agrees));
  }
};

struct BenchResult {
  BenchOptions options;
  // Rows in one partition, on one worker, by the same strategy; it also warms up the machine.
  ThroughputRun one_core;
  std::vector<ThroughputRun> repeats;  // in the order they ran
  std::optional<LatencyRun> latency;
  BenchChecks checks;
  bool cancelled = false;  // what is here is not complete

  // Of rows per second over the repeats; the mean of the middle two if their number is even.
  double median() const;
  double lowest() const;
  double highest() const;
  // The repeat whose rows per second is the median, or just below it.
  const ThroughputRun& median_run() const;
};

// The query that `options` ask for.
WindowQuery bench_query(const BenchOptions& options);

// Refuses what cannot run, in one sentence, before any row is made.
Expected<void> validate(const BenchOptions& options);

// `options` are valid. Takes (1 + repeats) passes over the stream, and warmup + duration.
BenchResult run_bench(const BenchOptions& options);

// One pass with `partitions` source partitions and batches of `batch_rows` rows.
ThroughputRun run_throughput(const BenchOptions& options, std::size_t cores, std::size_t partitions,
                             std::size_t batch_rows);

BenchChecks check_results(const BenchOptions& options, const ThroughputRun& one_core,
                          const std::vector<ThroughputRun>& repeats);

}  // namespace tidemark
