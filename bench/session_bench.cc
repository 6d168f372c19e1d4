// What sessions cost a row: a window stage by itself, in order and out of order, on the path of
// sessions and on the general one, beside the shortest hand-written loops for the same sessions,
// whose checksum must be the same. And the same as a pipeline, in order; names tell the topology.
//
//   session_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "checksum_output.h"
#include "columns_job.h"
#include "right_results.h"
#include "session_limit.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"

namespace tidemark::bench {
namespace {

// One row a millisecond, keys uniform: a key comes every `keys` ms in the mean, and with a gap of
// three times that a session has twenty rows. Long enough for many keys to see their sessions end.
std::vector<std::int64_t> random_keys(std::int64_t keys) {
  std::mt19937_64 random(1);
  const std::int64_t rows = std::clamp(8 * keys, std::int64_t{2'000'000}, std::int64_t{40'000'000});
  std::vector<std::int64_t> sequence(static_cast<std::size_t>(rows));
  for (std::int64_t& key : sequence) {
    key = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(keys));
  }
  return sequence;
}

// The times of the rows in order of arrival: each is up to `delay` ms late.
std::vector<EventTime> arrivals(std::size_t rows, std::int64_t delay) {
  std::vector<EventTime> times(rows);
  std::iota(times.begin(), times.end(), EventTime{0});
  if (delay == 0) return times;
  std::mt19937_64 random(2);
  std::vector<EventTime> arrival(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    arrival[row] =
        times[row] + static_cast<EventTime>(random() % static_cast<std::uint64_t>(delay));
  }
  std::stable_sort(times.begin(), times.end(), [&](EventTime a, EventTime b) {
    return arrival[static_cast<std::size_t>(a)] < arrival[static_cast<std::size_t>(b)];
  });
  return times;
}

struct Job {
  explicit Job(benchmark::State& state, Strategy with = Strategy::kAuto)
      : distinct(state.range(0)),
        gap(3 * distinct),
        delay(distinct * state.range(1)),
        keys(random_keys(distinct)),
        times(arrivals(keys.size(), delay)) {
    query.keys = {{"key", ColumnType::kInt64}};
    query.values = {{"value", ColumnType::kInt64}};
    query.windows = {session(std::chrono::milliseconds(gap))};
    query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                        {AggregateFunction::kSum, 0, "sum"}};
    query.delay = delay;
    query.strategy = with;
  }

  std::int64_t distinct;
  std::int64_t gap;
  std::int64_t delay;
  std::vector<std::int64_t> keys;  // by time
  std::vector<EventTime> times;    // by arrival
  WindowQuery query;
};

struct Outcome {
  std::uint64_t checksum;
  RunReport report;
};

Outcome run_stage(const Job& job) {
  ChecksumOutput output(job.query);
  WindowOperator stage(job.query, plan_query(job.query), output);
  Batch batch(job.query.row_schema());
  std::vector<EventTime> watermarks(batch.capacity());
  std::vector<std::uint16_t> late;
  std::vector<EventTime> late_watermarks;
  EventTime highest = kNoWatermark;
  for (std::size_t row = 0; row < job.times.size();) {
    batch.set_size(0);
    std::size_t n = 0;
    for (; n < batch.capacity() && row < job.times.size(); ++n, ++row) {
      const EventTime time = job.times[row];
      batch.times()[n] = time;
      watermarks[n] = highest == kNoWatermark ? kNoWatermark : highest - job.delay - 1;
      highest = std::max(highest, time);
      batch.column(0).int64s()[n] = job.keys[static_cast<std::size_t>(time)];
      batch.column(1).int64s()[n] = time;
    }
    batch.set_size(n);
    hash_keys(batch, 1, 0, n);
    while (!stage.add_in_time(batch, {watermarks.data(), n}, late, late_watermarks)) {
    }
  }
  stage.advance(kEndOfTime);
  while (!stage.fire()) {
  }
  stage.emitter().flush();
  Outcome outcome{output.checksum(), {}};
  stage.report(outcome.report);
  return outcome;
}

std::uint64_t run_limit(const Job& job) {
  SessionLimit limit(job.gap);
  for (std::size_t row = 0; row < job.keys.size(); ++row) {
    const auto time = static_cast<std::int64_t>(row);
    limit.add(time, job.keys[row], time);
  }
  limit.finish();
  return limit.checksum();
}

void count_rows(benchmark::State& state, const Job& job) {
  state.counters["rows_per_second"] = benchmark::Counter(
      static_cast<double>(job.keys.size()) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}

void limit(benchmark::State& state) {
  const Job job(state);
  for (auto _ : state) benchmark::DoNotOptimize(run_limit(job));
  count_rows(state, job);
}

void array_loop(benchmark::State& state) {
  const Job job(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        sessions_by_array(job.keys, static_cast<std::size_t>(job.distinct), job.gap));
  }
  count_rows(state, job);
}

void stage(benchmark::State& state, Strategy strategy) {
  const Job job(state, strategy);
  Outcome outcome;
  for (auto _ : state) outcome = run_stage(job);
  count_rows(state, job);
  const std::uint64_t by_array =
      sessions_by_array(job.keys, static_cast<std::size_t>(job.distinct), job.gap);
  if (!are_right(state, outcome.checksum, run_limit(job)) ||
      !are_right(state, outcome.checksum, by_array)) {
    return;
  }
  const StateCounters& counters = outcome.report.state;
  const auto rows = static_cast<double>(job.keys.size());
  state.counters["updates_per_row"] = static_cast<double>(counters.updates) / rows;
  state.counters["timers_put_off_per_row"] = static_cast<double>(counters.timers_put_off) / rows;
  state.counters["rows_per_session"] = rows / static_cast<double>(outcome.report.results);
  state.counters["merges"] = static_cast<double>(counters.merges);
  state.counters["peak_live_entries"] = static_cast<double>(counters.peak_live_entries);
  state.counters["peak_state_bytes"] = static_cast<double>(counters.peak_state_bytes);
}

void pipeline(benchmark::State& state, std::size_t cores) {
  const Job job(state);
  RowColumns rows;
  rows.reserve(job.times.size());
  for (const EventTime time : job.times) {
    rows.add(time, job.keys[static_cast<std::size_t>(time)], time);
  }
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    std::vector<ChecksumSink> sinks(cores);
    report = run_columns(job.query, rows, sinks);
    checksum = checksum_of(sinks);
  }
  if (!are_right(state, checksum, run_limit(job))) return;
  report_rate(state, rows.size());
  report_counters(state, report);
}

void one_source_one_window(benchmark::State& state) { pipeline(state, 1); }
void two_sources_two_windows(benchmark::State& state) { pipeline(state, 2); }

const std::vector<std::string> kNames = {"keys", "disorder"};

// Rows come up to as many ms late as their key comes once in the mean, times `disorder`.
const std::vector<std::int64_t> kKeyCounts = {1, 1000, 100'000, 1'000'000, 10'000'000};
BENCHMARK(limit)->ArgNames(kNames)->ArgsProduct({kKeyCounts, {0}});
BENCHMARK(array_loop)->ArgNames(kNames)->ArgsProduct({kKeyCounts, {0}});
BENCHMARK(one_source_one_window)->ArgNames(kNames)->ArgsProduct({kKeyCounts, {0}})->UseRealTime();
BENCHMARK(two_sources_two_windows)->ArgNames(kNames)->ArgsProduct({kKeyCounts, {0}})->UseRealTime();
BENCHMARK_CAPTURE(stage, sessions, Strategy::kAuto)
    ->ArgNames(kNames)
    ->ArgsProduct({{1000, 100'000, 1'000'000}, {0, 2, 20}});
BENCHMARK_CAPTURE(stage, general_path, Strategy::kBuckets)
    ->ArgNames(kNames)
    ->ArgsProduct({{1000, 100'000}, {0}});

}  // namespace
}  // namespace tidemark::bench
