// One slice's rows into its pane, as the window stage does it and as its limit: count, sum and max
// of int64 amounts per key slot, known to the compiler. Keys have their slots already.
//
//   pane_update_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "right_results.h"
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
  friend bool operator==(const Entry&, const Entry&) = default;
};

class Limit {
 public:
  explicit Limit(std::uint64_t keys) : index_(keys) {}

  void take(const Rows& rows, std::size_t slice) {
    open_.clear();
    const std::size_t first = slice % kSlices * kRows;
    for (std::size_t i = first; i < first + kRows; ++i) {
      const std::uint32_t slot = rows.slots[i];
      std::uint32_t at = index_[slot];
      if (at >= open_.size() || open_[at].slot != slot) {
        at = index_[slot] = static_cast<std::uint32_t>(open_.size());
        open_.push_back({slot});
      }
      Entry& entry = open_[at];
      ++entry.count;
      entry.sum += rows.amounts[i];
      entry.max = std::max(entry.max, rows.amounts[i]);
    }
  }
  const std::vector<Entry>& open() const { return open_; }

 private:
  std::vector<std::uint32_t> index_;
  std::vector<Entry> open_;
};

void limit_loop(benchmark::State& state) {
  const auto keys = static_cast<std::uint64_t>(state.range(0));
  const Rows rows(keys);
  Limit limit(keys);
  std::size_t slice = 0;
  for (auto _ : state) {
    limit.take(rows, slice++);
    benchmark::DoNotOptimize(limit.open().data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

// The entries of a pane, by what their results are.
std::vector<Entry> entries_of(const Pane& pane, const AggregateLayout& layout) {
  std::vector<const std::byte*> states;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < pane.size(); ++i) {
    states.push_back(pane.entries() + i * layout.entry_size());
    entries.push_back({entry_header(states.back()).slot});
  }
  Batch results(layout.result_columns(), pane.size());
  std::vector<CellOverflow> overflows;
  layout.lower(states.data(), nullptr, states.size(), results, 0, 0, overflows);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].count = results.column(0).int64s()[i];
    entries[i].sum = results.column(1).int64s()[i];
    entries[i].max = results.column(2).int64s()[i];
  }
  return entries;
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
  Limit limit(keys);
  limit.take(rows, slice - 1);
  if (!are_right(state, entries_of(pane, layout), limit.open())) return;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void key_counts(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(limit_loop)->Apply(key_counts);
BENCHMARK(pane)->Apply(key_counts);

}  // namespace
}  // namespace tidemark::bench
