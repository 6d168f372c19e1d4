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

}  // namespace
}  // namespace tidemark
