// What each aggregate costs: rows into the entries of a slice, entries merged into running rows,
// and results from them, each beside the shortest loop that keeps the same figures for the same
// rows.
//
//   aggregates_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate_limits.h"
#include "right_results.h"
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
constexpr std::size_t kSlices = 8;         // that are merged

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

// What a state says, as a number: of lists of the most frequent the first, of others their length.
double number_of(const Column& column, std::size_t row, AggregateFunction function) {
  if (column.type() == ColumnType::kInt64) return static_cast<double>(column.int64s()[row]);
  if (column.type() == ColumnType::kDouble) return column.doubles()[row];
  const std::string_view list = column.string(row);
  if (function == AggregateFunction::kTopK) return std::strtod(list.data() + 1, nullptr);
  return static_cast<double>(1 + std::count(list.begin(), list.end(), ','));
}

// The results of a pane's entries, by slot.
std::vector<double> results_of(const Pane& pane, const AggregateLayout& layout,
                               AggregateFunction function) {
  std::vector<const std::byte*> entries;
  for (std::size_t i = 0; i < pane.size(); ++i) {
    entries.push_back(pane.entries() + i * layout.entry_size());
  }
  Batch results(layout.result_columns(), entries.size());
  std::vector<CellOverflow> overflows;
  layout.lower(entries.data(), nullptr, entries.size(), results, 0, 0, overflows);
  std::vector<double> by_slot(kKeys);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    by_slot[entry_header(entries[i]).slot] = number_of(results.column(0), i, function);
  }
  return by_slot;
}

// Of exact aggregates but for rounding; of the others within a few percent.
bool are_close(const std::vector<double>& a, const std::vector<double>& b,
               AggregateFunction function) {
  const bool exact = function != AggregateFunction::kApproxDistinct &&
                     function != AggregateFunction::kApproxQuantile;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](double x, double y) {
    return std::abs(x - y) <= (exact ? 1e-9 : 0.1) * std::abs(y);
  });
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
void merge_slices(const Pane& slice, const AggregateLayout& layout, Pane& running) {
  std::array<std::uint32_t, kChunk> slots;
  std::array<std::byte*, kChunk> rows;
  std::uint64_t stamp = 0;
  for (std::size_t i = 0; i < kSlices; ++i) {
    for (std::size_t from = 0; from < slice.size(); from += kChunk) {
      const std::size_t n = std::min(kChunk, slice.size() - from);
      const std::byte* const entries = slice.entries() + from * layout.entry_size();
      for (std::size_t row = 0; row < n; ++row) {
        slots[row] = entry_header(entries + row * layout.entry_size()).slot;
      }
      running.prepare(++stamp, n, kKeys);
      running.find_or_add({slots.data(), n}, 0, rows.data());
      layout.merge(rows.data(), entries, n);
    }
  }
}

void merge(benchmark::State& state, AggregateFunction function) {
  StateMemory memory;
  const AggregateLayout layout = layout_of(function, memory);
  Pane slice(layout, memory);
  fill(slice, layout);
  for (auto _ : state) {
    Pane running(layout, memory);
    merge_slices(slice, layout, running);
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

template <typename Limit>
std::vector<Limit> filled() {
  const Rows& all = rows();
  std::vector<Limit> states(kKeys);
  for (std::size_t i = 0; i < all.chunks.size(); ++i) {
    const std::int64_t* const values = all.chunks[i].column(0).int64s();
    for (std::size_t row = 0; row < kChunk; ++row) {
      states[all.slots[i * kChunk + row]].add(values[row]);
    }
  }
  return states;
}

template <typename Limit>
std::vector<Limit> merged(const std::vector<Limit>& slice) {
  std::vector<Limit> running(kKeys);
  for (std::size_t i = 0; i < kSlices; ++i) {
    for (std::size_t key = 0; key < kKeys; ++key) running[key].merge(slice[key]);
  }
  return running;
}

template <typename Limit>
std::vector<double> results_of(const std::vector<Limit>& states) {
  std::vector<double> results;
  results.reserve(states.size());
  for (const Limit& state : states) results.push_back(state.result());
  return results;
}

template <typename Limit>
void limit_update(benchmark::State& state) {
  rows();
  for (auto _ : state) benchmark::DoNotOptimize(filled<Limit>().data());
  report(state, kRows);
}

template <typename Limit>
void limit_merge(benchmark::State& state) {
  const std::vector<Limit> slice = filled<Limit>();
  for (auto _ : state) benchmark::DoNotOptimize(merged(slice).data());
  report(state, kSlices * kKeys);
}

template <typename Limit>
void limit_lower(benchmark::State& state) {
  const std::vector<Limit> slice = filled<Limit>();
  for (auto _ : state) benchmark::DoNotOptimize(results_of(slice).data());
  report(state, kKeys);
}

// Whether the aggregate and its limit say the same of a slice, and of slices merged.
template <typename Limit>
bool is_right(AggregateFunction function) {
  StateMemory memory;
  const AggregateLayout layout = layout_of(function, memory);
  Pane slice(layout, memory);
  fill(slice, layout);
  Pane running(layout, memory);
  merge_slices(slice, layout, running);
  const std::vector<Limit> states = filled<Limit>();
  return are_close(results_of(slice, layout, function), results_of(states), function) &&
         are_close(results_of(running, layout, function), results_of(merged(states)), function);
}

template <typename Limit>
void add(AggregateFunction function) {
  const std::string name(to_string(function));
  const auto checked = [function](void (*run)(benchmark::State&, AggregateFunction)) {
    return [function, run](benchmark::State& state) {
      static const bool right = is_right<Limit>(function);
      if (are_right(state, right, true)) run(state, function);
    };
  };
  benchmark::RegisterBenchmark(("update/" + name).c_str(), checked(update));
  benchmark::RegisterBenchmark(("update/" + name + "/limit").c_str(), limit_update<Limit>);
  benchmark::RegisterBenchmark(("merge/" + name).c_str(), checked(merge));
  benchmark::RegisterBenchmark(("merge/" + name + "/limit").c_str(), limit_merge<Limit>);
  benchmark::RegisterBenchmark(("lower/" + name).c_str(), checked(lower));
  benchmark::RegisterBenchmark(("lower/" + name + "/limit").c_str(), limit_lower<Limit>);
}

[[maybe_unused]] const bool registered = [] {
  add<limits::Count>(AggregateFunction::kCount);
  add<limits::Sum>(AggregateFunction::kSum);
  add<limits::Min>(AggregateFunction::kMin);
  add<limits::Max>(AggregateFunction::kMax);
  add<limits::Average>(AggregateFunction::kAvg);
  add<limits::Variance>(AggregateFunction::kVariance);
  add<limits::Deviation>(AggregateFunction::kStddev);
  add<limits::First>(AggregateFunction::kFirst);
  add<limits::Last>(AggregateFunction::kLast);
  add<limits::Distinct>(AggregateFunction::kCountDistinct);
  add<limits::ApproxDistinct>(AggregateFunction::kApproxDistinct);
  add<limits::Median>(AggregateFunction::kMedian);
  add<limits::Quantile>(AggregateFunction::kQuantile);
  add<limits::ApproxQuantile>(AggregateFunction::kApproxQuantile);
  add<limits::TopThree>(AggregateFunction::kTopK);
  add<limits::Collected>(AggregateFunction::kCollect);
  add<limits::SumOfSquares>(AggregateFunction::kUser);
  return true;
}();

}  // namespace
}  // namespace tidemark::bench
