// What allowed lateness costs: rows in time, and rows that fire windows again. A window stage by
// itself, and the shortest hand-written loop for the same results, whose checksum must be the same.
//
//   lateness_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "checksum_output.h"
#include "columns_job.h"
#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kKeys = 1000;
constexpr std::int64_t kRowsPerSecond = 10'000;
constexpr std::int64_t kLateness = 600 * kSecond;
// How far behind late rows are at most, in seconds.
constexpr std::uint64_t kFarthest = 60;

struct Row {
  EventTime time;
  std::int64_t key;
  std::int64_t amount;
};

// Rows in order of time, but for `late_percent` of them, which are one second to a minute behind;
// none in the first two minutes.
Row row_at(std::int64_t number, std::int64_t late_percent) {
  std::uint64_t bits = static_cast<std::uint64_t>(number + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93ULL;
  bits ^= bits >> 32;
  Row row{number * kSecond / kRowsPerSecond, static_cast<std::int64_t>(bits % kKeys),
          static_cast<std::int64_t>(bits >> 20 & 0xffff)};
  if (number >= 120 * kRowsPerSecond &&
      static_cast<std::int64_t>((bits >> 40) % 100) < late_percent) {
    row.time -= kSecond * static_cast<std::int64_t>(1 + (bits >> 48) % kFarthest);
  }
  return row;
}

// Count and sum per key over windows of `slides` seconds that slide by one, or tumble, with results
// again for each late row. Keys are numbers, slices a ring of arrays: the slices of a window and
// those that lateness keeps. A running state per key, from which what leaves is subtracted.
class HandWritten {
 public:
  HandWritten(std::int64_t slides, bool tumbles)
      : slides_(slides), step_(tumbles ? slides : 1), ring_(slides + kLateness / kSecond + 1) {
    slices_.resize(static_cast<std::size_t>(ring_ * kKeys));
    running_.resize(kKeys);
  }

  void add(const Row& row) {
    const std::int64_t slice = floor_div(row.time, kSecond);
    if (slice < now_) {
      add_late(slice, row);
      return;
    }
    while (slice > now_) end_slice();
    take(at(slice, row.key), row);
  }
  std::uint64_t checksum() const { return checksum_; }
  std::uint64_t results() const { return results_; }

 private:
  struct State {
    std::int64_t count = 0;
    std::int64_t sum = 0;
  };

  State& at(std::int64_t slice, std::int64_t key) {
    return slices_[static_cast<std::size_t>(floor_mod(slice, ring_) * kKeys + key)];
  }
  static void take(State& state, const Row& row) {
    ++state.count;
    state.sum += row.amount;
  }
  void say(std::int64_t end, std::int64_t key, const State& state) {
    checksum_ += checksum_cell_mix(end * kSecond, key, state.count, state.sum);
    ++results_;
  }

  // The open slice ends; a window may end with it.
  void end_slice() {
    for (std::int64_t key = 0; key < kKeys; ++key) {
      State& running = running_[static_cast<std::size_t>(key)];
      const State& state = at(now_, key);
      running.count += state.count;
      running.sum += state.sum;
    }
    ++now_;
    if (now_ % step_ == 0) {
      for (std::int64_t key = 0; key < kKeys; ++key) {
        State& running = running_[static_cast<std::size_t>(key)];
        if (running.count > 0) say(now_, key, running);
        if (step_ > 1) running = State{};
      }
    }
    for (std::int64_t key = 0; key < kKeys; ++key) {
      if (step_ == 1) {
        State& running = running_[static_cast<std::size_t>(key)];
        const State& leaving = at(now_ - slides_, key);
        running.count -= leaving.count;
        running.sum -= leaving.sum;
      }
      at(now_, key) = State{};
    }
  }

  void add_late(std::int64_t slice, const Row& row) {
    take(at(slice, row.key), row);
    if (step_ == 1 || slice >= now_ / step_ * step_) {
      take(running_[static_cast<std::size_t>(row.key)], row);
    }
    if (step_ == 1) {
      // From the window that ends now, back to that which ends with the slice.
      State window = running_[static_cast<std::size_t>(row.key)];
      for (std::int64_t end = now_; end > slice; --end) {
        const State& first = at(end - slides_, row.key);
        window.count += first.count;
        window.sum += first.sum;
        say(end, row.key, window);
        const State& last = at(end - 1, row.key);
        window.count -= last.count;
        window.sum -= last.sum;
      }
      return;
    }
    const std::int64_t start = floor_div(slice, step_) * step_;
    if (start + step_ > now_) return;
    State window;
    for (std::int64_t of = start; of < start + step_; ++of) {
      window.count += at(of, row.key).count;
      window.sum += at(of, row.key).sum;
    }
    say(start + step_, row.key, window);
  }

  std::int64_t slides_;
  std::int64_t step_;
  std::int64_t ring_;
  std::int64_t now_ = 0;  // the open slice
  std::vector<State> slices_;
  std::vector<State> running_;
  std::uint64_t checksum_ = 0;
  std::uint64_t results_ = 0;
};

struct Shape {
  std::int64_t slides;
  bool tumbles;
  std::int64_t rows;
};

Shape shape_of(const benchmark::State& state) {
  const std::int64_t slides = state.range(0);
  const bool tumbles = state.range(1) != 0;
  // The windows fill, and slide on for ten minutes; or tumble for as long.
  return {slides, tumbles, (slides + 600) * kRowsPerSecond};
}

WindowQuery query_of(const Shape& shape, std::int64_t lateness) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"amount", ColumnType::kInt64}};
  const auto size = std::chrono::milliseconds(shape.slides * kSecond);
  query.windows = {shape.tumbles ? tumbling(size)
                                 : sliding(size, std::chrono::milliseconds(kSecond))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  query.lateness = lateness;
  return query;
}

// Fires when a row has passed the end of a slice, as a source task with no delay cuts batches.
std::uint64_t window_stage(const Shape& shape, std::int64_t lateness, std::int64_t late_percent,
                           RunReport& report) {
  const WindowQuery query = query_of(shape, lateness);
  ChecksumOutput output(query);
  WindowOperator stage(query, plan_query(query), output);
  Batch batch(query.row_schema());
  std::vector<std::uint16_t> late;
  const auto send = [&] {
    hash_keys(batch, 1, 0, batch.size());
    late.clear();
    while (!stage.add(batch, late)) {
    }
    batch.clear();
  };
  EventTime next_edge = kSecond;
  for (std::int64_t number = 0; number < shape.rows; ++number) {
    const Row row = row_at(number, late_percent);
    const std::size_t at = batch.size();
    batch.times()[at] = row.time;
    batch.column(0).int64s()[at] = row.key;
    batch.column(1).int64s()[at] = row.amount;
    batch.set_size(at + 1);
    if (row.time >= next_edge) {
      send();
      stage.advance(row.time - 1);
      while (!stage.fire()) {
      }
      next_edge = floor_div(row.time, kSecond) * kSecond + kSecond;
    } else if (batch.full()) {
      send();
    }
  }
  send();
  stage.emitter().flush();
  stage.report(report);
  return output.checksum();
}

void count(benchmark::State& state, std::int64_t rows, std::uint64_t results) {
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(rows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["results_per_row"] = static_cast<double>(results) / static_cast<double>(rows);
}

std::uint64_t limit_checksum(const Shape& shape, std::int64_t late_percent,
                             std::uint64_t& results) {
  HandWritten loop(shape.slides, shape.tumbles);
  for (std::int64_t number = 0; number < shape.rows; ++number)
    loop.add(row_at(number, late_percent));
  results = loop.results();
  return loop.checksum();
}

void limit(benchmark::State& state) {
  const Shape shape = shape_of(state);
  std::uint64_t results = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(limit_checksum(shape, state.range(2), results));
  }
  count(state, shape.rows, results);
}

void stage(benchmark::State& state, std::int64_t lateness) {
  const Shape shape = shape_of(state);
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    report = RunReport{};
    checksum = window_stage(shape, lateness, state.range(2), report);
  }
  std::uint64_t results = 0;
  // Without allowed lateness late rows are dropped, which the loop does not do.
  const bool comparable = lateness > 0 || state.range(2) == 0;
  if (comparable && !are_right(state, checksum, limit_checksum(shape, state.range(2), results))) {
    return;
  }
  count(state, shape.rows, report.results);
  const auto rows = static_cast<double>(shape.rows);
  state.counters["updates_per_row"] = static_cast<double>(report.state.updates) / rows;
  state.counters["merges_per_row"] = static_cast<double>(report.state.merges) / rows;
  state.counters["peak_live_entries"] = static_cast<double>(report.state.peak_live_entries);
  state.counters["peak_state_bytes"] = static_cast<double>(report.state.peak_state_bytes);
  state.counters["late_rows"] = static_cast<double>(report.rows_late);
}

// Which windows fire again, and how often, depends on the watermark that a late row meets, so there
// is one source.
void one_source_one_window(benchmark::State& state) {
  const Shape shape = shape_of(state);
  RowColumns rows;
  rows.reserve(static_cast<std::size_t>(shape.rows));
  for (std::int64_t number = 0; number < shape.rows; ++number) {
    const Row row = row_at(number, state.range(2));
    rows.add(row.time, row.key, row.amount);
  }
  RunReport report;
  for (auto _ : state) {
    std::vector<ChecksumSink> sinks(1);
    report = run_columns(query_of(shape, kLateness), rows, sinks);
  }
  report_rate(state, rows.size());
  report_counters(state, report);
}

void without_lateness(benchmark::State& state) { stage(state, 0); }
void ten_minutes(benchmark::State& state) { stage(state, kLateness); }

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"slides", "tumbling", "late_percent"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t late : {0, 1, 10}) {
    bench->Args({3600, 0, late});
    bench->Args({60, 1, late});
  }
}

BENCHMARK(limit)->Apply(shapes);
BENCHMARK(without_lateness)->Apply(shapes);
BENCHMARK(ten_minutes)->Apply(shapes);
BENCHMARK(one_source_one_window)->Apply(shapes)->UseRealTime();

}  // namespace
}  // namespace tidemark::bench
