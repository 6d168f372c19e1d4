#include "tidemark/connectors/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tidemark {
namespace {

using testing::HasSubstr;
using testing::Not;

RunReport some_report() {
  RunReport report;
  report.rows_read = 10;
  report.rows_on_time = 6;
  report.rows_late = 2;
  report.rows_bad = 1;
  report.rows_in_no_window = 1;
  report.results = 3;
  report.wall_seconds = 2;
  report.strategies = {Strategy::kSubtract, Strategy::kBuckets, Strategy::kSubtract};
  report.highest_event_time = 1500;
  report.watermark = 1499;
  return report;
}

TEST(RunSummaryTest, JsonHasTheFiguresOfTheRun) {
  const auto json = nlohmann::json::parse(summary_json(some_report()));
  EXPECT_EQ(json.at("rows_read"), 10);
  EXPECT_EQ(json.at("rows_per_second"), 5.0);
  EXPECT_EQ(json.at("watermark"), 1499);
  EXPECT_EQ(json.at("strategy"), "subtract,buckets");
}

TEST(RunSummaryTest, NoWatermarkIsNull) {
  RunReport report = some_report();
  report.watermark = kNoWatermark;
  EXPECT_TRUE(nlohmann::json::parse(summary_json(report)).at("watermark").is_null());
  EXPECT_THAT(summary_text(report), HasSubstr("watermark none"));
}

TEST(RunSummaryTest, ARunWithoutTimeHasNoRate) {
  RunReport report = some_report();
  report.wall_seconds = 0;
  EXPECT_EQ(nlohmann::json::parse(summary_json(report)).at("rows_per_second"), 0);
}

TEST(RunSummaryTest, TextShowsTheSumOfRows) {
  EXPECT_THAT(summary_text(some_report()),
              HasSubstr("10 rows read = 6 on time + 2 late + 1 bad + 1 in no window\n"));
  EXPECT_THAT(summary_text(some_report()), Not(HasSubstr("signal")));
}

TEST(RunSummaryTest, TellsHowManyRowsWereAggregatedAtTheirSourceOrWhyNoneCouldBe) {
  RunReport report = some_report();
  EXPECT_THAT(summary_text(report), Not(HasSubstr("aggregated")));
  EXPECT_TRUE(nlohmann::json::parse(summary_json(report)).at("no_local_aggregation").is_null());
  report.rows_preaggregated = 8;
  report.partials = 5;
  EXPECT_THAT(summary_text(report),
              HasSubstr("\n80 % of the rows were aggregated at their source, 1.6 rows a state\n"));
  report.no_local_aggregation = "each window has a state of its own";
  const auto json = nlohmann::json::parse(summary_json(report));
  EXPECT_EQ(json.at("rows_preaggregated"), 8);
  EXPECT_EQ(json.at("partials"), 5);
  EXPECT_EQ(json.at("no_local_aggregation"), "each window has a state of its own");
}

TEST(RunSummaryTest, ACancelledRunTellsWhatIsMissing) {
  RunReport report = some_report();
  report.cancelled = true;
  report.open_windows_dropped = 4;
  EXPECT_THAT(summary_text(report), HasSubstr("4 open windows are not in the output"));
}

TEST(RunSummaryTest, OverflowsAreNamedByWindowKeyAndAggregate) {
  OverflowList overflows;
  for (int i = 0; i < 25; ++i) overflows.add({0, 1000, "k" + std::to_string(i), "sum(x)"});
  const std::string text = overflow_text(overflows);
  EXPECT_THAT(text, HasSubstr("sum(x) does not fit 64 bits in window [1970-01-01T00:00:00.000Z, "
                              "1970-01-01T00:00:01.000Z) for key k0: the result is NULL\n"));
  EXPECT_THAT(text, HasSubstr("and 5 more sums that do not fit\n"));
}

TEST(RunSummaryTest, KeysThatAreNotUtf8LeaveTheJsonValid) {
  RunReport report = some_report();
  report.overflows.add({0, 1000, "caf\xe9", "sum(x)"});
  EXPECT_TRUE(nlohmann::json::accept(summary_json(report)));
}

RunReport report_after_a_jump() {
  RunReport report = some_report();
  report.delay = 60'000;
  report.largest_jump = {
      .ms = 86'280'000, .from = 120'000, .to = 86'400'000, .row = 3, .rows_behind = 10};
  return report;
}

TEST(RunSummaryTest, ATimeFarAheadThatMadeRowsLateIsNamed) {
  const std::string text = summary_text(report_after_a_jump());
  EXPECT_THAT(text, HasSubstr("row 3 raised the event time by 23h58m, from "
                              "1970-01-01T00:02:00.000Z to 1970-01-02T00:00:00.000Z, and 10 rows "
                              "after it are from before"));
  EXPECT_THAT(text, HasSubstr("--max-ahead"));
  const auto json = nlohmann::json::parse(summary_json(report_after_a_jump()));
  EXPECT_EQ(json.at("largest_jump").at("ms"), 86'280'000);
  EXPECT_EQ(json.at("largest_jump").at("row"), 3);
  EXPECT_EQ(json.at("largest_jump").at("rows_behind"), 10);
}

TEST(RunSummaryTest, AJumpIsNotNamedWithoutHarmOrWithinTheUsual) {
  RunReport nothing_late = report_after_a_jump();
  nothing_late.rows_late = 0;
  RunReport silence = report_after_a_jump();
  silence.largest_jump.rows_behind = 0;
  RunReport small = report_after_a_jump();
  small.delay = 86'280'000 / 5;
  for (const RunReport& report : {nothing_late, silence, small, some_report()}) {
    EXPECT_THAT(summary_text(report), Not(HasSubstr("--max-ahead")));
  }
  EXPECT_TRUE(nlohmann::json::parse(summary_json(some_report())).at("largest_jump").is_null());
}

TEST(RunSummaryTest, APartitionThatNeverHadARowIsNamed) {
  RunReport report = some_report();
  report.silent_partitions = {1};
  EXPECT_THAT(summary_text(report), HasSubstr("partition 1 of the source never had a row"));
  EXPECT_THAT(summary_text(some_report()), Not(HasSubstr("partition")));
}

}  // namespace
}  // namespace tidemark
