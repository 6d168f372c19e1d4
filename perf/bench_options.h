// What a measurement is asked to do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operators/local_aggregation.h"
#include "tidemark/operators/pipeline_options.h"
#include "tidemark/operators/query.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/runtime/cancellation.h"

namespace tidemark {

struct BenchOptions {
  WindowSpec window = sliding(std::chrono::hours(1), std::chrono::seconds(1));
  std::vector<AggregateSpec> aggregates;  // over BenchStream::values()
  Strategy strategy = Strategy::kAuto;
  std::int64_t delay = 0;     // of the watermark, ms
  std::int64_t lateness = 0;  // allowed lateness, ms; not with a run at a rate
  BenchStreamConfig stream;   // `rows` is the number of rows of one throughput run
  std::size_t cores = 1;
  std::string cores_reason;  // for people: what decided `cores`
  std::vector<int> cpus;     // to pin to, one per core, or empty
  std::size_t repeats = 5;   // throughput runs, at least 1
  LocalAggregation local_aggregation = LocalAggregation::kWhenItPays;

  // Rows per second of the latency run; nothing: half of the median throughput.
  std::optional<std::uint64_t> rate;
  // Without a latency run there is only throughput.
  bool measures_latency = true;
  std::chrono::milliseconds duration{5'000};
  // Rows due earlier than this are sent, but their results are not recorded.
  std::chrono::milliseconds warmup{1'000};

  // Searches the highest rate that is sustained: the schedule is held, the backlog does not grow,
  // and the 99th percentile of event time to result stays within `latency_bound`. Each rate is
  // tried for warmup + duration.
  bool finds_rate = false;
  std::chrono::nanoseconds latency_bound{10'000'000};

  // Ends the measurement early; may be null.
  const Cancellation* cancellation = nullptr;
  // Where runs show their figures while they go on; may be null.
  LiveRuns* live = nullptr;
};

// count, sum(amount), max(amount).
std::vector<AggregateSpec> headline_aggregates();

// Rows that make 1.25 windows of event time, so that the window is full for a fifth of the run; at
// least 1.
std::uint64_t default_rows(const WindowSpec& window, std::uint64_t event_rate);

// The query that `options` ask for.
WindowQuery bench_query(const BenchOptions& options);

// Whether results are the same whichever of several partitions is ahead. They are not with less
// delay than disorder; where order counts, as in count windows, for first and last, and where
// doubles are rounded as for stddev; and for sessions unless the delay is longer than the disorder:
// a row that comes exactly a gap after another joins its session only if no row of that time has
// closed it.
bool is_order_free(const BenchOptions& options);

// How it runs on `cores` workers.
PipelineOptions bench_pipeline(const BenchOptions& options, std::size_t cores);

// How many rows are due within `time` at `rate` rows a second.
std::uint64_t rows_within(std::chrono::milliseconds time, std::uint64_t rate);

// Refuses what cannot run, in one sentence, before any row is made.
Expected<void> validate(const BenchOptions& options);

}  // namespace tidemark
