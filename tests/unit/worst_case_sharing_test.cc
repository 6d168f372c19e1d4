// What no strategy may let depend on how it groups states.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"

namespace tidemark::test_support {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> lines_of(WindowQuery query, Strategy strategy,
                                  const std::vector<Row>& rows, std::size_t cores) {
  query.strategy = strategy;
  RunSettings settings;
  settings.pipeline.cores = cores;
  return to_lines(run_query(query, {rows}, settings).results);
}

TEST(WorstCaseSharing, ARowForASliceThatIsFoldedComesAfterThoseOfItsTime) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"x", ColumnType::kInt64}};
  query.windows = {sliding(milliseconds(10), milliseconds(1))};
  query.aggregates = {{AggregateFunction::kFirst, 0, "first"},
                      {AggregateFunction::kLast, 0, "last"},
                      {AggregateFunction::kCollect, 0, "all"}};
  const auto row = [](EventTime time, std::int64_t x) {
    return Row{time, {Cell(INT64_C(1)), Cell(x)}};
  };
  for (EventTime tied = 5; tied < 25; ++tied) {
    SCOPED_TRACE(tied);
    std::vector<Row> rows;
    for (EventTime time = 0; time <= 40; ++time) {
      rows.push_back(row(time, time * 10));
      // Once the next row has fired the windows that end with it.
      if (time == tied + 1) rows.push_back(row(tied, tied * 10 + 1));
    }
    const std::vector<std::string> expected = lines_of(query, Strategy::kRecompute, rows, 1);
    EXPECT_EQ(lines_of(query, Strategy::kWorstCase, rows, 1), expected);
    EXPECT_EQ(lines_of(query, Strategy::kTwoStacks, rows, 1), expected);
  }
}

// Few busy keys among many quiet ones: on some numbers of cores results are kept from one window to
// the next, on others they are computed anew.
TEST(WorstCaseSharing, SumsOfDoublesDoNotDependOnWhereTheirKeysAre) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"x", ColumnType::kDouble}};
  query.windows = {sliding(milliseconds(10), milliseconds(1))};
  query.aggregates = {{AggregateFunction::kSum, 0, "sum"}};
  std::vector<Row> rows;
  for (EventTime time = 0; time < 60; ++time) {
    for (std::int64_t key = 0; key < 3; ++key) {
      rows.push_back({time, {Cell(key), Cell(0.1 * static_cast<double>(time % 7 + key))}});
    }
    if (time % 10 < 3) {
      for (std::int64_t key = 3; key < 60; ++key) {
        rows.push_back({time, {Cell(key), Cell(0.1 * static_cast<double>(time % 10 + 1))}});
      }
    }
  }
  for (const Strategy strategy : {Strategy::kWorstCase, Strategy::kTwoStacks}) {
    const std::vector<std::string> expected = lines_of(query, strategy, rows, 1);
    for (const std::size_t cores : {2U, 3U, 4U, 8U}) {
      SCOPED_TRACE(cores);
      EXPECT_EQ(lines_of(query, strategy, rows, cores), expected);
    }
  }
}

}  // namespace
}  // namespace tidemark::test_support
