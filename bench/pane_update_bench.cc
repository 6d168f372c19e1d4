// One slice's rows into its pane, as the window stage does it and as its limit: count, sum and max
// of int64 amounts per key slot, known to the compiler. Keys have their slots already.
//
//   pane_update_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/window_state.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kRows = 10'000;
constexpr std::size_t kSlices = 16;

// Slots and amounts of the rows of some slices.
struct Rows {
  explicit Rows(std::uint64_t keys) : slots(kSlices * kRows), amounts(kSlices * kRows) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] = static_cast<std::uint32_t>(mix_key(i) % keys);
      amounts[i] = static_cast<std::int64_t>(mix_key(i + slots.size()) % 1000);
    }
  }
  std::vector<std::uint32_t> slots;
  std::vector<std::int64_t> amounts;
};

struct Entry {
  std::uint32_t slot;
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t max = INT64_MIN;
};

void limit_loop(benchmark::State& state) {
  const auto keys = static_cast<std::uint64_t>(state.range(0));
  const Rows rows(keys);
  std::vector<std::uint32_t> index(keys);
  std::vector<Entry> open;
  std::size_t slice = 0;
  for (auto _ : state) {
    open.clear();
    const std::size_t first = slice++ % kSlices * kRows;
    for (std::size_t i = first; i < first + kRows; ++i) {
      const std::uint32_t slot = rows.slots[i];
      std::uint32_t at = index[slot];
      if (at >= open.size() || open[at].slot != slot) {
        at = index[slot] = static_cast<std::uint32_t>(open.size());
        open.push_back({slot});
      }
      Entry& entry = open[at];
      ++entry.count;
      entry.sum += rows.amounts[i];
      entry.max = std::max(entry.max, rows.amounts[i]);
    }
    benchmark::DoNotOptimize(open.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void pane(benchmark::State& state) {
  const auto keys = static_cast<std::uint64_t>(state.range(0));
  const Rows rows(keys);
  const Schema values = {{"amount", ColumnType::kInt64}};
  const AggregateLayout layout(values,
                               {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                                {AggregateFunction::kSum, 0, "sum"},
                                {AggregateFunction::kMax, 0, "max"}},
                               false);
  StateMemory memory;
  Pane pane(layout, memory);
  Batch batch(values, RowChunk::kRows);
  std::array<std::byte*, RowChunk::kRows> entries;
  std::uint64_t stamp = 0;
  std::size_t slice = 0;
  for (auto _ : state) {
    pane.clear();
    const std::size_t first = slice++ % kSlices * kRows;
    for (std::size_t i = 0; i < kRows; i += RowChunk::kRows) {
      const std::size_t n = std::min(RowChunk::kRows, kRows - i);
      std::copy_n(rows.amounts.data() + first + i, n, batch.column(0).int64s());
      batch.set_size(n);
      pane.prepare(++stamp, n, keys);
      pane.find_or_add({rows.slots.data() + first + i, n}, layout.never_null(batch, 0),
                       entries.data());
      layout.update(entries.data(), batch, 0, 0, n);
    }
    benchmark::DoNotOptimize(pane.entries());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void key_counts(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(limit_loop)->Apply(key_counts);
BENCHMARK(pane)->Apply(key_counts);

}  // namespace
}  // namespace tidemark::bench
