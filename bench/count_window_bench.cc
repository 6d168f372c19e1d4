// What count windows cost a row: a window stage by itself, and the shortest hand-written loop for
// the same windows, whose checksum must be the same.
//
//   count_window_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "checksum_output.h"
#include "columns_job.h"
#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kRows = 2'000'000;
constexpr std::int64_t kWindowRows = 10;

std::vector<std::int64_t> random_keys(std::int64_t keys) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> sequence(kRows);
  for (std::int64_t& key : sequence) {
    key = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(keys));
  }
  return sequence;
}

// Count and sum of every ten rows of a key, one row a millisecond.
std::uint64_t hand_written(const std::vector<std::int64_t>& keys) {
  struct Window {
    std::int64_t count = 0;
    std::int64_t sum = 0;
  };
  std::unordered_map<std::int64_t, Window> windows;
  std::uint64_t checksum = 0;
  for (std::int64_t time = 0; time < kRows; ++time) {
    const std::int64_t key = keys[static_cast<std::size_t>(time)];
    Window& window = windows[key];
    window.sum += time;
    if (++window.count < kWindowRows) continue;
    checksum += checksum_cell_mix(time + 1, key, window.count, window.sum);
    window = {};
  }
  return checksum;
}

WindowQuery count_query() {
  WindowQuery query;
  query.keys = RowColumns::key_columns();
  query.values = RowColumns::value_columns();
  query.windows = {count_window(kWindowRows)};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  return query;
}

std::uint64_t window_stage(const std::vector<std::int64_t>& keys, RunReport& report) {
  const WindowQuery query = count_query();
  ChecksumOutput output(query);
  WindowOperator stage(query, plan_query(query), output);
  Batch batch(query.row_schema());
  std::vector<EventTime> watermarks(batch.capacity());
  std::vector<std::uint16_t> late;
  std::vector<EventTime> late_watermarks;
  for (std::int64_t row = 0; row < kRows;) {
    batch.set_size(0);
    std::size_t n = 0;
    for (; n < batch.capacity() && row < kRows; ++n, ++row) {
      batch.times()[n] = row;
      watermarks[n] = row == 0 ? kNoWatermark : row - 2;
      batch.column(0).int64s()[n] = keys[static_cast<std::size_t>(row)];
      batch.column(1).int64s()[n] = row;
    }
    batch.set_size(n);
    hash_keys(batch, 1, 0, n);
    while (!stage.add_in_time(batch, {watermarks.data(), n}, late, late_watermarks)) {
    }
  }
  stage.emitter().flush();
  stage.report(report);
  return output.checksum();
}

void count_rows(benchmark::State& state) {
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void limit(benchmark::State& state) {
  const std::vector<std::int64_t> keys = random_keys(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(hand_written(keys));
  count_rows(state);
}

void stage(benchmark::State& state) {
  const std::vector<std::int64_t> keys = random_keys(state.range(0));
  std::uint64_t checksum = 0;
  RunReport report;
  for (auto _ : state) {
    report = {};
    checksum = window_stage(keys, report);
  }
  if (!are_right(state, checksum, hand_written(keys))) return;
  count_rows(state);
  state.counters["updates_per_row"] =
      static_cast<double>(report.state.updates) / static_cast<double>(kRows);
  state.counters["peak_live_entries"] = static_cast<double>(report.state.peak_live_entries);
}

// Which rows share a window depends on the order in which they arrive, so there is one source.
void one_source_one_window(benchmark::State& state) {
  const std::vector<std::int64_t> keys = random_keys(state.range(0));
  RowColumns rows;
  rows.reserve(keys.size());
  for (std::int64_t row = 0; row < kRows; ++row) {
    rows.add(row, keys[static_cast<std::size_t>(row)], row);
  }
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    std::vector<ChecksumSink> sinks(1);
    report = run_columns(count_query(), rows, sinks);
    checksum = checksum_of(sinks);
  }
  if (!are_right(state, checksum, hand_written(keys))) return;
  report_rate(state, rows.size());
  report_counters(state, report);
}

BENCHMARK(limit)->ArgName("keys")->Arg(1000)->Arg(100'000);
BENCHMARK(stage)->ArgName("keys")->Arg(1000)->Arg(100'000);
BENCHMARK(one_source_one_window)->ArgName("keys")->Arg(1000)->Arg(100'000)->UseRealTime();

}  // namespace
}  // namespace tidemark::bench
