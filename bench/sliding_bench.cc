// The headline job, as a pipeline and as its limit, on the same rows in the same process. Names
// tell the topology: how many sources feed how many window stages.
//
// Measured is the stream, not its end: the windows that are open after the last row are not fired,
// since thousands of firings without a row would count as rows that are slow. That results are
// right to the last window is checked on a shorter stream before.
//
// A run is a whole stream, so each repetition is one iteration:
//   sliding_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "columns_job.h"
#include "right_results.h"
#include "sliding_limit.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/runtime/cpu_allowance.h"
#include "unfinished_partition.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSlide = 1000;

std::uint64_t rows_of(const benchmark::State& state) {
  return static_cast<std::uint64_t>(state.range(2) * state.range(3));
}

BenchStreamConfig stream_config(const benchmark::State& state) {
  BenchStreamConfig config;
  config.keys = static_cast<std::uint64_t>(state.range(0));
  config.rows = rows_of(state);
  config.event_rate = static_cast<std::uint64_t>(state.range(2));
  if (state.range(4) > 0) {
    config.skew = {SkewKind::kZipf, static_cast<double>(state.range(4)) / 100};
  }
  return config;
}

std::int64_t window_size(const benchmark::State& state) { return state.range(1) * kSlide; }

void count_rows(benchmark::State& state, std::uint64_t results) {
  state.counters["rows_per_second"] = benchmark::Counter(
      static_cast<double>(rows_of(state)) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
  state.counters["results_per_row"] =
      static_cast<double>(results) / static_cast<double>(rows_of(state));
}

void limit_one_thread(benchmark::State& state) {
  const BenchStreamConfig config = stream_config(state);
  const BenchStream stream(config);
  std::uint64_t results = 0;
  for (auto _ : state) {
    SlidingLimit limit(window_size(state), kSlide, config.start + kSlide);
    constexpr std::size_t kChunk = 1024;
    std::array<EventTime, kChunk> times;
    std::array<std::int64_t, kChunk> keys;
    std::array<std::int64_t, kChunk> amounts;
    for (std::uint64_t row = 0; row < config.rows; row += kChunk) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, config.rows - row));
      stream.fill(row, 1, n, times.data(), keys.data(), amounts.data());
      for (std::size_t i = 0; i < n; ++i) limit.add(times[i], keys[i], amounts[i]);
    }
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

PipelineResult run_cores(const BenchStream& stream, std::int64_t size, std::size_t cores,
                         LocalAggregation local, Ending ending, std::size_t first_cpu = 0) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {sliding(std::chrono::milliseconds(size), std::chrono::milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  query.max_drift = 10 * kSlide;
  PipelineOptions options;
  options.cores = cores;
  options.local_aggregation = local;
  const CpuAllowance allowance = cpu_allowance();
  for (std::size_t i = 0; i < cores && first_cpu + i < allowance.cpus.size(); ++i) {
    options.cpus.push_back(allowance.cpus[first_cpu + i]);
  }
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  std::vector<ChecksumSink> checksums(cores);
  ResultSinks sinks;
  Cancellation cancellation;
  std::atomic<std::size_t> running{cores};
  if (ending == Ending::kLeaveOpen) options.cancellation = &cancellation;
  for (std::size_t i = 0; i < cores; ++i) {
    partitions.push_back(std::make_unique<BenchPartition>(stream, i, cores));
    if (ending == Ending::kLeaveOpen) {
      partitions.back() = std::make_unique<UnfinishedPartition>(std::move(partitions.back()),
                                                                running, cancellation);
    }
    sinks.per_worker.push_back(&checksums[i]);
  }
  PipelineResult result;
  result.report = run_pipeline(query, partitions, sinks, nullptr, options);
  for (const ChecksumSink& sink : checksums) result.checksum += sink.checksum();
  return result;
}

constexpr std::uint64_t kCheckedRows = 500'000;

bool results_are_right(benchmark::State& state, std::size_t cores, LocalAggregation local) {
  BenchStreamConfig config = stream_config(state);
  config.rows = kCheckedRows;
  const BenchStream stream(config);
  return are_right(state,
                   run_cores(stream, window_size(state), cores, local, Ending::kFireAll).checksum,
                   expected_checksum(config, window_size(state), kSlide));
}

void pipeline(benchmark::State& state, std::size_t cores,
              LocalAggregation local = LocalAggregation::kWhenItPays) {
  if (!results_are_right(state, cores, local)) return;
  const BenchStream stream(stream_config(state));
  RunReport report;
  for (auto _ : state) {
    report = run_cores(stream, window_size(state), cores, local, Ending::kLeaveOpen).report;
  }
  count_rows(state, report.results);
  report_counters(state, report);
  const StateCounters& counters = report.state;
  const double bound = static_cast<double>(counters.peak_live_entries) *
                           static_cast<double>(counters.state_bytes_per_entry + 8) +
                       static_cast<double>(counters.peak_key_table_bytes);
  state.counters["state_bytes_over_entries"] =
      static_cast<double>(counters.peak_state_bytes) / bound;
}

void one_source_one_window(benchmark::State& state) { pipeline(state, 1); }
void two_sources_two_windows(benchmark::State& state) { pipeline(state, 2); }
void two_sources_two_windows_rows_only(benchmark::State& state) {
  pipeline(state, 2, LocalAggregation::kNever);
}

// What two cores could do at most: two pipelines of one core at the same time, each with half of
// the rows and half of the keys, so that no row has to go from one core to the other.
void two_pipelines_apart(benchmark::State& state) {
  BenchStreamConfig config = stream_config(state);
  config.keys /= 2;
  config.rows /= 2;
  config.event_rate /= 2;
  BenchStreamConfig checked = config;
  checked.rows = kCheckedRows;
  for (std::size_t i = 0; i < 2; ++i) {
    const PipelineResult result = run_cores(BenchStream(checked), window_size(state), 1,
                                            LocalAggregation::kWhenItPays, Ending::kFireAll, i);
    if (!are_right(state, result.checksum, expected_checksum(checked, window_size(state), kSlide)))
      return;
  }
  const BenchStream stream(config);
  std::array<PipelineResult, 2> results;
  for (auto _ : state) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
      threads.emplace_back([&, i] {
        results[i] = run_cores(stream, window_size(state), 1, LocalAggregation::kWhenItPays,
                               Ending::kLeaveOpen, i);
      });
    }
  }
  count_rows(state, results[0].report.results + results[1].report.results);
}

// The window fills, and then slides on for a part of its size: a short one with a
// million keys, where every row comes with a hundred results. The last two are a pair: the longest
// windows beside the shortest, with as many rows and results in a slide.
void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"keys", "size_over_slide", "rows_per_slide", "slides", "zipf_percent"})
      ->Args({1'000, 3'600, 10'000, 4'500, 0})
      ->Args({1'000, 1, 10'000, 4'500, 0})
      ->Args({1'000, 10, 10'000, 4'500, 0})
      ->Args({1'000, 60, 10'000, 4'500, 0})
      ->Args({10'000, 3'600, 10'000, 4'500, 0})
      ->Args({100'000, 3'600, 10'000, 4'500, 0})
      ->Args({100'000, 60, 10'000, 4'500, 0})
      ->Args({100'000, 3'600, 10'000, 4'500, 110})
      ->Args({1'000'000, 3'600, 10'000, 3'800, 0})
      ->Args({100, 86'400, 1'000, 95'000, 0})
      ->Args({100, 1, 1'000, 95'000, 0})
      ->Iterations(1)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK(limit_one_thread)->Apply(sizes);
BENCHMARK(one_source_one_window)->Apply(sizes);
BENCHMARK(two_sources_two_windows)->Apply(sizes);
void few_keys(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"keys", "size_over_slide", "rows_per_slide", "slides", "zipf_percent"})
      ->Args({1'000, 3'600, 10'000, 4'500, 0})
      ->Iterations(1)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

// With few keys source tasks add their own rows up; this is the same without.
BENCHMARK(two_sources_two_windows_rows_only)->Apply(few_keys);
BENCHMARK(two_pipelines_apart)->Apply(sizes);

}  // namespace
}  // namespace tidemark::bench
