// The results of one firing into a checksum: count, sum and max of every live key. Kept results are
// lent to the sink, computed ones are made in a batch from two parts of a running row; the limit
// computes each from its two parts and adds it to the checksum at once.
//
//   emission_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "checksum_output.h"
#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/pane.h"
#include "tidemark/operators/running_rows.h"
#include "tidemark/perf/result_checksum.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kChunk = LiveResults::kRows;

WindowQuery query_of_orders() {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"amount", ColumnType::kInt64}};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMax, 0, "max"}};
  return query;
}

// Each part of a running row is one row of this amount.
std::int64_t amount_of(std::int64_t key) { return key % 1000; }

struct State {
  std::int64_t count;
  std::int64_t sum;
  std::int64_t max;
};
struct Running {
  State front;
  State back;
  std::uint32_t live = 1;
};

class Limit {
 public:
  explicit Limit(std::size_t keys) : names_(keys), running_(keys) {
    std::iota(names_.begin(), names_.end(), 0);
    for (std::size_t slot = 0; slot < keys; ++slot) {
      for (State* part : {&running_[slot].front, &running_[slot].back}) {
        *part = {1, amount_of(names_[slot]), amount_of(names_[slot])};
      }
    }
  }

  void emit(EventTime end) {
    for (std::size_t slot = 0; slot < names_.size(); ++slot) {
      const Running& row = running_[slot];
      if (row.live == 0) continue;
      checksum_ +=
          checksum_cell_mix(end, names_[slot], row.front.count + row.back.count,
                            row.front.sum + row.back.sum, std::max(row.front.max, row.back.max));
    }
  }
  std::uint64_t checksum() const { return checksum_; }

 private:
  std::vector<std::int64_t> names_;
  std::vector<Running> running_;
  std::uint64_t checksum_ = 0;
};

void limit_loop(benchmark::State& state) {
  Limit limit(static_cast<std::size_t>(state.range(0)));
  EventTime end = 0;
  for (auto _ : state) limit.emit(end += 1000);
  benchmark::DoNotOptimize(limit.checksum());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// The keys of a stage, and their running rows.
class LiveKeys {
 public:
  explicit LiveKeys(std::size_t keys)
      : query_(query_of_orders()),
        layout_(query_.values, query_.aggregates, false),
        table_(query_.keys, memory_),
        rows_(layout_, 2, memory_),
        output_(query_),
        emitter_(table_, query_, output_) {
    Batch batch(query_.row_schema(), kChunk);
    std::vector<std::uint32_t> slots(kChunk);
    for (std::size_t first = 0; first < keys; first += kChunk) {
      const std::size_t n = std::min(kChunk, keys - first);
      for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<std::int64_t>(first + i);
        batch.column(0).int64s()[i] = key;
        batch.column(1).int64s()[i] = amount_of(key);
      }
      batch.set_size(n);
      hash_keys(batch, 1, 0, n);
      table_.find_or_insert(batch, 0, {slots.data(), n});
      rows_.cover(first + n);
      fill_rows(batch, {slots.data(), n});
    }
  }

  void emit_computed(EventTime end) {
    emitter_.begin_window(0, end - 1000, end);
    for_each_chunk([&](std::size_t /*from*/, std::span<const std::uint32_t> slots) {
      for (std::size_t done = 0; done < slots.size();) {
        const std::size_t n = std::min(slots.size() - done, emitter_.room());
        emitter_.emit(layout_, slots.subspan(done, n), a_.data() + done, b_.data() + done);
        done += n;
      }
    });
    emitter_.flush();
  }

  void keep(LiveResults& results) {
    results.resize(rows_.live().size());
    std::array<std::uint32_t, kChunk> positions;
    for_each_chunk([&](std::size_t from, std::span<const std::uint32_t> slots) {
      std::iota(positions.begin(), positions.end(), static_cast<std::uint32_t>(from));
      results.refresh({positions.data(), slots.size()}, a_.data(), b_.data());
    });
  }
  void emit_kept(LiveResults& results, EventTime end) {
    emitter_.begin_window(0, end - 1000, end);
    emitter_.emit_live(rows_.live(), results, 0, rows_.live().size());
  }

  const AggregateLayout& layout() const { return layout_; }
  std::uint64_t checksum() const { return output_.checksum(); }

 private:
  // Both parts of the rows of `slots` get the rows of a batch.
  void fill_rows(const Batch& batch, std::span<const std::uint32_t> slots) {
    std::vector<std::byte*> entries(slots.size());
    Pane pane(layout_, memory_);
    pane.prepare(1, slots.size(), slots.back() + std::size_t{1});
    pane.find_or_add(slots, layout_.never_null(batch, 1), entries.data());
    layout_.update(entries.data(), batch, 1, 0, slots.size());
    std::vector<std::byte*> rows;
    for (const std::uint32_t slot : slots) {
      rows_.enter(slot);
      rows.push_back(rows_.row(slot));
    }
    for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
      layout_.merge_undone(rows.data(), pane.entries(), slots.size());
      layout_.merge_part(rows.data(), part, pane.entries(), slots.size());
    }
  }

  template <typename Visit>
  void for_each_chunk(const Visit& visit) {
    const std::span<const std::uint32_t> live = rows_.live();
    for (std::size_t from = 0; from < live.size(); from += kChunk) {
      const std::span<const std::uint32_t> slots =
          live.subspan(from, std::min(kChunk, live.size() - from));
      for (std::size_t i = 0; i < slots.size(); ++i) {
        a_[i] = rows_.row(slots[i]);
        b_[i] = a_[i] + layout_.other_size();
      }
      visit(from, slots);
    }
  }

  WindowQuery query_;
  StateMemory memory_;
  AggregateLayout layout_;
  KeyTable table_;
  RunningRows rows_;
  ChecksumOutput output_;
  ResultEmitter emitter_;
  std::array<const std::byte*, kChunk> a_{};
  std::array<const std::byte*, kChunk> b_{};
};

// Of `end` / 1000 firings.
std::uint64_t expected_checksum(const benchmark::State& state, EventTime end) {
  Limit limit(static_cast<std::size_t>(state.range(0)));
  for (EventTime now = 1000; now <= end; now += 1000) limit.emit(now);
  return limit.checksum();
}

void computed(benchmark::State& state) {
  LiveKeys keys(static_cast<std::size_t>(state.range(0)));
  EventTime end = 0;
  for (auto _ : state) keys.emit_computed(end += 1000);
  if (!are_right(state, keys.checksum(), expected_checksum(state, end))) return;
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void kept(benchmark::State& state) {
  LiveKeys keys(static_cast<std::size_t>(state.range(0)));
  StateMemory memory;
  LiveResults results(keys.layout(), memory);
  keys.keep(results);
  EventTime end = 0;
  for (auto _ : state) keys.emit_kept(results, end += 1000);
  if (!are_right(state, keys.checksum(), expected_checksum(state, end))) return;
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void key_counts(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(limit_loop)->Apply(key_counts);
BENCHMARK(computed)->Apply(key_counts);
BENCHMARK(kept)->Apply(key_counts);

}  // namespace
}  // namespace tidemark::bench
