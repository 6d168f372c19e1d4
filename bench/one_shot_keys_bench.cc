// What keys cost that come once: every row of the stream has a new one. Keys that are kept for ever
// are there for comparison; their table outgrows the caches, and then the memory. The limit forgets
// them too.
//
//   one_shot_keys_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "checksum_output.h"
#include "columns_job.h"
#include "one_shot_limit.h"
#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kRows = 5'000'000;
constexpr std::int64_t kRowsPerSlide = 20'000;
constexpr EventTime kSlide = 1000;

WindowQuery query_of(Strategy strategy, std::int64_t slides_per_window) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = {sliding(std::chrono::milliseconds(slides_per_window * kSlide),
                           std::chrono::milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  query.strategy = strategy;
  return query;
}

struct Run {
  std::uint64_t checksum = 0;
  RunReport report;
};

Run run(const WindowQuery& query, KeyCollection collection) {
  ChecksumOutput output(query);
  WindowOperator stage(query, plan_query(query), output, collection);
  Batch batch(query.row_schema());
  std::vector<std::uint16_t> late;
  const auto capacity = static_cast<std::int64_t>(batch.capacity());
  for (std::int64_t row = 0; row < kRows;) {
    const EventTime time = row / kRowsPerSlide * kSlide;
    const std::int64_t slide_end = (row / kRowsPerSlide + 1) * kRowsPerSlide;
    const std::int64_t n = std::min(capacity, slide_end - row);
    for (std::int64_t i = 0; i < n; ++i, ++row) {
      batch.times()[i] = time;
      batch.column(0).int64s()[i] = row;
      batch.column(1).int64s()[i] = 1;
    }
    batch.set_size(static_cast<std::size_t>(n));
    hash_keys(batch, 1, 0, batch.size());
    (void)stage.add(batch, late);  // windows fire nothing before their end
    if (row == slide_end) stage.advance(time + kSlide - 1);
    while (!stage.fire()) {
    }
  }
  stage.emitter().flush();
  Run run;
  run.checksum = output.checksum();
  stage.report(run.report);
  return run;
}

std::uint64_t limit_checksum(std::int64_t slides_per_window) {
  OneShotLimit limit(static_cast<std::size_t>(slides_per_window));
  for (std::int64_t row = 0; row < kRows;) {
    const std::int64_t slide = row / kRowsPerSlide;
    for (std::int64_t i = 0; i < kRowsPerSlide; ++i, ++row) limit.add(row, 1);
    limit.end_slide((slide + 1) * kSlide);
  }
  return limit.checksum();
}

void limit_one_thread(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(limit_checksum(state.range(0)));
  report_rate(state, kRows);
}

void one_shot_keys(benchmark::State& state, Strategy strategy, KeyCollection collection) {
  const WindowQuery query = query_of(strategy, state.range(0));
  Run result;
  for (auto _ : state) result = run(query, collection);
  if (!are_right(state, result.checksum, limit_checksum(state.range(0)))) return;
  report_rate(state, kRows);
  result.report.rows_read = kRows;
  report_counters(state, result.report);
  state.counters["peak_keys"] = static_cast<double>(result.report.state.peak_keys);
  state.counters["peak_state_bytes"] = static_cast<double>(result.report.state.peak_state_bytes);
}

// Slides of each window.
BENCHMARK(limit_one_thread)->Arg(1)->Arg(10);

BENCHMARK_CAPTURE(one_shot_keys, tumbling, Strategy::kBuckets, KeyCollection::kWhenDue)->Arg(1);
BENCHMARK_CAPTURE(one_shot_keys, tumbling_kept, Strategy::kBuckets, KeyCollection::kNever)->Arg(1);
BENCHMARK_CAPTURE(one_shot_keys, subtract, Strategy::kSubtract, KeyCollection::kWhenDue)->Arg(10);
BENCHMARK_CAPTURE(one_shot_keys, subtract_kept, Strategy::kSubtract, KeyCollection::kNever)
    ->Arg(10);
BENCHMARK_CAPTURE(one_shot_keys, two_stacks, Strategy::kTwoStacks, KeyCollection::kWhenDue)
    ->Arg(10);
BENCHMARK_CAPTURE(one_shot_keys, two_stacks_kept, Strategy::kTwoStacks, KeyCollection::kNever)
    ->Arg(10);

static_assert(kRows % kRowsPerSlide == 0);

}  // namespace
}  // namespace tidemark::bench
