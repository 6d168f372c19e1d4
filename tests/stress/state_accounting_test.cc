// Bytes of state are booked where they were taken, whichever thread gives them back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <semaphore>
#include <thread>

#include "support/number_tasks.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// State is handed over with its memory, under a lock here as it is in a batch there: two blocks are
// on the way at most.
class HandedOver {
 public:
  explicit HandedOver(std::size_t block_bytes) : block_bytes_(block_bytes) {}

  void take_blocks(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      room_.acquire();
      {
        const std::scoped_lock lock(mutex_);
        blocks_[i % blocks_.size()] = memory_.allocate(block_bytes_);
        note();
      }
      ready_.release();
    }
  }

  void give_back_blocks(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ready_.acquire();
      {
        const std::scoped_lock lock(mutex_);
        memory_.deallocate(blocks_[i % blocks_.size()], block_bytes_);
        note();
      }
      room_.release();
    }
  }

  std::size_t bytes() const { return memory_.bytes(); }
  std::size_t most_bytes() const { return most_bytes_; }
  std::size_t peak_bytes() const { return memory_.peak_bytes(); }

 private:
  void note() { most_bytes_ = std::max(most_bytes_, memory_.bytes()); }

  std::size_t block_bytes_;
  std::mutex mutex_;
  std::counting_semaphore<2> room_{2};
  std::counting_semaphore<2> ready_{0};
  std::array<void*, 2> blocks_{};
  StateMemory memory_;
  std::size_t most_bytes_ = 0;
};

TEST(StateAccounting, WhatAnotherThreadGivesBackIsNoLongerLive) {
  // Mapped by themselves, and from the allocator.
  for (const std::size_t block : {kMiB, kMiB / 4, std::size_t{1000}}) {
    HandedOver state(block);
    constexpr std::size_t kBlocks = 1'000;
    std::thread taker([&] { state.take_blocks(kBlocks); });
    std::thread giver([&] { state.give_back_blocks(kBlocks); });
    taker.join();
    giver.join();
    EXPECT_EQ(state.bytes(), 0U);
    EXPECT_GE(state.most_bytes(), block);
    EXPECT_LE(state.most_bytes(), 3 * block);
    EXPECT_EQ(state.peak_bytes(), state.most_bytes());
  }
}

// Source tasks add rows up and send partial states, which the window stages take over: what one
// worker made another lets go.
TEST(StateAccounting, StateOfAllWorkersAddsUpAndEndsAtNothing) {
  BenchOptions options;
  options.window = sliding(std::chrono::seconds(20), std::chrono::seconds(1));
  options.aggregates = headline_aggregates();
  options.stream.rows = test_support::scaled(200'000);
  options.stream.event_rate = 2'000;
  options.stream.keys = 50;
  options.local_aggregation = LocalAggregation::kAlways;
  const ThroughputRun one = run_throughput(options, 1, 1, 500);
  const ThroughputRun two = run_throughput(options, 2, 2, 500);
  EXPECT_GT(two.report.partials, 0U);
  for (const ThroughputRun* run : {&one, &two}) {
    const StateCounters& state = run->report.state;
    EXPECT_EQ(state.live_entries, 0U);
    EXPECT_EQ(state.live_keys, 0U);
    // Tables and panes of no size, and no more: a number below zero would be a huge one here.
    EXPECT_LT(state.state_bytes, kMiB);
    EXPECT_GT(state.peak_state_bytes, state.state_bytes);
  }
  // The keys are split over two stages, each with fixed costs of its own.
  EXPECT_LT(two.report.state.peak_state_bytes, 3 * one.report.state.peak_state_bytes);
}

}  // namespace
}  // namespace tidemark
