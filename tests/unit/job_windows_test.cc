// Windows of the typed face: sessions by a row's own gap, early and late firings, triggers,
// evictors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/job_lines.h"
#include "tidemark/operators/job.h"

namespace tidemark {
namespace {

using test_support::ms;
using test_support::run_to_lines;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

struct Visit {
  std::int64_t ts = 0;
  int user = 0;
  double price = 0;
  std::int64_t gap = 0;
};

// "start end | values | pane index change", in order of emission for one key.
template <typename Stream>
Lines firings_of(Job& job, Stream stream) {
  Lines lines;
  stream.sink([&lines](const auto& result) {
    lines.push_back(fmt::format("{} {} |{} | {} {} {}", ms(result.window_start),
                                ms(result.window_end), test_support::text(result.values),
                                to_string(result.pane.timing), result.pane.index,
                                to_string(result.pane.change)));
  });
  job.run();
  return lines;
}

const std::vector<Visit> kVisits = {{0, 1, 1, 10}, {5, 1, 2, 20}, {24, 1, 3, 1}, {60, 1, 4, 5}};

TEST(JobSessions, MayTakeTheGapFromAMember) {
  Job job;
  EXPECT_EQ(run_to_lines(job, job.source(kVisits)
                                  .event_time(&Visit::ts, monotonous())
                                  .key_by(&Visit::user)
                                  .window(session(&Visit::gap))
                                  .aggregate(count(), sum(&Visit::price))),
            (Lines{"0 0 25 | 1 | 3 6", "0 60 65 | 1 | 1 4"}));
}

TEST(JobSessions, MayComputeTheGapAsADuration) {
  Job job;
  const auto gap = [](const Visit& visit) { return std::chrono::milliseconds(visit.user * 3); };
  EXPECT_EQ(run_to_lines(job, job.source(kVisits)
                                  .event_time(&Visit::ts, monotonous())
                                  .window(session(gap))
                                  .aggregate(count())),
            (Lines{"0 0 3 | | 1", "0 24 27 | | 1", "0 5 8 | | 1", "0 60 63 | | 1"}));
}

TEST(JobSessions, ARowWithoutAPositiveGapIsBad) {
  const std::vector<Visit> visits = {{0, 1, 1, 10}, {5, 1, 2, 0}, {6, 1, 3, -4}};
  Job job;
  auto results = job.source(visits)
                     .event_time(&Visit::ts, monotonous())
                     .window(session(&Visit::gap))
                     .aggregate(count());
  Lines lines;
  results.sink(test_support::Lines{&lines});
  const Report report = job.run();
  EXPECT_EQ(lines, (Lines{"0 0 10 | | 1"}));
  EXPECT_EQ(report.rows_read, 3U);
  EXPECT_EQ(report.rows_bad, 2U);
  EXPECT_EQ(report.rows_on_time, 1U);
}

TEST(JobFirings, ResultsTellTheirPane) {
  Job job;
  EXPECT_EQ(firings_of(job, job.source(kVisits)
                                .event_time(&Visit::ts, monotonous())
                                .window(tumbling(50ms))
                                .early_every_rows(2)
                                .accumulation(Accumulation::kRetracting)
                                .aggregate(count())),
            (Lines{"0 50 | 2 | early 0 +I", "0 50 | 2 | on_time 1 -U", "0 50 | 3 | on_time 1 +U",
                   "50 100 | 1 | on_time 0 +I"}));
}

TEST(JobFirings, AnUndividedJobHasOneFiringPerWindow) {
  Job job;
  EXPECT_EQ(firings_of(job, job.source(kVisits)
                                .event_time(&Visit::ts, monotonous())
                                .window(tumbling(50ms))
                                .aggregate(count())),
            (Lines{"0 50 | 3 | on_time 0 +I", "50 100 | 1 | on_time 0 +I"}));
}

TEST(JobFirings, LateRowsWithinTheLatenessFireAgain) {
  const std::vector<Visit> visits = {{0, 1, 1}, {30, 1, 2}, {5, 1, 4}, {70, 1, 8}, {6, 1, 16}};
  Job job;
  EXPECT_EQ(firings_of(job, job.source(visits)
                                .event_time(&Visit::ts, monotonous())
                                .window(tumbling(20ms))
                                .allowed_lateness(40ms)
                                .aggregate(sum(&Visit::price))),
            (Lines{"0 20 | 1 | on_time 0 +I", "0 20 | 5 | late 1 +U", "20 40 | 2 | on_time 0 +I",
                   "60 80 | 8 | on_time 0 +I"}));
}

TEST(JobTriggers, MayLookAtAnInput) {
  const std::vector<Visit> visits = {{1, 1, 10}, {2, 1, 12}, {3, 1, 16}, {4, 1, 15}};
  Job job;
  EXPECT_EQ(firings_of(job, job.source(visits)
                                .event_time(&Visit::ts, monotonous())
                                .window(global_window())
                                .trigger_on(&Visit::price,
                                            [](std::size_t input) { return delta(input, 5); })
                                .aggregate(count(), max(&Visit::ts))),
            (Lines{fmt::format("{} {} | 3 3 | early 0 +I", kNoWatermark, kEndOfTime)}));
}

TEST(JobEvictors, LeaveTheRowsThatCount) {
  Job job;
  EXPECT_EQ(firings_of(job, job.source(kVisits)
                                .event_time(&Visit::ts, monotonous())
                                .window(tumbling(100ms))
                                .evictor(count_evictor(2))
                                .aggregate(sum(&Visit::price))),
            (Lines{"0 100 | 7 | on_time 0 +I"}));
}

TEST(JobStateTtl, EndsWhatHasHadNoRowForSoLong) {
  // By the watermark, which the row of another key moves.
  const std::vector<Visit> visits = {{0, 1}, {5, 1}, {90, 2}, {91, 1}, {92, 1}};
  Job job;
  auto results = job.source(visits)
                     .event_time(&Visit::ts, monotonous())
                     .key_by(&Visit::user)
                     .window(count_window(4))
                     .state_ttl(30ms)
                     .aggregate(count());
  Lines lines;
  results.sink(test_support::Lines{&lines});
  const Report report = job.run();
  EXPECT_EQ(lines, Lines{});
  EXPECT_EQ(report.state.expired_windows, 1U);
}

}  // namespace
}  // namespace tidemark
