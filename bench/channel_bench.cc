// What it costs to hand a batch from task to task: the queue, waking a worker, aligning watermarks
// and dealing rows out by key. Each beside the shortest loop that does the same.
//
//   channel_bench --benchmark_repetitions=10 --benchmark_enable_random_interleaving=true
//                 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "right_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/key_partition.h"
#include "tidemark/runtime/channel.h"
#include "tidemark/runtime/watermark_alignment.h"

namespace tidemark::bench {
namespace {

const Schema kSchema{{"key", ColumnType::kInt64}, {"amount", ColumnType::kInt64}};
constexpr std::size_t kCredit = 16;

// Channels with one batch row each: only the hand-over is measured.
struct Exchange {
  explicit Exchange(std::size_t producers, std::size_t batch_rows = 1) {
    for (std::size_t i = 0; i < producers; ++i) {
      channels.push_back(std::make_unique<Channel>(inbox, static_cast<std::uint32_t>(i), parker,
                                                   kSchema, batch_rows, kCredit));
    }
  }
  Parker parker;
  Inbox inbox{parker};
  std::vector<std::unique_ptr<Channel>> channels;
};

// All `credit` batches there and back on one thread: what the queues cost while nothing is shared.
void channel_same_thread(benchmark::State& state) {
  Exchange exchange(1);
  Channel& channel = *exchange.channels.front();
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCredit; ++i) channel.send(channel.try_acquire());
    for (std::size_t i = 0; i < kCredit; ++i) channel.release(exchange.inbox.try_receive());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCredit));
}

// A ring between one producer and one consumer (Lamport 1983).
template <typename T>
class Ring {
 public:
  bool push(T item) {
    const std::size_t at = tail_.load(std::memory_order_relaxed);
    // Acquire: the consumer is done with the cell.
    if (at - head_.load(std::memory_order_acquire) == kCells) return false;
    cells_[at % kCells] = item;
    tail_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool pop(T& item) {
    const std::size_t at = head_.load(std::memory_order_relaxed);
    // Acquire: the producer has filled the cell.
    if (at == tail_.load(std::memory_order_acquire)) return false;
    item = cells_[at % kCells];
    head_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::size_t kCells = 32;
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
  alignas(64) std::array<T, kCells> cells_{};
};

template <typename T>
class LockedQueue {
 public:
  bool push(T item) {
    const std::lock_guard lock(mutex_);
    items_.push(item);
    return true;
  }
  bool pop(T& item) {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return false;
    item = items_.front();
    items_.pop();
    return true;
  }

 private:
  std::mutex mutex_;
  std::queue<T> items_;
};

template <template <typename> typename Queue>
void limit_same_thread(benchmark::State& state) {
  Queue<Batch*> there;
  Queue<Batch*> back;
  Batch batch(kSchema, 1);
  for (std::size_t i = 0; i < kCredit; ++i) back.push(&batch);
  Batch* item = nullptr;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCredit; ++i) there.push(back.pop(item) ? item : nullptr);
    for (std::size_t i = 0; i < kCredit; ++i) back.push(there.pop(item) ? item : nullptr);
  }
  benchmark::DoNotOptimize(item);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCredit));
}

constexpr std::int64_t kBatches = 200'000;

// `producers` threads send, this one receives; a thread that has nothing to do yields, as a worker
// does before it parks.
template <typename Send, typename Receive>
void run_threads(benchmark::State& state, std::int64_t producers, const Send& send,
                 const Receive& receive) {
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (std::int64_t producer = 0; producer < producers; ++producer) {
      threads.emplace_back([&, producer] {
        for (std::int64_t i = 0; i < kBatches / producers;) {
          if (send(static_cast<std::size_t>(producer))) {
            ++i;
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
    for (std::int64_t i = 0; i < kBatches / producers * producers;) {
      if (receive()) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
    for (std::thread& thread : threads) thread.join();
  }
  state.SetItemsProcessed(state.iterations() * kBatches);
}

void channel_to_one_consumer(benchmark::State& state) {
  Exchange exchange(static_cast<std::size_t>(state.range(0)));
  run_threads(
      state, state.range(0),
      [&](std::size_t producer) {
        Batch* batch = exchange.channels[producer]->try_acquire();
        if (batch != nullptr) exchange.channels[producer]->send(batch);
        return batch != nullptr;
      },
      [&] {
        Batch* batch = exchange.inbox.try_receive();
        if (batch != nullptr) exchange.channels[batch->header.channel]->release(batch);
        return batch != nullptr;
      });
}

// A ring there and a ring back for every producer.
template <template <typename> typename Queue>
void limit_to_one_consumer(benchmark::State& state) {
  struct Pair {
    Queue<Batch*> there;
    Queue<Batch*> back;
  };
  const auto producers = static_cast<std::size_t>(state.range(0));
  std::vector<std::unique_ptr<Pair>> pairs;
  Batch batch(kSchema, 1);
  for (std::size_t i = 0; i < producers; ++i) {
    pairs.push_back(std::make_unique<Pair>());
    for (std::size_t credit = 0; credit < kCredit; ++credit) pairs.back()->back.push(&batch);
  }
  std::size_t next = 0;
  run_threads(
      state, state.range(0),
      [&](std::size_t producer) {
        Batch* item = nullptr;
        return pairs[producer]->back.pop(item) && pairs[producer]->there.push(item);
      },
      [&] {
        next = next + 1 == producers ? 0 : next + 1;
        Batch* item = nullptr;
        return pairs[next]->there.pop(item) && pairs[next]->back.push(item);
      });
}

// Leaving a token for a worker that is awake, and the worker finding it.
void unpark_awake(benchmark::State& state) {
  Parker parker;
  for (auto _ : state) {
    parker.unpark();
    parker.park();
  }
}

// Two threads that wake each other in turn: an iteration is two wake-ups.
template <typename Wake, typename Sleep>
void ping_pong(benchmark::State& state, const Wake& wake, const Sleep& sleep) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (true) {
      sleep(1);
      // Relaxed: the wake-up orders it.
      if (stop.load(std::memory_order_relaxed)) return;
      wake(0);
    }
  });
  for (auto _ : state) {
    wake(1);
    sleep(0);
  }
  stop.store(true, std::memory_order_relaxed);
  wake(1);
  other.join();
}

void park_and_wake(benchmark::State& state) {
  std::array<Parker, 2> parkers;
  ping_pong(
      state, [&](std::size_t thread) { parkers[thread].unpark(); },
      [&](std::size_t thread) { parkers[thread].park(); });
}

void limit_park_and_wake(benchmark::State& state) {
  std::array<std::atomic<int>, 2> words{};
  ping_pong(
      state,
      [&](std::size_t thread) {
        words[thread].store(1, std::memory_order_release);
        words[thread].notify_one();
      },
      [&](std::size_t thread) {
        words[thread].wait(0, std::memory_order_acquire);
        words[thread].store(0, std::memory_order_relaxed);
      });
}

// Watermarks that rise in turn over all channels.
void alignment(benchmark::State& state) {
  const auto channels = static_cast<std::size_t>(state.range(0));
  WatermarkAlignment alignment(channels);
  EventTime time = 0;
  for (auto _ : state) {
    ++time;
    for (std::size_t i = 0; i < channels; ++i) {
      benchmark::DoNotOptimize(alignment.on_watermark(i, time));
    }
  }
  // As the loop below has it, when all channels have risen.
  if (!are_right(state, alignment.watermark(), time)) return;
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void limit_alignment(benchmark::State& state) {
  std::vector<EventTime> watermarks(static_cast<std::size_t>(state.range(0)), 0);
  EventTime time = 0;
  EventTime lowest = 0;
  for (auto _ : state) {
    ++time;
    for (EventTime& watermark : watermarks) {
      const bool held = watermark == lowest;
      watermark = time;
      if (held) lowest = *std::min_element(watermarks.begin(), watermarks.end());
      benchmark::DoNotOptimize(lowest);
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

constexpr std::size_t kRows = 1024;

Batch keyed_rows() {
  Batch rows(kSchema, kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.times()[i] = static_cast<EventTime>(i);
    rows.column(0).int64s()[i] = static_cast<std::int64_t>(i * 7919 % 1'000'003);
    rows.column(1).int64s()[i] = static_cast<std::int64_t>(i);
  }
  rows.set_size(kRows);
  hash_keys(rows, 1, 0, kRows);
  return rows;
}

// The times of a batch's rows, one after the other, by consumer.
using DealtOut = std::vector<std::vector<EventTime>>;

DealtOut dealt_out_by_hand(const Batch& rows, std::uint32_t consumers) {
  DealtOut times(consumers);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    times[consumer_of(rows.hashes()[i], consumers)].push_back(rows.times()[i]);
  }
  return times;
}

// A batch dealt out over `consumers` channels, and the batches taken home again.
void key_partition(benchmark::State& state) {
  const auto consumers = static_cast<std::size_t>(state.range(0));
  Exchange exchange(consumers, kRows);
  std::vector<Channel*> channels;
  for (const auto& channel : exchange.channels) channels.push_back(channel.get());
  KeyPartition partition(channels);
  Batch rows = keyed_rows();
  const auto take_home = [&](const auto& visit) {
    while (Batch* batch = exchange.inbox.try_receive()) {
      visit(*batch);
      channels[batch->header.channel]->release(batch);
    }
  };
  const auto deal_out = [&] {
    partition.route(rows, 0, kRows);
    while (!partition.push()) {
    }
  };
  DealtOut times(consumers);
  deal_out();
  while (!partition.flush({})) {
  }
  take_home([&](const Batch& part) {
    std::vector<EventTime>& to = times[part.header.channel];
    to.insert(to.end(), part.times(), part.times() + part.size());
  });
  if (!are_right(state, times, dealt_out_by_hand(rows, static_cast<std::uint32_t>(consumers)))) {
    return;
  }
  for (auto _ : state) {
    deal_out();
    take_home([](const Batch&) {});
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

// Whole rows appended one by one to an array for each consumer.
void limit_key_partition(benchmark::State& state) {
  struct Row {
    EventTime time;
    std::uint64_t hash;
    std::int64_t key;
    std::int64_t amount;
  };
  const auto consumers = static_cast<std::uint32_t>(state.range(0));
  const Batch rows = keyed_rows();
  std::vector<std::vector<Row>> outputs(consumers, std::vector<Row>(kRows));
  std::vector<std::size_t> sizes(consumers);
  for (auto _ : state) {
    std::fill(sizes.begin(), sizes.end(), 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::uint64_t hash = rows.hashes()[i];
      const std::uint32_t consumer = consumer_of(hash, consumers);
      outputs[consumer][sizes[consumer]++] = {rows.times()[i], hash, rows.column(0).int64s()[i],
                                              rows.column(1).int64s()[i]};
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

BENCHMARK(channel_same_thread);
BENCHMARK(limit_same_thread<Ring>);
BENCHMARK(limit_same_thread<LockedQueue>);
BENCHMARK(channel_to_one_consumer)->ArgName("producers")->Arg(1)->Arg(4)->UseRealTime();
BENCHMARK(limit_to_one_consumer<Ring>)->ArgName("producers")->Arg(1)->Arg(4)->UseRealTime();
BENCHMARK(limit_to_one_consumer<LockedQueue>)->ArgName("producers")->Arg(1)->Arg(4)->UseRealTime();
BENCHMARK(unpark_awake);
BENCHMARK(park_and_wake)->UseRealTime();
BENCHMARK(limit_park_and_wake)->UseRealTime();
BENCHMARK(alignment)->ArgName("channels")->Arg(2)->Arg(16)->Arg(256);
BENCHMARK(limit_alignment)->ArgName("channels")->Arg(2)->Arg(16)->Arg(256);
BENCHMARK(key_partition)->ArgName("consumers")->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(limit_key_partition)->ArgName("consumers")->Arg(2)->Arg(4)->Arg(8);

}  // namespace
}  // namespace tidemark::bench
