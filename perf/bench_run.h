// Measures a windowed job on a generated stream: throughput, then latency at an offered rate, then
// the highest rate that is sustained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/operators/run_report.h"
#include "tidemark/perf/bench_latency.h"
#include "tidemark/perf/bench_options.h"
#include "tidemark/perf/bench_rates.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark {

// One pass over the whole stream, as fast as it goes.
struct ThroughputRun {
  RunReport report;
  std::uint64_t checksum = 0;
  double cpu_seconds = 0;  // of all threads of the process
  std::optional<CpuThrottling> throttled;

  // See cpu_share() in cpu_time.h.
  double cpu_share() const;
  double rows_per_second() const {
    return static_cast<double>(report.rows_read) / report.wall_seconds;
  }
};

// Whether the results were right, by their checksums.
struct BenchChecks {
  // See is_order_free; with one core there is one partition.
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
  std::optional<RateSearchResult> rates;
  BenchChecks checks;
  bool cancelled = false;  // what is here is not complete

  // Of rows per second over the repeats; the mean of the middle two if their number is even.
  double median() const;
  double lowest() const;
  double highest() const;
  // The repeat whose rows per second is the median, or just below it.
  const ThroughputRun& median_run() const;
};

// `options` are valid. Takes (1 + repeats) passes over the stream, then warmup + duration, and that
// again for each rate that is tried.
BenchResult run_bench(const BenchOptions& options);

// One pass with `partitions` source partitions and batches of `batch_rows` rows.
ThroughputRun run_throughput(const BenchOptions& options, std::size_t cores, std::size_t partitions,
                             std::size_t batch_rows);

BenchChecks check_results(const BenchOptions& options, const ThroughputRun& one_core,
                          const std::vector<ThroughputRun>& repeats);

}  // namespace tidemark
