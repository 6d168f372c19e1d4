// What each aggregate costs: rows into the entries of a slice, entries merged into running rows,
// and results from them, each beside the shortest loop that keeps the same figures for the same
// rows.
//
//   aggregates_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemark/operators/aggregate_layout.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/user_aggregate.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kKeys = 1000;
constexpr std::size_t kChunk = 256;
constexpr std::size_t kRows = 256 * 1024;  // of a slice; about 262 values for each key
constexpr std::int64_t kValues = 1000;     // different ones

struct Rows {
  std::vector<std::uint32_t> slots;
  std::vector<Batch> chunks;  // of one int64 column
};

const Rows& rows() {
  static const Rows made = [] {
    Rows all;
    std::mt19937_64 random(1);
    for (std::size_t row = 0; row < kRows; ++row) {
      if (row % kChunk == 0) {
        all.chunks.emplace_back(Schema{{"x", ColumnType::kInt64}}, kChunk);
        all.chunks.back().set_size(kChunk);
      }
      all.slots.push_back(static_cast<std::uint32_t>(random() % kKeys));
      all.chunks.back().times()[row % kChunk] = static_cast<EventTime>(row);
      all.chunks.back().column(0).int64s()[row % kChunk] =
          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kValues));
    }
    return all;
  }();
  return made;
}

struct SumOfSquares {
  static std::int64_t identity() { return 0; }
  static std::int64_t lift(std::int64_t value) { return value * value; }
  static std::int64_t combine(std::int64_t a, std::int64_t b) { return a + b; }
  static std::int64_t lower(std::int64_t state) { return state; }
};

AggregateLayout layout_of(AggregateFunction function, std::pmr::memory_resource& memory) {
  AggregateSpec spec{function, 0, "x", function == AggregateFunction::kTopK ? 3.0 : 0.99};
  if (function == AggregateFunction::kUser) spec.user = define_aggregate<SumOfSquares>();
  return AggregateLayout({{"x", ColumnType::kInt64}}, {spec}, false, memory);
}

void fill(Pane& pane, const AggregateLayout& layout) {
  const Rows& all = rows();
  std::vector<std::byte*> entries(kChunk);
  for (std::size_t i = 0; i < all.chunks.size(); ++i) {
    pane.prepare(i + 1, kChunk, kKeys);
    pane.find_or_add({all.slots.data() + i * kChunk, kChunk}, 1, entries.data());
    layout.update(entries.data(), all.chunks[i], 0, 0, kChunk);
  }
}

void report(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

void update(benchmark::State& state, AggregateFunction function) {
  StateMemory memory;
  const AggregateLayout layout = layout_of(function, memory);
  rows();
  std::size_t bytes = 0;
  for (auto _ : state) {
    Pane pane(layout, memory);
    fill(pane, layout);
    bytes = memory.bytes();
  }
  report(state, kRows);
  state.counters["bytes_per_entry"] = static_cast<double>(bytes) / kKeys;
}

// Eight slices' entries into running rows, as recompute and the back stack do it.
void merge(benchmark::State& state, AggregateFunction function) {
  constexpr std::size_t kSlices = 8;
  StateMemory memory;
  const AggregateLayout layout = layout_of(function, memory);
  Pane slice(layout, memory);
  fill(slice, layout);
  const std::size_t entry_size = layout.entry_size();
  for (auto _ : state) {
    Pane running(layout, memory);
    running.prepare(1, slice.size(), kKeys);
    for (std::size_t i = 0; i < kSlices; ++i) {
      for (std::size_t entry = 0; entry < slice.size(); ++entry) {
        const std::byte* const from = slice.entries() + entry * entry_size;
        std::byte* into = running.find_or_add(entry_header(from).slot);
        layout.merge(&into, from, 1);
      }
    }
    benchmark::DoNotOptimize(running.entries());
  }
  report(state, kSlices * kKeys);
}

void lower(benchmark::State& state, AggregateFunction function) {
  StateMemory memory;
  const AggregateLayout layout = layout_of(function, memory);
  Pane slice(layout, memory);
  fill(slice, layout);
  std::vector<const std::byte*> entries;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    entries.push_back(slice.entries() + i * layout.entry_size());
  }
  Batch results(layout.result_columns(), kKeys);
  std::vector<CellOverflow> overflows;
  for (auto _ : state) {
    results.clear();
    layout.lower(entries.data(), nullptr, entries.size(), results, 0, 0, overflows);
    benchmark::DoNotOptimize(results.column(0).cells());
  }
  report(state, kKeys);
}

// --- The shortest loops ---

// Calls add(state of the row's key, value) for all rows.
template <typename State, typename Add>
void loop(benchmark::State& state, Add add) {
  const Rows& all = rows();
  for (auto _ : state) {
    std::vector<State> states(kKeys);
    for (std::size_t i = 0; i < all.chunks.size(); ++i) {
      const std::int64_t* const values = all.chunks[i].column(0).int64s();
      for (std::size_t row = 0; row < kChunk; ++row) {
        add(states[all.slots[i * kChunk + row]], values[row]);
      }
    }
    benchmark::DoNotOptimize(states.data());
  }
  report(state, kRows);
}

void limit_sum(benchmark::State& state) {
  loop<std::int64_t>(state, [](std::int64_t& sum, std::int64_t value) { sum += value; });
}

struct Welford {
  double count = 0;
  double mean = 0;
  double squares = 0;
};
void limit_variance(benchmark::State& state) {
  loop<Welford>(state, [](Welford& welford, std::int64_t value) {
    const auto x = static_cast<double>(value);
    const double distance = x - welford.mean;
    welford.mean += distance / ++welford.count;
    welford.squares += distance * (x - welford.mean);
  });
}

void limit_last(benchmark::State& state) {
  loop<std::int64_t>(state, [](std::int64_t& last, std::int64_t value) { last = value; });
}

void limit_values(benchmark::State& state) {
  loop<std::vector<std::int64_t>>(state, [](std::vector<std::int64_t>& values, std::int64_t value) {
    values.push_back(value);
  });
}

void limit_set(benchmark::State& state) {
  loop<std::unordered_set<std::int64_t>>(state, [](std::unordered_set<std::int64_t>& values,
                                                   std::int64_t value) { values.insert(value); });
}

void limit_counts(benchmark::State& state) {
  loop<std::unordered_map<std::int64_t, std::int64_t>>(
      state, [](std::unordered_map<std::int64_t, std::int64_t>& counts, std::int64_t value) {
        ++counts[value];
      });
}

void limit_nth_element(benchmark::State& state) {
  const Rows& all = rows();
  std::vector<std::vector<std::int64_t>> values(kKeys);
  for (std::size_t row = 0; row < kRows; ++row) {
    values[all.slots[row]].push_back(all.chunks[row / kChunk].column(0).int64s()[row % kChunk]);
  }
  std::vector<std::int64_t> scratch;
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& of_key : values) {
      scratch = of_key;
      const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
      std::nth_element(scratch.begin(), middle, scratch.end());
      sum += *middle;
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, kKeys);
}

const std::vector<AggregateFunction> kFunctions{
    AggregateFunction::kSum,           AggregateFunction::kVariance,
    AggregateFunction::kFirst,         AggregateFunction::kLast,
    AggregateFunction::kCountDistinct, AggregateFunction::kApproxDistinct,
    AggregateFunction::kMedian,        AggregateFunction::kApproxQuantile,
    AggregateFunction::kTopK,          AggregateFunction::kCollect,
    AggregateFunction::kUser,
};

const int kRegistered = [] {
  for (const AggregateFunction function : kFunctions) {
    const std::string name(to_string(function));
    benchmark::RegisterBenchmark(("update/" + name).c_str(), update, function);
    benchmark::RegisterBenchmark(("merge/" + name).c_str(), merge, function);
    benchmark::RegisterBenchmark(("lower/" + name).c_str(), lower, function);
  }
  return 0;
}();

BENCHMARK(limit_sum)->Name("update/sum/limit");
BENCHMARK(limit_variance)->Name("update/variance/limit");
BENCHMARK(limit_last)->Name("update/last/limit");
BENCHMARK(limit_set)->Name("update/count_distinct/limit");
BENCHMARK(limit_counts)->Name("update/top_k/limit");
BENCHMARK(limit_values)->Name("update/median/limit");
BENCHMARK(limit_nth_element)->Name("lower/median/limit");

}  // namespace
}  // namespace tidemark::bench
