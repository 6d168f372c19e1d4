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
#include "tidemark/operators/key_hash.h"
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

struct State {
  std::int64_t count = 1;
  std::int64_t sum = 2;
  std::int64_t max = 3;
};
struct Running {
  State front;
  State back;
  std::uint32_t live = 1;
};

void limit_loop(benchmark::State& state) {
  const auto keys = static_cast<std::size_t>(state.range(0));
  std::vector<std::int64_t> names(keys);
  std::iota(names.begin(), names.end(), 0);
  const std::vector<Running> running(keys);
  std::uint64_t checksum = 0;
  std::int64_t end = 0;
  for (auto _ : state) {
    end += 1000;
    for (std::size_t slot = 0; slot < keys; ++slot) {
      const Running& row = running[slot];
      if (row.live == 0) continue;
      checksum +=
          checksum_cell_mix(end, names[slot], row.front.count + row.back.count,
                            row.front.sum + row.back.sum, std::max(row.front.max, row.back.max));
    }
    benchmark::DoNotOptimize(checksum);
  }
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
    Batch batch(query_.keys, kChunk);
    std::vector<std::uint32_t> slots(kChunk);
    for (std::size_t first = 0; first < keys; first += kChunk) {
      const std::size_t n = std::min(kChunk, keys - first);
      for (std::size_t i = 0; i < n; ++i) {
        batch.column(0).int64s()[i] = static_cast<std::int64_t>(first + i);
      }
      hash_keys(batch, 1, 0, n);
      table_.find_or_insert(batch, 0, {slots.data(), n});
      rows_.cover(first + n);
      for (std::size_t i = 0; i < n; ++i) rows_.enter(slots[i]);
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

void computed(benchmark::State& state) {
  LiveKeys keys(static_cast<std::size_t>(state.range(0)));
  EventTime end = 0;
  for (auto _ : state) keys.emit_computed(end += 1000);
  benchmark::DoNotOptimize(keys.checksum());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void kept(benchmark::State& state) {
  LiveKeys keys(static_cast<std::size_t>(state.range(0)));
  StateMemory memory;
  LiveResults results(keys.layout(), memory);
  keys.keep(results);
  EventTime end = 0;
  for (auto _ : state) keys.emit_kept(results, end += 1000);
  benchmark::DoNotOptimize(keys.checksum());
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
