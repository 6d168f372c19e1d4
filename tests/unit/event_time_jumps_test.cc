#include "tidemark/operators/event_time_jumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tidemark {
namespace {

EventTimeJump largest_jump(const std::vector<EventTime>& times, std::size_t batch_rows) {
  EventTimeJumps jumps;
  EventTime highest = kNoWatermark;
  for (std::size_t begin = 0; begin < times.size(); begin += batch_rows) {
    const auto batch = std::span(times).subspan(begin, std::min(batch_rows, times.size() - begin));
    jumps.observe(batch, highest);
    highest = std::max(highest, *std::max_element(batch.begin(), batch.end()));
  }
  return jumps.largest();
}

TEST(EventTimeJumps, FindsTheLargestStepOfTheHighestTime) {
  for (const std::size_t batch_rows : {1U, 2U, 3U, 100U}) {
    const EventTimeJump jump = largest_jump({10, 5, 12, 100, 20, 30, 101, 60, 54}, batch_rows);
    EXPECT_EQ(jump.ms, 88);
    EXPECT_EQ(jump.from, 12);
    EXPECT_EQ(jump.to, 100);
    EXPECT_EQ(jump.row, 4U);
    // 20, 30 and 54: below 56, the middle of the jump.
    EXPECT_EQ(jump.rows_behind, 3U);
  }
}

TEST(EventTimeJumps, ASilenceHasNoRowsBehindIt) {
  EXPECT_EQ(largest_jump({0, 1000, 100'000, 99'000, 101'000}, 2).rows_behind, 0U);
}

TEST(EventTimeJumps, ThereIsNoneWithoutARise) {
  EXPECT_EQ(largest_jump({}, 4).ms, 0);
  EXPECT_EQ(largest_jump({7}, 4).ms, 0);
  EXPECT_EQ(largest_jump({7, 7, 3}, 4).ms, 0);
}

TEST(EventTimeJumps, DoNotDependOnBatches) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<EventTime> times;
    for (EventTime i = 0; i < 200; ++i) {
      times.push_back(i * 10 + static_cast<EventTime>(random() % 40) - 500 +
                      (random() % 50 == 0 ? 700 : 0));
    }
    const EventTimeJump whole = largest_jump(times, times.size());
    for (const std::size_t batch_rows : {1U, 7U, 64U}) {
      const EventTimeJump jump = largest_jump(times, batch_rows);
      EXPECT_EQ(jump.row, whole.row);
      EXPECT_EQ(jump.ms, whole.ms);
      EXPECT_EQ(jump.rows_behind, whole.rows_behind);
    }
  }
}

Batch batch_of(const std::vector<EventTime>& times) {
  Batch batch({});
  std::copy(times.begin(), times.end(), batch.times());
  batch.set_size(times.size());
  return batch;
}

std::vector<EventTime> times_of(const Batch& batch) {
  return {batch.times(), batch.times() + batch.size()};
}

TEST(MaxAheadGuard, RefusesRowsMoreThanTheLimitAheadOfThoseAccepted) {
  MaxAheadGuard guard(10);
  Batch batch = batch_of({1000, 1010, 1021, 1020, 5000, 900, 1030});
  const auto refused = guard.drop_refused(batch);
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0].row, 2U);
  EXPECT_EQ(refused[0].highest, 1010);
  EXPECT_EQ(refused[1].row, 4U);
  EXPECT_EQ(refused[1].time, 5000);
  EXPECT_EQ(refused[1].highest, 1020);
  EXPECT_EQ(times_of(batch), (std::vector<EventTime>{1000, 1010, 1020, 900, 1030}));
  EXPECT_EQ(guard.highest(), 1030);

  Batch next = batch_of({1040, 1035});
  EXPECT_TRUE(guard.drop_refused(next).empty());
  EXPECT_EQ(next.size(), 2U);
  Batch far = batch_of({9000, 9001});
  EXPECT_EQ(guard.drop_refused(far).size(), 2U);
  EXPECT_TRUE(far.empty());
  EXPECT_EQ(guard.highest(), 1040);
}

TEST(MaxAheadGuard, WithALimitOfZeroTheTimeMayNotRise) {
  MaxAheadGuard guard(0);
  EXPECT_TRUE(guard.accepts(5));
  EXPECT_TRUE(guard.accepts(5));
  EXPECT_TRUE(guard.accepts(4));
  EXPECT_FALSE(guard.accepts(6));
}

}  // namespace
}  // namespace tidemark
