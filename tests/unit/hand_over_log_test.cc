#include "tidemark/perf/hand_over_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "tidemark/runtime/parker.h"

namespace tidemark {
namespace {

Clock::time_point tick(std::uint64_t ticks) {
  return Clock::time_point(Clock::duration(static_cast<Clock::rep>(ticks)));
}

TEST(HandOverLogTest, ARowWentWithTheFirstBatchThatEndsBehindIt) {
  HandOverLog log;
  EXPECT_EQ(log.handed_over(0), std::nullopt);
  log.note(10, tick(100));
  log.note(11, tick(200));
  log.note(30, tick(300));
  EXPECT_EQ(log.handed_over(0), tick(100));
  EXPECT_EQ(log.handed_over(9), tick(100));
  EXPECT_EQ(log.handed_over(10), tick(200));
  EXPECT_EQ(log.handed_over(11), tick(300));
  EXPECT_EQ(log.handed_over(29), tick(300));
  EXPECT_EQ(log.handed_over(30), std::nullopt);
  EXPECT_EQ(log.batches(), 3U);
}

TEST(HandOverLogTest, WhatTheRingHasLostIsNotKnown) {
  HandOverLog log;
  const std::uint64_t batches = 2 * HandOverLog::kEntries + 7;
  for (std::uint64_t i = 0; i < batches; ++i) log.note(i + 1, tick(i));
  EXPECT_EQ(log.handed_over(batches - 1), tick(batches - 1));
  EXPECT_EQ(log.handed_over(batches - HandOverLog::kEntries / 2),
            tick(batches - HandOverLog::kEntries / 2));
  EXPECT_EQ(log.handed_over(batches - HandOverLog::kEntries), std::nullopt);
  EXPECT_EQ(log.handed_over(0), std::nullopt);
}

// Row i is handed over at tick i, so whatever a reader is told has to be the row itself.
TEST(HandOverLogTest, AReaderBesideTheWriterGetsTheRightInstantOrNone) {
  HandOverLog log;
  const std::uint64_t batches = 4 * HandOverLog::kEntries;
  std::atomic<bool> done{false};
  std::uint64_t wrong = 0;
  std::thread reader([&] {
    for (std::uint64_t probe = 1; !done.load(std::memory_order_relaxed); probe = probe * 3 + 1) {
      const std::uint64_t known = log.batches();
      if (known == 0) continue;
      const std::uint64_t row = known - 1 - probe % std::min(known, 2 * HandOverLog::kEntries);
      const auto at = log.handed_over(row);
      if (at && *at != tick(row)) ++wrong;
    }
  });
  for (std::uint64_t i = 0; i < batches; ++i) log.note(i + 1, tick(i));
  done.store(true, std::memory_order_relaxed);
  reader.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace tidemark
