// Cumulating windows: the ten minutes so far, every second, and the shortest hand-written loop for
// the same.
//
//   cumulate_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                  --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "columns_job.h"
#include "limit_keys.h"
#include "right_results.h"
#include "row_columns.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSize = 600'000;
constexpr std::int64_t kStep = 1000;
constexpr std::size_t kRows = 6'000'000;

RowColumns rows_of(std::uint64_t keys) {
  BenchStreamConfig config;
  config.keys = keys;
  config.rows = kRows;
  RowColumns rows;
  rows.times.resize(kRows);
  rows.keys.resize(kRows);
  rows.values.resize(kRows);
  BenchStream(config).fill(0, 1, kRows, rows.times.data(), rows.keys.data(), rows.values.data());
  return rows;
}

// Each key has one running state a period, which every step shows.
std::uint64_t hand_written(const RowColumns& rows) {
  struct State {
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t max = INT64_MIN;
  };
  LimitKeys keys;
  std::vector<State> states;
  std::uint64_t checksum = 0;
  EventTime edge = (rows.times.front() / kStep + 1) * kStep;
  const auto fire = [&] {
    for (std::uint32_t slot = 0; slot < states.size(); ++slot) {
      const State& state = states[slot];
      if (state.count == 0) continue;
      checksum += checksum_cell_mix(edge, keys.key(slot), state.count, state.sum, state.max);
    }
    if (edge % kSize == 0) std::fill(states.begin(), states.end(), State{});
    edge += kStep;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    while (rows.times[i] >= edge) fire();
    const std::uint32_t slot = keys.slot_of(rows.keys[i]);
    if (slot == states.size()) states.emplace_back();
    State& state = states[slot];
    ++state.count;
    state.sum += rows.values[i];
    state.max = std::max(state.max, rows.values[i]);
  }
  do fire();
  while (edge % kSize != kStep);
  return checksum;
}

void limit_one_thread(benchmark::State& state) {
  const RowColumns rows = rows_of(static_cast<std::uint64_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(hand_written(rows));
  report_rate(state, kRows);
}

void pipeline(benchmark::State& state, std::size_t cores) {
  const RowColumns rows = rows_of(static_cast<std::uint64_t>(state.range(0)));
  WindowQuery query;
  query.windows = {cumulate(std::chrono::milliseconds(kSize), std::chrono::milliseconds(kStep))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    std::vector<ChecksumSink> sinks(cores);
    report = run_columns(query, rows, sinks);
    checksum = checksum_of(sinks);
  }
  if (!are_right(state, checksum, hand_written(rows))) return;
  report_rate(state, kRows);
  report_counters(state, report);
}

void one_source_one_window(benchmark::State& state) { pipeline(state, 1); }
void two_sources_two_windows(benchmark::State& state) { pipeline(state, 2); }

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(100'000)->Iterations(1)->UseRealTime()->Unit(
      benchmark::kMillisecond);
}

BENCHMARK(limit_one_thread)->Apply(sizes);
BENCHMARK(one_source_one_window)->Apply(sizes);
BENCHMARK(two_sources_two_windows)->Apply(sizes);

}  // namespace
}  // namespace tidemark::bench
