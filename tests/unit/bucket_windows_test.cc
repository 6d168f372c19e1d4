// One state per window: each gets its rows in the order of their arrival.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

// All rows come before the first watermark, in batches of `batch_rows`.
std::vector<std::string> results_of(const std::vector<Row>& rows, std::size_t batch_rows) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kDouble}};
  query.windows = {sliding(std::chrono::milliseconds(48), std::chrono::milliseconds(8))};
  query.aggregates = {{AggregateFunction::kSum, 0, "sum"}};
  query.strategy = Strategy::kBuckets;
  CollectingSink sink(query);
  WindowStage stage(query, sink, KeyCollection::kNever);
  Batch batch(query.row_schema());
  for (std::size_t row = 0; row < rows.size();) {
    batch.clear();
    for (std::size_t i = 0; i < batch_rows && row < rows.size(); ++i) {
      append_row(batch, rows[row++]);
    }
    stage.add(batch);
  }
  stage.finish();
  std::vector<std::string> lines = to_lines(sink.results());
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(BucketWindows, SumsOfDoublesDoNotDependOnWhereBatchesEnd) {
  std::mt19937_64 random(1);
  std::vector<Row> rows;
  for (EventTime time = 0; time < 500; ++time) {
    const double value = std::exp(static_cast<double>(random() % 4000) / 100);
    rows.push_back({time - static_cast<EventTime>(random() % 60),
                    {Cell(static_cast<std::int64_t>(random() % 2)), Cell(value)}});
  }
  const std::vector<std::string> one_by_one = results_of(rows, 1);
  for (const std::size_t batch_rows : {2U, 7U, 50U, 256U}) {
    EXPECT_EQ(results_of(rows, batch_rows), one_by_one) << "batches of " << batch_rows;
  }
}

}  // namespace
}  // namespace tidemark::test_support
