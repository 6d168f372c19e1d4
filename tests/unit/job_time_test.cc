// Where time comes from in the typed face.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/job_lines.h"
#include "tidemark/operators/job.h"

namespace tidemark {
namespace {

using test_support::run_to_lines;
using namespace std::chrono_literals;
using testing::ElementsAre;

struct Event {
  std::int64_t ts = 0;
  std::optional<std::int64_t> watermark{};
};

TEST(JobTime, PunctuatedWatermarksAreThoseThatRowsBring) {
  const std::vector<Event> events{{1}, {12}, {3, 9}, {4, 5}, {13}, {6}, {25, 19}, {14}};
  Job job;
  std::vector<std::int64_t> late;
  auto results = job.source(events)
                     .event_time(&Event::ts, punctuated(&Event::watermark))
                     .window(tumbling(10ms))
                     .aggregate(count())
                     .late_rows([&late](const auto& row) {
                       late.push_back(test_support::ms(row.event_time));
                     });
  EXPECT_THAT(run_to_lines(job, results),
              ElementsAre("0 0 10 | | 2", "0 10 20 | | 2", "0 20 30 | | 1"));
  EXPECT_THAT(late, ElementsAre(4, 6, 14));
}

TEST(JobTime, PunctuationMayBeAFunctionAndRowsWithoutATimeBringNone) {
  struct Row {
    std::optional<std::int64_t> ts;
    bool last = false;
  };
  const std::vector<Row> rows{{5}, {std::nullopt, true}, {7, true}, {6}, {30}};
  Job job;
  const auto watermark = [](const Row& row) {
    return row.last ? std::optional<std::int64_t>(9) : std::nullopt;
  };
  std::vector<std::string> lines;
  auto results = job.source(rows)
                     .event_time(&Row::ts, punctuated(watermark).idle_after(5s).at_most_ahead(1min))
                     .window(tumbling(10ms))
                     .aggregate(count());
  EXPECT_EQ(job.query().idle_timeout, 5000);
  EXPECT_EQ(job.query().max_ahead, 60'000);
  results.sink(test_support::Lines{&lines});
  const Report report = job.run();
  EXPECT_EQ(report.rows_bad, 1U);
  EXPECT_EQ(report.rows_late, 1U);
  EXPECT_EQ(report.rows_on_time, 3U);
}

TEST(JobTime, WithoutWatermarksNoRowIsLate) {
  const std::vector<Event> events{{100}, {1}, {55}, {2}};
  Job job;
  auto results = job.source(events)
                     .event_time(&Event::ts, no_watermarks())
                     .window(tumbling(10ms))
                     .aggregate(count());
  EXPECT_THAT(run_to_lines(job, results),
              ElementsAre("0 0 10 | | 2", "0 100 110 | | 1", "0 50 60 | | 1"));
}

TEST(JobTime, ARowFarAheadCountsAsBad) {
  const std::vector<Event> events{{1}, {86'400'000}, {12}, {25}, {1011}};
  Job job;
  std::vector<std::string> lines;
  job.source(events)
      .event_time(&Event::ts, bounded_out_of_orderness(2ms).at_most_ahead(1s))
      .window(tumbling(1s))
      .aggregate(count())
      .sink(test_support::Lines{&lines});
  const Report report = job.run();
  EXPECT_THAT(lines, ElementsAre("0 0 1000 | | 3", "0 1000 2000 | | 1"));
  EXPECT_EQ(report.rows_bad, 1U);
  EXPECT_EQ(report.rows_read, 5U);
  EXPECT_EQ(report.largest_jump.ms, 986);
}

// The clock moves on by 1 ms whenever it is read, so the result depends on nothing else.
TEST(JobTime, ByTheClockRowsCountWhenTheyAreReadAndNoneIsLate) {
  struct Row {
    int value;
  };
  std::vector<Row> rows(1000, Row{2});
  std::atomic<EventTime> clock{1'000'000};
  Job job;
  std::vector<std::int64_t> counts;
  job.source(rows)
      .processing_time()
      .window(tumbling(5ms))
      .aggregate(count(), sum(&Row::value))
      .sink([&counts](const auto& result) { counts.push_back(result.template value<0>()); });
  RunOptions options;
  options.batch_rows = 10;
  options.wall_clock = [&clock] { return clock.fetch_add(1); };
  const Report report = job.run(options);
  EXPECT_EQ(report.rows_on_time, 1000U);
  EXPECT_EQ(report.rows_late, 0U);
  // 100 batches, each at most one for each ms.
  EXPECT_GE(counts.size(), 20U);
  std::int64_t all = 0;
  for (const std::int64_t count : counts) {
    EXPECT_LE(count, 50);
    all += count;
  }
  EXPECT_EQ(all, 1000);
  EXPECT_EQ(report.watermark, kEndOfTime);
}

TEST(JobTime, SessionsByTheirRowsGapsGoWithPunctuationAndTheClock) {
  struct Visit {
    std::int64_t ts = 0;
    std::int64_t gap = 0;
    std::optional<std::int64_t> watermark{};
  };
  const std::vector<Visit> visits{{0, 5}, {3, 2}, {4, 0}, {20, 4, 19}, {1, 3}};
  Job job;
  auto results = job.source(visits)
                     .event_time(&Visit::ts, punctuated(&Visit::watermark))
                     .window(session(&Visit::gap))
                     .aggregate(count());
  EXPECT_THAT(run_to_lines(job, results), ElementsAre("0 0 5 | | 2", "0 20 24 | | 1"));

  Job by_clock;
  auto clocked =
      by_clock.source(visits).processing_time().window(session(&Visit::gap)).aggregate(count());
  RunOptions options;
  options.wall_clock = [] { return EventTime{1000}; };
  EXPECT_THAT(run_to_lines(by_clock, clocked, options), ElementsAre("0 1000 1005 | | 4"));
}

TEST(JobTime, ALimitAheadIsForEventTimeAndAboveZero) {
  const std::vector<Event> events{{1}};
  Job job;
  auto results = job.source(events)
                     .event_time(&Event::ts, monotonous().at_most_ahead(0ms))
                     .window(tumbling(1s))
                     .aggregate(count());
  results.sink([](const auto&) {});
  EXPECT_THROW(job.run(), std::invalid_argument);
}

}  // namespace
}  // namespace tidemark
