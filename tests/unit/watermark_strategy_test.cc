#include "tidemark/operators/watermark_strategy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace tidemark {
namespace {

WindowQuery query_with(WatermarkKind kind, std::int64_t delay = 0) {
  WindowQuery query;
  query.windows = {tumbling(std::chrono::seconds(10)), session(std::chrono::seconds(1))};
  query.aggregates = {{AggregateFunction::kCount, -1, "count"}};
  query.watermarks = kind;
  query.delay = delay;
  return query;
}

// Rows by time, and the watermark that each brings if it is punctuated.
Batch batch_of(const std::vector<EventTime>& times, const std::vector<EventTime>& brought = {}) {
  Batch batch({{"watermark", ColumnType::kInt64}});
  for (std::size_t row = 0; row < times.size(); ++row) {
    batch.times()[row] = times[row];
    if (!brought.empty()) batch.column(0).int64s()[row] = brought[row];
  }
  batch.set_size(times.size());
  return batch;
}

std::vector<EventTime> stamps_of(const Batch& batch) {
  const std::int64_t* stamps = batch.column(0).int64s();
  return {stamps, stamps + batch.size()};
}

void follow_all(PartitionWatermarks& watermarks, Batch& batch) {
  watermarks.stamp(batch);
  ASSERT_EQ(watermarks.follow(batch, 0, kEndOfTime), batch.size());
}

struct Step {
  std::vector<EventTime> times;
  EventTime watermark;
};
struct BoundedCase {
  std::string name;
  std::int64_t delay;
  std::vector<Step> steps;
};
std::ostream& operator<<(std::ostream& out, const BoundedCase& c) { return out << c.name; }
class BoundedWatermarks : public testing::TestWithParam<BoundedCase> {};

TEST_P(BoundedWatermarks, AreTheDelayAndOneBehindTheHighestTime) {
  PartitionWatermarks watermarks(query_with(WatermarkKind::kBounded, GetParam().delay));
  EXPECT_EQ(watermarks.watermark(), kNoWatermark);
  EXPECT_EQ(watermarks.highest(), kNoWatermark);
  for (const Step& step : GetParam().steps) {
    Batch batch = batch_of(step.times);
    follow_all(watermarks, batch);
    EXPECT_EQ(watermarks.watermark(), step.watermark);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BoundedWatermarks,
    testing::Values(
        BoundedCase{"OutOfOrder",
                    10,
                    {{{1337}, 1326}, {{12345, 12300, 12340, 12280}, 12334}, {{723456}, 723445}}},
        BoundedCase{"InOrder", 0, {{{0}, -1}, {{7}, 6}, {{7}, 6}, {{3}, 6}, {{8}, 7}}},
        BoundedCase{"BeforeTheEpoch", 5, {{{-100}, -106}, {{-50}, -56}}}),
    [](const auto& test) { return test.param.name; });

TEST(PartitionWatermarks, ARowIsStampedWithTheWatermarkBeforeIt) {
  PartitionWatermarks watermarks(query_with(WatermarkKind::kBounded, 5));
  Batch first = batch_of({10, 30, 20});
  follow_all(watermarks, first);
  EXPECT_EQ(stamps_of(first), (std::vector<EventTime>{kNoWatermark, 4, 24}));
  Batch second = batch_of({12, 40});
  follow_all(watermarks, second);
  EXPECT_EQ(stamps_of(second), (std::vector<EventTime>{24, 24}));
}

TEST(PartitionWatermarks, PunctuatedOnesAreTheHighestThatRowsHaveBrought) {
  PartitionWatermarks watermarks(query_with(WatermarkKind::kPunctuated));
  Batch first = batch_of({10, 30, 20, 21}, {kNoWatermark, 15, 12, kNoWatermark});
  follow_all(watermarks, first);
  EXPECT_EQ(stamps_of(first), (std::vector<EventTime>{kNoWatermark, kNoWatermark, 15, 15}));
  EXPECT_EQ(watermarks.watermark(), 15);
  EXPECT_EQ(watermarks.highest(), 30);
  Batch second = batch_of({40, 41}, {35, kEndOfTime});
  follow_all(watermarks, second);
  EXPECT_EQ(stamps_of(second), (std::vector<EventTime>{15, 35}));
  EXPECT_EQ(watermarks.watermark(), 35);
}

TEST(PartitionWatermarks, ThereAreNoneIfTheQuerySaysSo) {
  PartitionWatermarks watermarks(query_with(WatermarkKind::kNone));
  Batch batch = batch_of({10, 30});
  follow_all(watermarks, batch);
  EXPECT_EQ(stamps_of(batch), (std::vector<EventTime>{kNoWatermark, kNoWatermark}));
  EXPECT_EQ(watermarks.watermark(), kNoWatermark);
  EXPECT_EQ(watermarks.highest(), 30);
}

TEST(PartitionWatermarks, InProcessingTimeRowsGetTheClocksTimeAndNoneIsLate) {
  WindowQuery query = query_with(WatermarkKind::kBounded);
  query.time_domain = TimeDomain::kProcessing;
  EventTime clock = 1000;
  PartitionWatermarks watermarks(query, [&clock] { return clock; });
  EXPECT_EQ(watermarks.watermark(), kNoWatermark);
  // The clock of the machine may be set back; this one stands still meanwhile.
  for (const auto& [reading, time] : std::vector<std::pair<EventTime, EventTime>>{
           {1000, 1000}, {1500, 1500}, {900, 1500}, {1501, 1501}}) {
    clock = reading;
    watermarks.read_clock();
    EXPECT_EQ(watermarks.watermark(), time - 1);
    Batch batch = batch_of({0, 0});
    follow_all(watermarks, batch);
    EXPECT_EQ(batch.times()[0], time);
    EXPECT_EQ(batch.times()[1], time);
    EXPECT_EQ(stamps_of(batch), (std::vector<EventTime>{time - 1, time - 1}));
  }
}

// Follows one row at a time, so that there is nothing to cut.
EventTime watermark_after(const WindowQuery& query, const std::vector<EventTime>& times,
                          const std::vector<EventTime>& brought, std::size_t rows) {
  PartitionWatermarks watermarks(query);
  for (std::size_t row = 0; row < rows; ++row) {
    Batch batch = batch_of({times[row]}, {brought[row]});
    follow_all(watermarks, batch);
  }
  return watermarks.watermark();
}

TEST(PartitionWatermarks, ACutComesRightAfterTheRowThatReachesIt) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const WindowQuery query =
        query_with(round % 2 == 0 ? WatermarkKind::kBounded : WatermarkKind::kPunctuated, 3);
    std::vector<EventTime> times;
    std::vector<EventTime> brought;
    for (int row = 0; row < 30; ++row) {
      times.push_back(static_cast<EventTime>(random() % 100));
      brought.push_back(random() % 3 == 0 ? static_cast<EventTime>(random() % 100) : kNoWatermark);
    }
    PartitionWatermarks watermarks(query);
    Batch batch = batch_of(times, brought);
    watermarks.stamp(batch);
    for (std::size_t begin = 0; begin < batch.size();) {
      const EventTime cut = std::max<EventTime>(watermarks.watermark(), 0) + 1 +
                            static_cast<EventTime>(random() % 20);
      const std::size_t end = watermarks.follow(batch, begin, cut);
      ASSERT_GT(end, begin);
      EXPECT_EQ(watermarks.watermark(), watermark_after(query, times, brought, end));
      EXPECT_TRUE(end == batch.size() || watermarks.watermark() >= cut);
      EXPECT_LT(watermark_after(query, times, brought, end - 1), cut);
      begin = end;
    }
  }
}

}  // namespace
}  // namespace tidemark
