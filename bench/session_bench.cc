// What sessions cost a row: a window stage by itself, and the shortest hand-written loop for the
// same sessions, whose checksum must be the same.
//
//   session_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "checksum_output.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/result_checksum.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kRows = 2'000'000;

// One row a millisecond, keys uniform: a key comes every `keys` ms in the mean, and with a gap of
// three times that a session has twenty rows.
std::vector<std::int64_t> random_keys(std::int64_t keys) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> sequence(kRows);
  for (std::int64_t& key : sequence) {
    key = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(keys));
  }
  return sequence;
}

// Count and sum per session over rows in order of time. Keys are numbers below `keys`, so that an
// array holds them; a session ends with the row that begins the next.
std::uint64_t hand_written(const std::vector<std::int64_t>& keys, std::size_t distinct,
                           std::int64_t gap) {
  struct Session {
    std::int64_t last = INT64_MIN / 2;
    std::int64_t count = 0;
    std::int64_t sum = 0;
  };
  std::vector<Session> sessions(distinct);
  std::uint64_t checksum = 0;
  const auto end = [&](std::size_t key) {
    const Session& session = sessions[key];
    checksum += checksum_cell_mix(session.last + gap, static_cast<std::int64_t>(key), session.count,
                                  session.sum);
  };
  for (std::int64_t time = 0; time < kRows; ++time) {
    const auto key = static_cast<std::size_t>(keys[static_cast<std::size_t>(time)]);
    Session& session = sessions[key];
    if (time - session.last > gap) {
      if (session.count > 0) end(key);
      session.count = session.sum = 0;
    }
    session.last = time;
    ++session.count;
    session.sum += time;
  }
  for (std::size_t key = 0; key < distinct; ++key) {
    if (sessions[key].count > 0) end(key);
  }
  return checksum;
}

std::uint64_t window_stage(const std::vector<std::int64_t>& keys, std::int64_t gap) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = {session(std::chrono::milliseconds(gap))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"}};
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
    while (!stage.add_in_time(batch, watermarks, late, late_watermarks)) {
    }
  }
  stage.advance(kEndOfTime);
  while (!stage.fire()) {
  }
  stage.emitter().flush();
  return output.checksum();
}

void count_rows(benchmark::State& state) {
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void limit(benchmark::State& state) {
  const std::vector<std::int64_t> keys = random_keys(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        hand_written(keys, static_cast<std::size_t>(state.range(0)), 3 * state.range(0)));
  }
  count_rows(state);
}

void stage(benchmark::State& state) {
  const std::vector<std::int64_t> keys = random_keys(state.range(0));
  const std::int64_t gap = 3 * state.range(0);
  std::uint64_t checksum = 0;
  for (auto _ : state) checksum = window_stage(keys, gap);
  count_rows(state);
  if (checksum != hand_written(keys, static_cast<std::size_t>(state.range(0)), gap)) {
    state.SkipWithError("the sessions are not those of the hand-written loop");
  }
}

BENCHMARK(limit)->Arg(1000)->Arg(100'000);
BENCHMARK(stage)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace tidemark::bench
