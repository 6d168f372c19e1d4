// Tumbling windows of 10 s over streams of all kinds: from one key to ten million, even and skewed,
// in order and not. Beside each pipeline stands the shortest hand-written loop over the same rows;
// that of a disordered stream takes them in order, since sorting is not its work.
//
//   tumbling_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                  --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "columns_job.h"
#include "right_results.h"
#include "row_columns.h"
#include "sliding_limit.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kSize = 10'000;
constexpr std::size_t kRows = 10'000'000;

struct Stream {
  std::uint64_t keys;
  Skew skew{};
  std::int64_t disorder = 0;  // ms
};

std::string name_of(const Stream& stream) {
  std::string name = "keys:" + std::to_string(stream.keys) + "/" + to_string(stream.skew);
  if (stream.disorder > 0) name += "/disorder_ms:" + std::to_string(stream.disorder);
  return name;
}

RowColumns rows_of(const Stream& stream) {
  BenchStreamConfig config;
  config.keys = stream.keys;
  config.skew = stream.skew;
  config.disorder = stream.disorder;
  config.rows = kRows;
  config.event_rate = 100'000;
  RowColumns rows;
  rows.times.resize(kRows);
  rows.keys.resize(kRows);
  rows.values.resize(kRows);
  BenchStream(config).fill(0, 1, kRows, rows.times.data(), rows.keys.data(), rows.values.data());
  return rows;
}

void limit(benchmark::State& state, Stream stream) {
  stream.disorder = 0;
  const RowColumns rows = rows_of(stream);
  for (auto _ : state) {
    SlidingLimit limit(kSize, kSize, (rows.times.front() / kSize + 1) * kSize);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      limit.add(rows.times[i], rows.keys[i], rows.values[i]);
    }
    limit.finish();
    benchmark::DoNotOptimize(limit.checksum());
  }
  report_rate(state, kRows);
}

std::uint64_t expected_checksum(const RowColumns& rows) {
  // Tumbling windows do not mind the order of the rows within one.
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows.times[a] < rows.times[b]; });
  SlidingLimit limit(kSize, kSize, (rows.times[order.front()] / kSize + 1) * kSize);
  for (const std::size_t i : order) limit.add(rows.times[i], rows.keys[i], rows.values[i]);
  limit.finish();
  return limit.checksum();
}

void pipeline(benchmark::State& state, const Stream& stream, std::size_t cores) {
  const RowColumns rows = rows_of(stream);
  WindowQuery query;
  query.windows = {tumbling(std::chrono::milliseconds(kSize))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  query.delay = stream.disorder;
  RunReport report;
  std::uint64_t checksum = 0;
  for (auto _ : state) {
    std::vector<ChecksumSink> sinks(cores);
    report = run_columns(query, rows, sinks);
    checksum = checksum_of(sinks);
  }
  if (!are_right(state, checksum, expected_checksum(rows))) return;
  report_rate(state, kRows);
  report_counters(state, report);
}

[[maybe_unused]] const bool registered = [] {
  const Stream streams[] = {
      {1},
      {10},
      {1'000},
      {100'000},
      {1'000'000},
      {10'000'000},
      {1'000'000, {SkewKind::kZipf, 1.1}},
      {1'000'000, {SkewKind::kHot, 0.5}},
      {1'000, {}, 5'000},
      {100'000, {}, 5'000},
  };
  const auto once = [](benchmark::internal::Benchmark* bench) {
    bench->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  for (const Stream& stream : streams) {
    once(benchmark::RegisterBenchmark((name_of(stream) + "/limit_one_thread").c_str(),
                                      [stream](benchmark::State& state) { limit(state, stream); }));
    for (const std::size_t cores : {1U, 2U}) {
      const char* const topology =
          cores == 1 ? "/one_source_one_window" : "/two_sources_two_windows";
      once(benchmark::RegisterBenchmark(
          (name_of(stream) + topology).c_str(),
          [stream, cores](benchmark::State& state) { pipeline(state, stream, cores); }));
    }
  }
  return true;
}();

}  // namespace
}  // namespace tidemark::bench
