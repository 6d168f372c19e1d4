// What one firing costs, the usual one and the worst: sliding windows of 3,600 slides over keys
// that have rows in every slice, count, sum and max. By strategy, and beside them the limit, the
// hand-written loop, whose two stacks flip as well. `recompute` is left out: it walks all that is
// live at every firing.
//
// Every firing of a run does the same work in every run, and whatever else the machine does only
// adds to it: so the time of a firing is the shortest of several runs.
//   firing_bench --benchmark_counters_tabular=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "checksum_output.h"
#include "right_results.h"
#include "sliding_limit.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::bench {
namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::int64_t kSlide = 1000;
constexpr std::int64_t kWindow = 3600;  // slides
constexpr std::uint64_t kKeys = 1000;
constexpr std::uint64_t kRowsPerSlide = 4000;
// The window fills; then firings are measured for a little longer than it is.
constexpr std::int64_t kSlides = 2 * kWindow + kWindow / 8;
constexpr int kRuns = 5;

BenchStream make_stream() {
  BenchStreamConfig config;
  config.keys = kKeys;
  config.event_rate = kRowsPerSlide;
  config.start = 0;
  config.rows = kRowsPerSlide * static_cast<std::uint64_t>(kSlides + 1);
  return BenchStream(config);
}

// Firings of a full window, each by its shortest time in any run.
class FiringTimes {
 public:
  void add(std::int64_t slide, Nanoseconds time) {
    if (slide < kWindow) return;
    const auto at = static_cast<std::size_t>(slide - kWindow);
    if (at >= times_.size()) times_.resize(at + 1, time.count());
    times_[at] = std::min(times_[at], time.count());
  }

  void report(benchmark::State& state) {
    std::sort(times_.begin(), times_.end());
    const double median = times_[times_.size() / 2];
    state.counters["median_us"] = median / 1000;
    state.counters["worst_us"] = times_.back() / 1000;
    state.counters["worst_over_median"] = times_.back() / median;
    state.counters["p99_over_median"] = times_[times_.size() * 99 / 100] / median;
  }

 private:
  std::vector<double> times_;
};

Nanoseconds time_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - begin;
}

void limit(benchmark::State& state) {
  const BenchStream stream = make_stream();
  std::vector<EventTime> times(kRowsPerSlide);
  std::vector<std::int64_t> keys(kRowsPerSlide);
  std::vector<std::int64_t> amounts(kRowsPerSlide);
  FiringTimes firings;
  for (auto _ : state) {
    for (int run = 0; run < kRuns; ++run) {
      SlidingLimit loop(kWindow * kSlide, kSlide, kSlide);
      for (std::int64_t slide = 0; slide < kSlides; ++slide) {
        stream.fill(static_cast<std::uint64_t>(slide) * kRowsPerSlide, 1, kRowsPerSlide,
                    times.data(), keys.data(), amounts.data());
        // The first row of a slide fires the window that ends before it.
        firings.add(slide - 1, time_of([&] { loop.add(times[0], keys[0], amounts[0]); }));
        for (std::size_t i = 1; i < kRowsPerSlide; ++i) loop.add(times[i], keys[i], amounts[i]);
      }
      benchmark::DoNotOptimize(loop.checksum());
    }
  }
  firings.report(state);
}

WindowQuery query_of(Strategy strategy) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {
      sliding(std::chrono::milliseconds(kWindow * kSlide), std::chrono::milliseconds(kSlide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
  // What cannot be undone is left to the strategies that undo nothing.
  if (strategy != Strategy::kSubtract) {
    query.aggregates.push_back({AggregateFunction::kMax, 0, "max"});
  }
  query.strategy = strategy;
  return query;
}

void add_slide(const BenchStream& stream, std::int64_t slide, Batch& batch, WindowOperator& stage) {
  std::vector<std::uint16_t> late;
  for (std::uint64_t row = 0; row < kRowsPerSlide; row += batch.size()) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(batch.capacity(), kRowsPerSlide - row));
    batch.clear();
    stream.fill(static_cast<std::uint64_t>(slide) * kRowsPerSlide + row, 1, n, batch.times(),
                batch.column(0).int64s(), batch.column(1).int64s());
    batch.set_size(n);
    hash_keys(batch, 1, 0, n);
    stage.add(batch, late);
  }
}

// Of the windows that end with slides [0, kSlides).
template <bool kWithMax>
std::uint64_t expected_checksum(const BenchStream& stream) {
  BasicSlidingLimit<kWithMax> loop(kWindow * kSlide, kSlide, kSlide);
  std::vector<EventTime> times(kRowsPerSlide);
  std::vector<std::int64_t> keys(kRowsPerSlide);
  std::vector<std::int64_t> amounts(kRowsPerSlide);
  for (std::int64_t slide = 0; slide < kSlides; ++slide) {
    stream.fill(static_cast<std::uint64_t>(slide) * kRowsPerSlide, 1, kRowsPerSlide, times.data(),
                keys.data(), amounts.data());
    for (std::size_t i = 0; i < kRowsPerSlide; ++i) loop.add(times[i], keys[i], amounts[i]);
  }
  loop.add(kSlides * kSlide, 0, 0);
  return loop.checksum();
}

void firing(benchmark::State& state, Strategy strategy) {
  const BenchStream stream = make_stream();
  const WindowQuery query = query_of(strategy);
  Batch batch(query.row_schema());
  FiringTimes firings;
  std::uint64_t merges = 0;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    for (int run = 0; run < kRuns; ++run) {
      ChecksumOutput output(query);
      WindowOperator stage(query, plan_query(query), output);
      for (std::int64_t slide = 0; slide < kSlides; ++slide) {
        add_slide(stream, slide, batch, stage);
        firings.add(slide, time_of([&] {
                      stage.advance((slide + 1) * kSlide - 1);
                      while (!stage.fire()) {
                      }
                    }));
      }
      RunReport report;
      stage.report(report);
      merges = report.state.merges;
      stage.emitter().flush();
      checksum = output.checksum();
    }
  }
  const bool with_max = query.aggregates.size() == 3;
  if (!are_right(state, checksum,
                 with_max ? expected_checksum<true>(stream) : expected_checksum<false>(stream))) {
    return;
  }
  firings.report(state);
  state.counters["merges_per_slide"] = static_cast<double>(merges) / static_cast<double>(kSlides);
}

BENCHMARK(limit)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(firing, subtract, Strategy::kSubtract)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(firing, two_stacks, Strategy::kTwoStacks)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(firing, worst_case, Strategy::kWorstCase)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(firing, base_intervals, Strategy::kBaseIntervals)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidemark::bench
