#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"
#include "tidemark/perf/hand_over_log.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Schema row_schema() { return {{"key", ColumnType::kInt64}, {"amount", ColumnType::kInt64}}; }

struct StreamRow {
  EventTime time;
  std::int64_t key;
  std::int64_t amount;
  friend bool operator==(const StreamRow&, const StreamRow&) = default;
};

std::vector<StreamRow> read_all(BenchPartition& partition, std::size_t batch_rows) {
  std::vector<StreamRow> rows;
  Batch batch(row_schema(), batch_rows);
  while (partition.poll(batch) == PollStatus::kRows) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      rows.push_back({batch.times()[i], batch.column(0).int64s()[i], batch.column(1).int64s()[i]});
    }
    batch.clear();
  }
  return rows;
}

TEST(BenchStreamTest, EveryShardMakesItsOwnRows) {
  for (const std::int64_t disorder : {0, 2'000}) {
    BenchStreamConfig config;
    config.rows = 5'003;
    config.keys = 100;
    config.event_rate = 3'000;
    config.disorder = disorder;
    const BenchStream stream(config);
    BenchPartition whole(stream, 0, 1);
    const std::vector<StreamRow> rows = read_all(whole, 1'024);
    ASSERT_EQ(rows.size(), config.rows);
    for (std::uint64_t shard = 0; shard < 3; ++shard) {
      BenchPartition part(stream, shard, 3);
      const std::vector<StreamRow> of_shard = read_all(part, 77);
      ASSERT_EQ(of_shard.size(), (config.rows - shard + 2) / 3);
      for (std::size_t i = 0; i < of_shard.size(); ++i) {
        ASSERT_EQ(of_shard[i], rows[shard + 3 * i]) << shard << " " << i;
      }
    }
  }
}

TEST(BenchStreamTest, KeysAndAmountsSpreadOverTheirRanges) {
  BenchStreamConfig config;
  config.rows = 200'000;
  config.keys = 10;
  const BenchStream stream(config);
  BenchPartition partition(stream, 0, 1);
  std::vector<int> counts(10);
  double amounts = 0;
  for (const StreamRow& row : read_all(partition, 1'024)) {
    ASSERT_TRUE(row.key >= 0 && row.key < 10);
    ASSERT_TRUE(row.amount >= 1 && row.amount <= BenchStream::kLargestAmount);
    ++counts[static_cast<std::size_t>(row.key)];
    amounts += static_cast<double>(row.amount);
  }
  for (const int count : counts) EXPECT_NEAR(count, 20'000, 700);
  EXPECT_NEAR(amounts / 200'000, 50'000.5, 400);
}

TEST(BenchStreamTest, EventTimeFollowsTheRowNumber) {
  BenchStreamConfig config;
  config.event_rate = 3'000;
  const BenchStream stream(config);
  EXPECT_EQ(stream.time(0), config.start);
  EXPECT_EQ(stream.time(3'000), config.start + 1'000);
  EXPECT_EQ(stream.time(7), config.start + 2);
}

TEST(BenchStreamTest, EventTimesOfABatchAreThoseOfItsRows) {
  for (const std::uint64_t rate : {1U, 7U, 999U, 1'000U, 1'001U, 10'000U, 999'999'937U}) {
    BenchStreamConfig config;
    config.event_rate = rate;
    const BenchStream stream(config);
    for (const std::uint64_t stride : {1U, 2U, 3U, 64U}) {
      for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{123'456'789}}) {
        std::vector<EventTime> times(3'000);
        std::vector<std::int64_t> keys(3'000);
        std::vector<std::int64_t> amounts(3'000);
        stream.fill(first, stride, 3'000, times.data(), keys.data(), amounts.data());
        for (std::size_t i = 0; i < 3'000; ++i) {
          ASSERT_EQ(times[i], stream.time(first + i * stride)) << rate << " " << stride << " " << i;
        }
      }
    }
  }
}

TEST(BenchStreamTest, FindsTheFirstRowAtATime) {
  for (const std::int64_t disorder : {0, 50}) {
    BenchStreamConfig config;
    config.event_rate = 7'000;
    config.disorder = disorder;
    const BenchStream stream(config);
    for (const std::int64_t ms : {-1'000, 0, 1, 2, 999, 1'000, 12'345}) {
      const EventTime time = config.start + ms;
      std::uint64_t first = 0;
      while (stream.time(first) < time) ++first;
      EXPECT_EQ(stream.first_row_at(time), first) << ms << " disorder " << disorder;
    }
  }
}

TEST(BenchStreamTest, FindsTheFirstRowOfAShardAtATime) {
  for (const std::int64_t disorder : {0, 50}) {
    BenchStreamConfig config;
    config.event_rate = 7'000;
    config.disorder = disorder;
    const BenchStream stream(config);
    for (const std::uint64_t shard : {0U, 1U, 2U}) {
      for (const std::int64_t ms : {-1'000, 0, 1, 999, 12'345}) {
        const EventTime time = config.start + ms;
        std::uint64_t first = shard;
        while (stream.time(first) < time) first += 3;
        EXPECT_EQ(stream.first_row_at(time, shard, 3), first) << ms << " disorder " << disorder;
      }
    }
  }
}

TEST(BenchStreamTest, RefusesWhatCannotBeGenerated) {
  BenchStreamConfig config;
  config.keys = 0;
  EXPECT_FALSE(validate(config));
  config.keys = 1;
  EXPECT_TRUE(validate(config));
  config.event_rate = 1;
  config.rows = 1'000'000'000'000'000;
  EXPECT_FALSE(validate(config));
}

// A clock that stands still until it is told.
struct SteppedClock {
  Clock::time_point now{std::chrono::hours(5)};
  ClockReading reading() {
    return [this] { return now; };
  }
};

TEST(LoadScheduleTest, ARowIsCountedFromTheNanosecondItIsDue) {
  LoadSchedule schedule(3'000'000);
  const Clock::time_point start{std::chrono::hours(1)};
  schedule.begin(start);
  schedule.begin(start + std::chrono::hours(1));
  EXPECT_EQ(schedule.start(), start);
  EXPECT_EQ(schedule.due_count(start - nanoseconds(1)), 0U);
  for (const std::uint64_t row : {0U, 1U, 2U, 3U, 1'000U, 4'000'000'000U}) {
    EXPECT_EQ(schedule.due_count(schedule.due(row)), row + 1);
    EXPECT_EQ(schedule.due_count(schedule.due(row) - nanoseconds(1)), row);
  }
  EXPECT_EQ(schedule.due(3'000'000'000) - start, std::chrono::seconds(1'000));
}

TEST(PacedPartitionTest, HandsOutARowWhenItIsDueAndNotBefore) {
  BenchStreamConfig config;
  config.rows = 4;
  const BenchStream stream(config);
  LoadSchedule schedule(1'000);
  SteppedClock clock;
  Parker parker;
  HandOverLog log;
  BenchPartition partition(stream, 1, 2, schedule, 0, log, clock.reading());
  partition.start(parker);
  Batch batch(row_schema());
  EXPECT_EQ(partition.poll(batch), PollStatus::kPending);
  EXPECT_EQ(partition.ready_at(), clock.now + milliseconds(1));
  clock.now += nanoseconds(999'999);
  EXPECT_EQ(partition.poll(batch), PollStatus::kPending);
  clock.now += nanoseconds(1);
  EXPECT_EQ(partition.poll(batch), PollStatus::kRows);
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(partition.lag().highest(), Clock::duration::zero());
  const Clock::time_point first = clock.now;
  clock.now += milliseconds(5);
  EXPECT_EQ(log.handed_over(3), std::nullopt);
  EXPECT_EQ(partition.poll(batch), PollStatus::kRows);
  EXPECT_EQ(log.handed_over(1), first);
  EXPECT_EQ(log.handed_over(3), clock.now);
  EXPECT_EQ(batch.size(), 2U);
  EXPECT_EQ(partition.lag().highest(), milliseconds(3));
  EXPECT_EQ(partition.poll(batch), PollStatus::kEnd);
}

// Two partitions that are asked at odd times, up to half a millisecond apart.
TEST(PacedPartitionTest, AMillionRowsASecondAreHandedOutWithinAPercent) {
  BenchStreamConfig config;
  config.rows = 1'000'000;
  const BenchStream stream(config);
  LoadSchedule schedule(1'000'000);
  SteppedClock clock;
  std::array<HandOverLog, 2> logs;
  std::vector<BenchPartition> partitions;
  for (std::size_t i = 0; i < 2; ++i) {
    partitions.emplace_back(stream, i, 2, schedule, 0, logs[i], clock.reading());
  }
  Parker parker;
  partitions[0].start(parker);
  std::mt19937 random(3);
  std::uint64_t rows = 0;
  Batch batch(row_schema());
  while (rows < config.rows) {
    clock.now += nanoseconds(random() % 500'000);
    for (BenchPartition& partition : partitions) {
      while (partition.poll(batch) == PollStatus::kRows) {
        rows += batch.size();
        batch.clear();
      }
    }
    const auto due = static_cast<double>(std::min(config.rows, schedule.due_count(clock.now)));
    ASSERT_EQ(static_cast<double>(rows), due);
  }
  const std::chrono::duration<double> took = clock.now - schedule.start();
  EXPECT_NEAR(static_cast<double>(rows) / took.count(), 1e6, 1e4);
  for (const BenchPartition& partition : partitions) {
    EXPECT_LT(partition.lag().highest(), std::chrono::microseconds(500));
  }
}

// 100 rows in 10 us, of which one partition sends 4 and the other 5 until the schedule is over.
TEST(PacedPartitionTest, EndsWithRowsUnsentWhenTheScheduleIsOver) {
  BenchStreamConfig config;
  config.rows = 100;
  const BenchStream stream(config);
  LoadSchedule schedule(10'000'000, milliseconds(1));
  SteppedClock clock;
  Parker parker;
  std::array<HandOverLog, 2> logs;
  BenchPartition even(stream, 0, 2, schedule, 0, logs[0], clock.reading());
  BenchPartition odd(stream, 1, 2, schedule, 0, logs[1], clock.reading());
  even.start(parker);
  clock.now += milliseconds(1);
  for (auto& [partition, rows] : {std::pair{&even, 4U}, std::pair{&odd, 5U}}) {
    Batch batch(row_schema(), rows);
    EXPECT_EQ(partition->poll(batch), PollStatus::kRows);
  }
  EXPECT_GE(schedule.first_unsent(), config.rows);
  clock.now += nanoseconds(1);
  for (BenchPartition* partition : {&odd, &even}) {
    Batch batch(row_schema());
    EXPECT_EQ(partition->poll(batch), PollStatus::kEnd);
    EXPECT_EQ(batch.size(), 0U);
  }
  EXPECT_EQ(even.rows_sent(), 4U);
  EXPECT_EQ(odd.rows_sent(), 5U);
  EXPECT_EQ(schedule.first_unsent(), 8U);
  EXPECT_EQ(even.lag().last(), clock.now - schedule.due(8));
  EXPECT_EQ(odd.lag().last(), clock.now - schedule.due(11));
}

TEST(PacedPartitionTest, LagOfTheWarmUpDoesNotCount) {
  BenchStreamConfig config;
  config.rows = 20;
  const BenchStream stream(config);
  LoadSchedule schedule(1'000);
  SteppedClock clock;
  Parker parker;
  HandOverLog log;
  BenchPartition partition(stream, 0, 1, schedule, 10, log, clock.reading());
  partition.start(parker);
  Batch batch(row_schema());
  clock.now += milliseconds(9);
  EXPECT_EQ(partition.poll(batch), PollStatus::kRows);
  EXPECT_EQ(partition.lag().highest(), Clock::duration::zero());
  clock.now += milliseconds(6);
  EXPECT_EQ(partition.poll(batch), PollStatus::kRows);
  EXPECT_EQ(partition.lag().highest(), milliseconds(5));
}

}  // namespace
}  // namespace tidemark
