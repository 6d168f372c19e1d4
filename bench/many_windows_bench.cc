// Many windows of different size and slide over one stream, beside one window with as many results
// per second of event time, and beside a hand-written loop for the same windows: what a row costs
// should hardly depend on how many windows there are.
//
// As in sliding_bench, the windows that are open after the last row are not fired, and that results
// are right to the last window is checked on a shorter stream before. A run is a whole stream:
//   many_windows_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                      --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "many_windows_limit.h"
#include "right_results.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/runtime/cpu_allowance.h"
#include "unfinished_partition.h"

namespace tidemark::bench {
namespace {

using Windows = std::vector<ManyWindowsLimit::Window>;

constexpr std::uint64_t kRows = 30'000'000;

// One window that fires once a second, or `n` that all together do: their slides are spread over
// n +- 25 % seconds, hardly two with a common edge, and their sizes over one to three slides.
Windows make_windows(std::int64_t n) {
  if (n == 1) return {{3'600'000, 1'000}};
  const double seconds = static_cast<double>(n) * 2 * std::log(1.25 / 0.75);
  Windows windows;
  for (std::int64_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double slide = 1000 * seconds * (0.75 + 0.5 * place);
    const double golden = static_cast<double>(i) * 0.618034;
    const double slides = 1 + 2 * (golden - std::floor(golden));
    windows.push_back({std::llround(slide * slides), std::llround(slide)});
  }
  return windows;
}

BenchStreamConfig stream_config(const benchmark::State& state) {
  BenchStreamConfig config;
  config.keys = static_cast<std::uint64_t>(state.range(0));
  config.rows = kRows;
  return config;
}

void count_rows(benchmark::State& state, std::uint64_t results) {
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["results_per_row"] = static_cast<double>(results) / static_cast<double>(kRows);
}

void run_limit(const BenchStream& stream, std::uint64_t rows, ManyWindowsLimit& limit) {
  constexpr std::size_t kChunk = 1024;
  std::array<EventTime, kChunk> times;
  std::array<std::int64_t, kChunk> keys;
  std::array<std::int64_t, kChunk> amounts;
  for (std::uint64_t row = 0; row < rows; row += kChunk) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, rows - row));
    stream.fill(row, 1, n, times.data(), keys.data(), amounts.data());
    for (std::size_t i = 0; i < n; ++i) limit.add(times[i], keys[i], amounts[i]);
  }
}

void limit_one_thread(benchmark::State& state) {
  const BenchStreamConfig config = stream_config(state);
  const BenchStream stream(config);
  std::uint64_t results = 0;
  for (auto _ : state) {
    ManyWindowsLimit limit(make_windows(state.range(1)), config.start);
    run_limit(stream, kRows, limit);
    benchmark::DoNotOptimize(limit.checksum());
    results = limit.results();
  }
  count_rows(state, results);
}

enum class Ending : std::uint8_t { kFireAll, kLeaveOpen };

struct PipelineResult {
  std::uint64_t checksum = 0;
  RunReport report;
};

PipelineResult run_one_core(const BenchStream& stream, const Windows& windows, Strategy strategy,
                            Ending ending) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  for (const auto& [size, slide] : windows) {
    query.windows.push_back(
        sliding(std::chrono::milliseconds(size), std::chrono::milliseconds(slide)));
  }
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  query.strategy = strategy;
  PipelineOptions options;
  options.cores = 1;
  options.cpus.push_back(cpu_allowance().cpus.front());
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  partitions.push_back(std::make_unique<BenchPartition>(stream, 0, 1));
  ChecksumSink checksum;
  ResultSinks sinks;
  sinks.per_worker.push_back(&checksum);
  Cancellation cancellation;
  std::atomic<std::size_t> running{1};
  if (ending == Ending::kLeaveOpen) {
    options.cancellation = &cancellation;
    partitions.back() =
        std::make_unique<UnfinishedPartition>(std::move(partitions.back()), running, cancellation);
  }
  PipelineResult result;
  result.report = run_pipeline(query, partitions, sinks, nullptr, options);
  result.checksum = checksum.checksum();
  return result;
}

// Figures of a run with a wrong result are worth nothing.
bool results_are_right(benchmark::State& state, Strategy strategy) {
  BenchStreamConfig config = stream_config(state);
  config.rows = 500'000;
  const BenchStream stream(config);
  const Windows windows = make_windows(state.range(1));
  ManyWindowsLimit limit(windows, config.start);
  run_limit(stream, config.rows, limit);
  limit.finish();
  return are_right(state, run_one_core(stream, windows, strategy, Ending::kFireAll).checksum,
                   limit.checksum());
}

void pipeline(benchmark::State& state, Strategy strategy) {
  if (!results_are_right(state, strategy)) return;
  const BenchStream stream(stream_config(state));
  const Windows windows = make_windows(state.range(1));
  RunReport report;
  for (auto _ : state) report = run_one_core(stream, windows, strategy, Ending::kLeaveOpen).report;
  count_rows(state, report.results);
  const StateCounters& counters = report.state;
  state.counters["updates_per_row"] =
      static_cast<double>(counters.updates) / static_cast<double>(report.rows_read);
  state.counters["merges_per_result"] =
      static_cast<double>(counters.merges) / static_cast<double>(report.results);
  state.counters["peak_live_entries"] = static_cast<double>(counters.peak_live_entries);
  state.counters["peak_state_mb"] = static_cast<double>(counters.peak_state_bytes) / 1e6;
}

void one_core(benchmark::State& state) { pipeline(state, Strategy::kAuto); }
void one_core_base_intervals(benchmark::State& state) { pipeline(state, Strategy::kBaseIntervals); }
void one_core_two_stacks(benchmark::State& state) { pipeline(state, Strategy::kTwoStacks); }

void set_up(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"keys", "windows"})->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

void up_to(benchmark::internal::Benchmark* bench, std::int64_t most) {
  set_up(bench);
  for (const std::int64_t keys : {1'000, 100'000}) {
    for (std::int64_t windows = 1; windows <= most; windows *= 10) bench->Args({keys, windows});
  }
}

void many(benchmark::internal::Benchmark* bench) { up_to(bench, 1'000); }
// Where one set of slices begins to pay.
void few(benchmark::internal::Benchmark* bench) {
  set_up(bench);
  for (const std::int64_t keys : {1'000, 100'000}) {
    for (const std::int64_t windows : {2, 4, 8, 16}) bench->Args({keys, windows});
  }
}

BENCHMARK(limit_one_thread)->Apply(many);
BENCHMARK(one_core)->Apply(many);
BENCHMARK(one_core_base_intervals)->Apply(few);
BENCHMARK(one_core_two_stacks)->Apply(few);

}  // namespace
}  // namespace tidemark::bench
