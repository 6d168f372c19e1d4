// Rows and partial states through channels of one small batch, with source tasks that change
// between both all the time: nothing is lost, doubled or late, whatever the scheduling.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/operators/pipeline.h"

namespace tidemark::test_support {
namespace {

constexpr std::int64_t kDisorder = 40;

// A row a millisecond, up to kDisorder late; text keys, some NULL, a few of them hot.
std::vector<Row> some_rows(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Row row;
    row.time = static_cast<EventTime>(i) - static_cast<EventTime>(random() % kDisorder);
    const std::uint64_t key = random() % 4 == 0 ? random() % 300 : random() % 3;
    row.cells = {key == 7 ? kNull : Cell("key " + std::to_string(key)),
                 random() % 20 == 0 ? kNull : Cell(static_cast<std::int64_t>(random() % 1000))};
    rows.push_back(std::move(row));
  }
  return rows;
}

WindowQuery some_query() {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kString}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = {sliding(std::chrono::milliseconds(90), std::chrono::milliseconds(40))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kSum, 0, "sum"},
                      {AggregateFunction::kMin, 0, "min"}};
  query.delay = kDisorder;
  return query;
}

TEST(PartialStatesStress, SmallBatchesAndCreditsWithRandomYieldsGiveTheResultsOfOneCore) {
  constexpr std::size_t kRows = 2000;
  const std::vector<Row> rows = some_rows(kRows, 11);
  WindowQuery query = some_query();
  const std::vector<std::string> expected = to_lines(run_query(query, {rows}, {}).results);

  std::vector<std::vector<Row>> partitions(3);
  for (std::size_t i = 0; i < rows.size(); ++i) partitions[i % 3].push_back(rows[i]);
  // No partition is ever ahead of the watermark of another.
  query.delay = kRows + kDisorder;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunSettings settings;
    settings.pipeline.cores = 1 + seed % 4;
    settings.pipeline.batch_rows = 1 + seed % 3;
    settings.pipeline.channel_batches = 1 + seed / 6;
    settings.pipeline.random_yields = seed;
    // Whoever yields when idle waits for a turn of everything that runs; yields come at random
    // already.
    settings.pipeline.ladder.spins = 0;
    settings.pipeline.ladder.yields = 0;
    settings.pipeline.local_aggregation =
        seed % 3 == 0 ? LocalAggregation::kAlways : LocalAggregation::kAlternating;
    const RunOutcome run = run_query(query, partitions, settings);
    EXPECT_EQ(run.faults, std::vector<std::string>{});
    EXPECT_EQ(run.report.rows_on_time, kRows);
    EXPECT_GT(run.report.rows_preaggregated, kRows / 10);
    EXPECT_EQ(to_lines(run.results), expected);
  }
}

}  // namespace
}  // namespace tidemark::test_support
