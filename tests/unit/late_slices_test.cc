// What allowed lateness costs on shared slices: nothing for rows in time, and what is kept goes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

using std::chrono::seconds;

constexpr EventTime kSecond = 1000;

WindowQuery query_of(Strategy strategy, std::int64_t size, std::int64_t slide,
                     std::int64_t lateness) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  query.windows = {sliding(seconds(size), seconds(slide))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"},
                      {AggregateFunction::kSum, 0, "sum"}};
  query.strategy = strategy;
  query.lateness = lateness * kSecond;
  query.reports_panes = true;
  return query;
}

class LateSlices : public ::testing::TestWithParam<Strategy> {
 protected:
  void start(std::int64_t size, std::int64_t slide, std::int64_t lateness) {
    query_ = query_of(GetParam(), size, slide, lateness);
    sink_ = std::make_unique<CollectingSink>(query_);
    stage_ = std::make_unique<WindowStage>(query_, *sink_, KeyCollection::kWhenDue);
    batch_ = std::make_unique<Batch>(query_.row_schema());
  }
  void add(EventTime time, std::int64_t key) {
    batch_->clear();
    append_row(*batch_, {time, {Cell(key), Cell(INT64_C(1))}});
    stage_->add(*batch_);
    ++rows_;
  }
  // A row of each of `keys` keys in each second of [from, to), and the watermark behind it.
  void fill(EventTime from, EventTime to, std::int64_t keys) {
    for (EventTime second = from; second < to; ++second) {
      for (std::int64_t key = 0; key < keys; ++key) add(second * kSecond, key);
      stage_->advance(second * kSecond + kSecond - 1);
    }
  }
  std::size_t take_results() {
    stage_->flush();
    const std::size_t results = sink_->results().size() - taken_;
    taken_ += results;
    return results;
  }

  WindowQuery query_;
  std::unique_ptr<CollectingSink> sink_;
  std::unique_ptr<WindowStage> stage_;
  std::unique_ptr<Batch> batch_;
  std::uint64_t rows_ = 0;
  std::size_t taken_ = 0;
};

TEST_P(LateSlices, ARowInTimeIsOneUpdateHoweverManyWindowsHoldIt) {
  start(3600, 1, 600);
  fill(0, 100, 2);
  EXPECT_EQ(stage_->state().updates, rows_);
}

TEST_P(LateSlices, ALateRowFiresExactlyTheFiredWindowsThatHoldIt) {
  start(60, 1, 30);
  fill(0, 200, 2);
  take_results();
  // Windows that end from 171 to 200 s have fired and are kept; the row's are those from 181 on.
  add(180 * kSecond, 0);
  EXPECT_EQ(take_results(), 20U);
  // Some of this one's windows are closed.
  add(150 * kSecond, 1);
  EXPECT_EQ(take_results(), 30U);
  // The last of this one's windows is closed.
  add(110 * kSecond, 1);
  EXPECT_EQ(take_results(), 0U);
  EXPECT_EQ(stage_->late_rows(), 1U);
}

TEST_P(LateSlices, SlicesAreKeptAsLongAsLatenessNeedsThemAndNoLonger) {
  start(10, 1, 20);
  fill(0, 100, 3);
  const std::uint64_t copies = query_.strategy == Strategy::kTwoStacks ? 9 * 3 : 0;
  // Nine slices of windows to come, and twenty of windows that late rows may still fire.
  EXPECT_EQ(stage_->state().live_entries, 29U * 3 + copies);
  add(85 * kSecond, 7);
  EXPECT_GT(stage_->state().live_entries, 29U * 3 + copies);
  stage_->advance(130 * kSecond);
  EXPECT_EQ(stage_->state().live_entries, 0U);
}

TEST_P(LateSlices, ALateRowCostsMergesByItsKeysEntriesAndNotByWindowsTimesSlices) {
  start(600, 1, 600);
  fill(0, 1200, 1);
  const std::uint64_t before = stage_->state().merges;
  take_results();
  add(900 * kSecond, 0);
  EXPECT_EQ(take_results(), 300U);
  // Twice for the 300 entries in front of what the windows have in common, and once for all others;
  // and twice for each window.
  EXPECT_LE(stage_->state().merges - before, 2 * 300U + 600U + 2 * 300U + 10U);
}

TEST_P(LateSlices, TheNextLateRowOfAKeyStepsOverBlocksOfSlices) {
  start(3600, 1, 600);
  fill(0, 4000, 1);
  take_results();
  add(3990 * kSecond, 0);
  EXPECT_EQ(take_results(), 10U);
  const std::uint64_t before = stage_->state().merges;
  add(3980 * kSecond, 0);
  EXPECT_EQ(take_results(), 20U);
  EXPECT_LE(stage_->state().merges - before, 3600U / 32 + 2 * 32U + 5 * 20U);
}

INSTANTIATE_TEST_SUITE_P(Strategies, LateSlices,
                         ::testing::Values(Strategy::kRecompute, Strategy::kSubtract,
                                           Strategy::kTwoStacks),
                         [](const auto& instance) {
                           std::string name(to_string(instance.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(LateBuckets, FiredWindowsAreKeptAsLongAsLatenessNeedsThem) {
  const WindowQuery query = query_of(Strategy::kBuckets, 10, 10, 20);
  CollectingSink sink(query);
  WindowStage stage(query, sink, KeyCollection::kWhenDue);
  Batch batch(query.row_schema());
  const auto add = [&](EventTime time, std::int64_t key) {
    batch.clear();
    append_row(batch, {time * kSecond, {Cell(key), Cell(INT64_C(1))}});
    stage.add(batch);
  };
  for (EventTime second = 0; second < 100; ++second) {
    add(second, 1);
    add(second, 2);
    stage.advance(second * kSecond + kSecond - 1);
  }
  EXPECT_EQ(stage.state().updates, 200U);
  // Those that end at 90 and 100 s.
  EXPECT_EQ(stage.state().live_entries, 4U);
  add(95, 3);
  EXPECT_EQ(stage.state().live_entries, 5U);
  add(75, 1);
  EXPECT_EQ(stage.late_rows(), 1U);
  stage.advance(120 * kSecond - 1);
  EXPECT_EQ(stage.state().live_entries, 0U);
}

}  // namespace
}  // namespace tidemark::test_support
