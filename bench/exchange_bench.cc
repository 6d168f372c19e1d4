// Rows from source tasks to the window stages that own their keys, on one core and on two, with few
// keys, one key, skewed keys and many: with partial states from the sources where that pays, and
// without. Names tell the topology. Beside them stands the shortest loop for the same job.
//
// Tumbling windows of 10 s of event time at a million rows a second; count, sum and max. A run is a
// whole stream, so each repetition is one iteration:
//   exchange_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                  --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "columns_job.h"
#include "right_results.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/result_checksum.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSize = 10'000;

// Hundredths, so that it can be an argument.
constexpr std::int64_t kPercent = 100;

BenchOptions options_of(const benchmark::State& state) {
  BenchOptions options;
  options.window = tumbling(std::chrono::milliseconds(kSize));
  options.aggregates = headline_aggregates();
  options.stream.keys = static_cast<std::uint64_t>(state.range(0));
  options.stream.event_rate = 1'000'000;
  options.stream.rows = 20'000'000;
  if (state.range(1) > 0) {
    options.stream.skew = {SkewKind::kZipf,
                           static_cast<double>(state.range(1)) / static_cast<double>(kPercent)};
  }
  options.cpus = cpu_allowance().cpus;
  return options;
}

void count_rows(benchmark::State& state, const BenchOptions& options) {
  state.counters["rows_per_second"] = benchmark::Counter(
      static_cast<double>(options.stream.rows) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}

// Keys are numbers below a bound, so an array by key will do.
std::uint64_t limit_checksum(const BenchOptions& options) {
  struct Totals {
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t max = INT64_MIN;
  };
  const BenchStream stream(options.stream);
  constexpr std::size_t kChunk = 1024;
  std::array<EventTime, kChunk> times;
  std::array<std::int64_t, kChunk> keys;
  std::array<std::int64_t, kChunk> amounts;
  std::vector<Totals> totals(options.stream.keys);
  std::uint64_t checksum = 0;
  EventTime end = options.stream.start + kSize;
  const auto fire = [&] {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      Totals& key = totals[i];
      if (key.count == 0) continue;
      checksum += checksum_cell_mix(end, static_cast<std::int64_t>(i), key.count, key.sum, key.max);
      key = {};
    }
  };
  for (std::uint64_t row = 0; row < options.stream.rows; row += kChunk) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, options.stream.rows - row));
    stream.fill(row, 1, n, times.data(), keys.data(), amounts.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (; times[i] >= end; end += kSize) fire();
      Totals& key = totals[static_cast<std::size_t>(keys[i])];
      ++key.count;
      key.sum += amounts[i];
      key.max = std::max(key.max, amounts[i]);
    }
  }
  fire();
  return checksum;
}

void limit_one_thread(benchmark::State& state) {
  const BenchOptions options = options_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(limit_checksum(options));
  count_rows(state, options);
}

void pipeline(benchmark::State& state, std::size_t cores, LocalAggregation local) {
  BenchOptions options = options_of(state);
  options.local_aggregation = local;
  ThroughputRun run;
  for (auto _ : state) run = run_throughput(options, cores, cores, Batch::kDefaultCapacity);
  if (!are_right(state, run.checksum, limit_checksum(options))) return;
  count_rows(state, options);
  report_counters(state, run.report);
  const auto rows = static_cast<double>(run.report.rows_read);
  std::uint64_t parks = 0;
  for (const auto& worker : run.report.workers) parks += worker.parks;
  state.counters["cpu_ns_per_row"] = run.cpu_seconds * 1e9 / rows;
  state.counters["share_aggregated_at_source"] =
      static_cast<double>(run.report.rows_preaggregated) / rows;
  state.counters["rows_per_partial"] = run.report.partials == 0
                                           ? 0
                                           : static_cast<double>(run.report.rows_preaggregated) /
                                                 static_cast<double>(run.report.partials);
  state.counters["batches_per_thousand_rows"] =
      1000 * static_cast<double>(run.report.batches_sent) / rows;
  state.counters["parks"] = static_cast<double>(parks);
}

void one_source_one_window(benchmark::State& state) {
  pipeline(state, 1, LocalAggregation::kWhenItPays);
}
void one_source_one_window_two_phases(benchmark::State& state) {
  pipeline(state, 1, LocalAggregation::kAlways);
}
void two_sources_two_windows(benchmark::State& state) {
  pipeline(state, 2, LocalAggregation::kWhenItPays);
}
void two_sources_two_windows_rows_only(benchmark::State& state) {
  pipeline(state, 2, LocalAggregation::kNever);
}

void streams(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"keys", "zipf_percent"})
      ->Args({1, 0})
      ->Args({1'000, 0})
      ->Args({1'000'000, 110})
      ->Args({1'000'000, 0})
      ->Iterations(1)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK(limit_one_thread)->Apply(streams);
BENCHMARK(one_source_one_window)->Apply(streams);
BENCHMARK(one_source_one_window_two_phases)->Apply(streams);
BENCHMARK(two_sources_two_windows)->Apply(streams);
BENCHMARK(two_sources_two_windows_rows_only)->Apply(streams);

}  // namespace
}  // namespace tidemark::bench
