// Watermarks through whole runs: several partitions, more workers than keys, ties.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using test_support::Cell;
using test_support::kNull;
using test_support::Row;
using test_support::run_query;
using test_support::RunOutcome;
using test_support::RunSettings;
using test_support::to_lines;

using Lines = std::vector<std::string>;

std::vector<Row> rows_at(EventTime begin, EventTime end, std::vector<Cell> cells = {}) {
  std::vector<Row> rows;
  for (EventTime time = begin; time < end; ++time) rows.push_back({time, cells});
  return rows;
}

WindowQuery count_in(milliseconds size) {
  WindowQuery query;
  query.windows = {tumbling(size)};
  query.aggregates = {{AggregateFunction::kCount, -1, "count"}};
  return query;
}

Lines windows_of_ten(int windows, int count, const std::string& key = "") {
  Lines lines;
  for (int i = 0; i < windows; ++i) {
    lines.push_back("#0 [" + std::to_string(i * 10) + ", " + std::to_string(i * 10 + 10) + ") " +
                    key + " | " + std::to_string(count));
  }
  return lines;
}

class WatermarkRun : public testing::TestWithParam<std::size_t> {
 protected:
  RunOutcome run(const WindowQuery& query, const std::vector<std::vector<Row>>& partitions) const {
    RunSettings settings;
    settings.pipeline.cores = GetParam();
    settings.pace.longest_run = 7;
    settings.pace.pending_share = 0.2;
    RunOutcome outcome = run_query(query, partitions, settings);
    EXPECT_EQ(outcome.faults, Lines{});
    return outcome;
  }
};

// With one highest time for all, the partition that is read later would be late as a whole.
TEST_P(WatermarkRun, EachPartitionHasAWatermarkOfItsOwn) {
  const RunOutcome outcome = run(count_in(milliseconds(10)), {rows_at(0, 100), rows_at(0, 100)});
  EXPECT_EQ(to_lines(outcome.results), windows_of_ten(10, 20));
  EXPECT_EQ(outcome.report.rows_late, 0U);
}

TEST_P(WatermarkRun, WorkersWithoutKeysHoldNothingBack) {
  WindowQuery query = count_in(milliseconds(10));
  query.keys = {{"k", ColumnType::kInt64}};
  const RunOutcome outcome = run(query, {rows_at(0, 100, {Cell(std::int64_t{7})})});
  EXPECT_EQ(to_lines(outcome.results), windows_of_ten(10, 10, "7"));
}

TEST_P(WatermarkRun, TimesAMillisecondApartAndTiesFollowCoarseOnes) {
  const RunOutcome outcome =
      run(count_in(milliseconds(1000)),
          {{{0, {}}, {10'000, {}}, {20'000, {}}, {20'001, {}}, {20'001, {}}, {20'002, {}}}});
  EXPECT_EQ(to_lines(outcome.results),
            (Lines{"#0 [0, 1000)  | 1", "#0 [10000, 11000)  | 1", "#0 [20000, 21000)  | 4"}));
  EXPECT_EQ(outcome.report.rows_late, 0U);
}

TEST_P(WatermarkRun, LatenessIsMeasuredFromTheRowsTime) {
  const RunOutcome outcome = run(count_in(milliseconds(10)), {{{1, {}}, {13, {}}, {9, {}}}});
  ASSERT_EQ(outcome.late.size(), 1U);
  EXPECT_EQ(outcome.late[0].watermark - outcome.late[0].row.time, 3);
}

// A condition leaves a row's value out, never its time.
TEST_P(WatermarkRun, RowsThatNoAggregateCountsMoveTheWatermark) {
  WindowQuery query = count_in(milliseconds(2));
  query.values = {{"v", ColumnType::kInt64}};
  query.aggregates = {{AggregateFunction::kCount, 0, "count"}};
  const Cell counted(std::int64_t{1});
  const RunOutcome outcome =
      run(query, {{{0, {kNull}}, {1, {kNull}}, {2, {counted}}, {5, {counted}}, {1, {counted}}}});
  EXPECT_EQ(to_lines(outcome.results),
            (Lines{"#0 [0, 2)  | 0", "#0 [2, 4)  | 1", "#0 [4, 6)  | 1"}));
  EXPECT_EQ(outcome.report.rows_late, 1U);
}

TEST_P(WatermarkRun, PunctuatedRowsAreJudgedOneByOneWhateverTheBatches) {
  WindowQuery query = count_in(milliseconds(10));
  query.watermarks = WatermarkKind::kPunctuated;
  const auto row = [](EventTime time, EventTime watermark) {
    return Row{time, {Cell(std::int64_t{watermark})}};
  };
  const RunOutcome outcome = run(
      query, {{row(1, kNoWatermark), row(12, kNoWatermark), row(3, 9), row(4, 5),
               row(13, kNoWatermark), row(6, kNoWatermark), row(25, 19), row(14, kNoWatermark)}});
  EXPECT_EQ(to_lines(outcome.results),
            (Lines{"#0 [0, 10)  | 2", "#0 [10, 20)  | 2", "#0 [20, 30)  | 1"}));
  EXPECT_EQ(outcome.report.rows_late, 3U);
}

INSTANTIATE_TEST_SUITE_P(Cores, WatermarkRun, testing::Values(1, 2, 8),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace tidemark
