// Worked examples whose point is not the answer alone but what is kept meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/query_run.h"
#include "tidemark/operators/pipeline.h"

namespace tidemark::test_support {
namespace {

constexpr Strategy kStrategies[] = {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract,
                                    Strategy::kTwoStacks, Strategy::kWorstCase};

WindowQuery counting_query(std::int64_t size, std::int64_t slide) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kString}};
  query.windows = {{WindowKind::kSliding, size, slide, 0}};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
  return query;
}

TEST(StateBounds, AKeySeenOnceIsInItsWindowsOnlyAndLeavesNoEntry) {
  std::vector<Row> rows = {{0, {Cell("A")}}};
  for (EventTime time = 0; time < 1000; ++time) rows.push_back({time, {Cell("B")}});
  for (const Strategy strategy : kStrategies) {
    SCOPED_TRACE(to_string(strategy));
    WindowQuery query = counting_query(4, 1);
    query.strategy = strategy;
    const RunOutcome run = run_query(query, {rows}, RunSettings{});
    std::vector<EventTime> starts;
    for (const ResultRow& result : run.results) {
      EXPECT_NE(result.aggregates[0], Cell(INT64_C(0)));
      if (result.keys[0] == Cell("A")) starts.push_back(result.start);
    }
    EXPECT_EQ(starts, (std::vector<EventTime>{-3, -2, -1, 0}));
    EXPECT_EQ(run.results.size(), 4U + 1003U);
    EXPECT_EQ(run.report.state.live_entries, 0U);
    EXPECT_LE(run.report.state.peak_live_entries, 32U);
  }
}

TEST(StateBounds, AJumpOverDecadesCostsNeitherTimeNorMemory) {
  const std::vector<Row> rows = {{1, {Cell("A")}}, {1'585'180'800'000, {Cell("A")}}};
  for (const Strategy strategy : kStrategies) {
    SCOPED_TRACE(to_string(strategy));
    WindowQuery query = counting_query(2000, 1000);
    query.strategy = strategy;
    const auto begin = std::chrono::steady_clock::now();
    const RunOutcome run = run_query(query, {rows}, RunSettings{});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
    EXPECT_EQ(run.results.size(), 4U);
    EXPECT_LE(run.report.state.peak_live_entries, 8U);
  }
}

// As many rows of one key as asked for, all in one window, with the value -1.
class OneKeyPartition : public SourcePartition {
 public:
  explicit OneKeyPartition(std::int64_t rows) : left_(rows) {}

  PollStatus poll(Batch& batch) override {
    if (left_ == 0) return PollStatus::kEnd;
    const auto room = static_cast<std::int64_t>(batch.capacity() - batch.size());
    const auto count = static_cast<std::size_t>(std::min(left_, room));
    const std::size_t begin = batch.size();
    for (std::size_t row = begin; row < begin + count; ++row) {
      batch.times()[row] = 5;
      batch.column(0).int64s()[row] = 42;
      batch.column(1).int64s()[row] = -1;
    }
    batch.set_size(begin + count);
    left_ -= static_cast<std::int64_t>(count);
    return count == 0 ? PollStatus::kPending : PollStatus::kRows;
  }

 private:
  std::int64_t left_;
};

TEST(StateBounds, SeveralAggregatesOfTwentyMillionRowsKeepTheirOwnExactColumns) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  query.windows = {tumbling(std::chrono::milliseconds(10))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kMax, 0, "highest"},
                      {AggregateFunction::kSum, 0, "sum"}};
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  partitions.push_back(std::make_unique<OneKeyPartition>(20'000'000));
  CollectingSink sink(query);
  run_pipeline(query, partitions, {&sink, {}}, nullptr, PipelineOptions{});
  EXPECT_EQ(to_lines(sink.results()),
            (std::vector<std::string>{"#0 [0, 10) 42 | 20000000 -1 -20000000"}));
}

}  // namespace
}  // namespace tidemark::test_support
