// Looking keys up and adding new ones, as a key table and as its limit: the shortest open
// addressing array that gives each key a number. Both hash the keys.
//
//   key_table_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/key_table.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kChunk = 256;

// Doubles at once when it is half full.
class PlainTable {
 public:
  void find_or_insert(std::span<const std::int64_t> keys, std::span<std::uint32_t> slots) {
    for (std::size_t i = 0; i < keys.size(); ++i) slots[i] = slot_of(keys[i]);
  }
  std::size_t bytes() const {
    return table_.capacity() * sizeof table_[0] + keys_.capacity() * sizeof keys_[0];
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  static std::uint64_t hash(std::int64_t key) {
    const std::uint64_t bits = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL;
    return bits ^ bits >> 32;
  }
  std::uint32_t slot_of(std::int64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = hash(key) & mask;
    for (; table_[place] != kFree; place = (place + 1) & mask) {
      if (keys_[table_[place]] == key) return table_[place];
    }
    keys_.push_back(key);
    const auto slot = static_cast<std::uint32_t>(keys_.size() - 1);
    table_[place] = slot;
    if (keys_.size() * 2 > table_.size()) grow();
    return slot;
  }
  void grow() {
    const std::size_t size = table_.size() * 2;
    table_.assign(size, kFree);
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) {
      std::size_t place = hash(keys_[slot]) & (size - 1);
      while (table_[place] != kFree) place = (place + 1) & (size - 1);
      table_[place] = slot;
    }
  }

  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(512, kFree);
  std::vector<std::int64_t> keys_;
};

// The same face for both: chunks of keys.
class Plain {
 public:
  void take(const std::int64_t* keys) { table_.find_or_insert({keys, kChunk}, slots_); }
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  PlainTable table_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kChunk);
};

class Stage {
 public:
  void take(const std::int64_t* keys) {
    std::copy_n(keys, kChunk, batch_.column(0).int64s());
    hash_keys(batch_, 1, 0, kChunk);
    table_.find_or_insert(batch_, 0, slots_);
  }
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  Schema schema_ = {{"key", ColumnType::kInt64}};
  StateMemory memory_;
  KeyTable table_{schema_, memory_};
  Batch batch_{schema_, kChunk};
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kChunk);
};

std::int64_t random_key(std::uint64_t row, std::uint64_t keys) {
  return static_cast<std::int64_t>(mix_key(row) % keys);
}

// A table that has all keys.
template <typename Table>
void fill(Table& table, std::uint64_t keys) {
  std::vector<std::int64_t> rows(kChunk);
  for (std::uint64_t first = 0; first < keys; first += kChunk) {
    for (std::size_t i = 0; i < kChunk; ++i) {
      rows[i] = static_cast<std::int64_t>(std::min(first + i, keys - 1));
    }
    table.take(rows.data());
  }
}

// What the table says to all rows, a chunk at a time.
template <typename Table>
std::vector<std::uint32_t> slots_of(Table& table, const std::vector<std::int64_t>& rows) {
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < rows.size(); i += kChunk) {
    table.take(rows.data() + i);
    slots.insert(slots.end(), table.slots().begin(), table.slots().end());
  }
  return slots;
}

// Random known keys.
template <typename Table>
void hits(benchmark::State& state) {
  const auto keys = static_cast<std::uint64_t>(state.range(0));
  std::vector<std::int64_t> rows(std::size_t{1} << 20);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random_key(i, keys);
  Table table;
  fill(table, keys);
  {
    Plain plain;
    fill(plain, keys);
    if (!are_right(state, slots_of(table, rows), slots_of(plain, rows))) return;
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < rows.size(); i += kChunk) table.take(rows.data() + i);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
}

// New keys only. What a chunk takes at worst shows whether the table stops to grow.
template <typename Table>
void growth(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const auto keys = static_cast<std::size_t>(state.range(0));
  std::vector<std::int64_t> rows(kChunk);
  std::vector<double> chunks;
  std::vector<std::uint32_t> last;
  std::size_t bytes = 0;
  for (auto _ : state) {
    Table table;
    chunks.clear();
    for (std::size_t first = 0; first < keys; first += kChunk) {
      for (std::size_t i = 0; i < kChunk; ++i) rows[i] = static_cast<std::int64_t>(first + i);
      const Clock::time_point begin = Clock::now();
      table.take(rows.data());
      chunks.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    last = table.slots();
    bytes = table.bytes();
  }
  // Keys are numbered as they come, in whole chunks.
  std::vector<std::uint32_t> numbers(kChunk);
  std::iota(numbers.begin(), numbers.end(),
            static_cast<std::uint32_t>((keys - 1) / kChunk * kChunk));
  if (!are_right(state, last, numbers)) return;
  std::sort(chunks.begin(), chunks.end());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys));
  state.counters["bytes_per_key"] = static_cast<double>(bytes) / static_cast<double>(keys);
  state.counters["median_chunk_us"] = chunks[chunks.size() / 2];
  state.counters["p99_9_chunk_us"] = chunks[chunks.size() * 999 / 1000];
  state.counters["worst_chunk_us"] = chunks.back();
}

void key_counts(benchmark::internal::Benchmark* bench) {
  bench->ArgName("keys")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(hits<Plain>)->Apply(key_counts);
BENCHMARK(hits<Stage>)->Apply(key_counts);
BENCHMARK(growth<Plain>)->ArgName("keys")->Arg(4'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(growth<Stage>)->ArgName("keys")->Arg(4'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidemark::bench
