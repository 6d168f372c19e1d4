#include "tidemark/perf/latency_sink.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/bench_stream.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMillisecond = 1'000'000;  // ns

Batch results_of(const std::vector<EventTime>& ends) {
  Batch batch({{"window_start", ColumnType::kInt64}, {"window_end", ColumnType::kInt64}});
  for (std::size_t i = 0; i < ends.size(); ++i) batch.column(1).int64s()[i] = ends[i];
  batch.set_size(ends.size());
  return batch;
}

// 100 rows a second, of event time too, so row i lies 10 i ms after the start. The clock stands
// still until it is told.
class LatencySinkTest : public testing::Test {
 protected:
  static BenchStreamConfig config() {
    BenchStreamConfig config;
    config.rows = 1'001;
    config.event_rate = 100;
    return config;
  }

  void begin(std::size_t partitions) {
    for (std::size_t i = 0; i < partitions; ++i) {
      load_.hand_overs.push_back(std::make_unique<HandOverLog>());
    }
    schedule_.begin(now_);
  }

  // From the start of the schedule.
  Clock::time_point at(milliseconds time) const { return schedule_.start() + time; }
  static EventTime event(std::int64_t ms) { return config().start + ms; }

  ResultLatencies latencies_of(const WindowSpec& window, std::int64_t delay,
                               const std::vector<EventTime>& ends, milliseconds now) {
    LatencySink sink(load_, window, delay, [&] { return at(now); });
    sink.accept(results_of(ends));
    return sink.latencies();
  }

  BenchStream stream_{config()};
  LoadSchedule schedule_{100};
  Clock::time_point now_{std::chrono::hours(5)};
  LoadRecord load_{stream_, schedule_, {}, 0};
};

// Row 99, at 990 ms, is the newest of the window that ends at 1 s; row 150, at 1.5 s, completes it.
TEST_F(LatencySinkTest, EachLatencyCountsFromItsOwnInstant) {
  begin(1);
  load_.hand_overs[0]->note(99, at(milliseconds(985)));
  load_.hand_overs[0]->note(120, at(milliseconds(1'200)));
  load_.hand_overs[0]->note(150, at(milliseconds(1'499)));
  load_.hand_overs[0]->note(151, at(milliseconds(1'503)));
  const ResultLatencies latencies = latencies_of(
      tumbling(seconds(1)), 500, {event(1'000), event(1'000), event(1'000)}, milliseconds(1'507));
  for (const auto& [name, recorder] : latencies.all()) EXPECT_EQ(recorder->count(), 3U) << name;
  EXPECT_EQ(latencies.event_time_to_result.max(), 517 * kMillisecond);
  EXPECT_EQ(latencies.hand_over_to_result.max(), 307 * kMillisecond);
  EXPECT_EQ(latencies.watermark_to_result.max(), 4 * kMillisecond);
}

// Row 199 is the newest, of partition 1. Partition 0 passes 2 s with row 200, partition 1 with 201.
TEST_F(LatencySinkTest, TheLastPartitionToPassBringsTheWatermark) {
  begin(2);
  load_.hand_overs[0]->note(202, at(milliseconds(2'090)));
  load_.hand_overs[1]->note(201, at(milliseconds(2'010)));
  load_.hand_overs[1]->note(203, at(milliseconds(2'020)));
  const ResultLatencies latencies =
      latencies_of(tumbling(seconds(1)), 0, {event(2'000)}, milliseconds(2'100));
  EXPECT_EQ(latencies.event_time_to_result.max(), 110 * kMillisecond);
  EXPECT_EQ(latencies.hand_over_to_result.max(), 90 * kMillisecond);
  EXPECT_EQ(latencies.watermark_to_result.max(), 10 * kMillisecond);
}

// The gap of 300 ms is not waiting for rows of the session: row 170, at 1.7 s, is its newest.
TEST_F(LatencySinkTest, ASessionsNewestRowLiesBeforeItsGap) {
  begin(1);
  load_.hand_overs[0]->note(171, at(milliseconds(1'701)));
  load_.hand_overs[0]->note(201, at(milliseconds(2'002)));
  const ResultLatencies latencies =
      latencies_of(session(milliseconds(300)), 0, {event(2'000)}, milliseconds(2'003));
  EXPECT_EQ(latencies.event_time_to_result.max(), 303 * kMillisecond);
  EXPECT_EQ(latencies.hand_over_to_result.max(), 302 * kMillisecond);
  EXPECT_EQ(latencies.watermark_to_result.max(), 1 * kMillisecond);
}

TEST_F(LatencySinkTest, ResultsOfTheWarmUpAndOfTheStreamsEndAreLeftOut) {
  begin(1);
  load_.first_counted = 200;
  load_.hand_overs[0]->note(1'001, at(seconds(10)));
  // Rows 199, 200 and 1,000 complete the first three; the last one only the end.
  const ResultLatencies latencies =
      latencies_of(tumbling(milliseconds(10)), 0,
                   {event(1'990), event(2'000), event(10'000), event(10'001)}, seconds(11));
  for (const auto& [name, recorder] : latencies.all()) EXPECT_EQ(recorder->count(), 2U) << name;
}

// Row 200 would complete the window that ends at 2 s.
TEST_F(LatencySinkTest, ResultsThatTheCutCompletesAreLeftOut) {
  begin(1);
  schedule_.cut_off(250);
  schedule_.cut_off(200);
  schedule_.cut_off(300);
  const ResultLatencies latencies = latencies_of(
      tumbling(seconds(1)), 0, {event(1'000), event(2'000), event(3'000)}, milliseconds(20'000));
  EXPECT_EQ(latencies.event_time_to_result.count(), 1U);
}

TEST_F(LatencySinkTest, CountWindowsFireByRowsSoTheyHaveNoWatermark) {
  begin(1);
  load_.hand_overs[0]->note(300, at(seconds(3)));
  const ResultLatencies latencies =
      latencies_of(count_window(10), 0, {event(1'001)}, milliseconds(3'001));
  EXPECT_EQ(latencies.event_time_to_result.count(), 1U);
  EXPECT_EQ(latencies.hand_over_to_result.count(), 1U);
  EXPECT_EQ(latencies.watermark_to_result.count(), 0U);
  EXPECT_EQ(latencies.watermark_to_result.max(), std::nullopt);
}

// 100 rows/s for 10 s, and a last one that completes the window before; each row takes 1 ms and
// completes a window. At 5 s the system stands still, load generator included, so that the row that
// is due then takes exactly 1 s.
TEST_F(LatencySinkTest, AStallIsChargedToEveryRowThatWasDueInIt) {
  begin(1);
  Clock::time_point now = now_;
  const ClockReading reading = [&now] { return now; };
  BenchPartition partition(stream_, 0, 1, schedule_, 0, *load_.hand_overs[0], reading);
  LatencySink sink(load_, tumbling(milliseconds(10)), 0, reading);
  Parker parker;
  partition.start(parker);
  const Clock::time_point stall = at(seconds(5));
  Batch batch({{"key", ColumnType::kInt64}, {"amount", ColumnType::kInt64}});
  while (true) {
    if (now == stall) now += milliseconds(999);
    batch.clear();
    const PollStatus status = partition.poll(batch);
    if (status == PollStatus::kEnd) break;
    if (status == PollStatus::kPending) {
      now = *partition.ready_at();
      continue;
    }
    now += milliseconds(1);
    // The window that a row is the newest of ends 1 ms after it, and is said to be complete at
    // once: the last row's is left out, since no row lies behind it.
    std::vector<EventTime> ends(batch.times(), batch.times() + batch.size());
    for (EventTime& end : ends) ++end;
    sink.accept(results_of(ends));
  }
  const LatencyRecorder& latencies = sink.latencies().event_time_to_result;
  EXPECT_EQ(latencies.count(), 1'000U);
  const auto ms = [&](double percent) {
    return static_cast<double>(*latencies.percentile(percent)) / kMillisecond;
  };
  EXPECT_NEAR(ms(50), 1, 0.001);
  EXPECT_NEAR(ms(90), 1, 0.001);
  EXPECT_NEAR(ms(99), 900, 0.9);
  EXPECT_EQ(ms(100), 1'000);
  EXPECT_EQ(partition.lag().highest(), milliseconds(999));
}

}  // namespace
}  // namespace tidemark
