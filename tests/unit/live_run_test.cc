#include "tidemark/operators/live_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/query_run.h"
#include "tidemark/operators/query.h"

namespace tidemark {
namespace {

using test_support::Row;
using test_support::run_query;
using test_support::RunOutcome;
using test_support::RunSettings;

WindowQuery count_by_user(WindowSpec window, std::int64_t delay) {
  WindowQuery query;
  query.keys = {{"user", ColumnType::kString}};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "count"}};
  query.windows = {std::move(window)};
  query.delay = delay;
  return query;
}

// Rows whose times now and then fall back by up to 40 ms.
std::vector<Row> rows_of(EventTime start, int count) {
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    const EventTime back = i % 7 == 0 ? 40 : 0;
    rows.push_back({start + 3 * i - back, {std::string(1, static_cast<char>('a' + i % 5))}});
  }
  return rows;
}

void expect_same_rows(const RowTotals& totals, const RunReport& report) {
  EXPECT_EQ(totals.read, report.rows_read);
  EXPECT_EQ(totals.bad, report.rows_bad);
  EXPECT_EQ(totals.on_time, report.rows_on_time);
  EXPECT_EQ(totals.late(), report.rows_late);
  EXPECT_EQ(totals.in_no_window, report.rows_in_no_window);
  EXPECT_EQ(totals.results, report.results);
}

struct LiveJob {
  const char* name;
  WindowSpec window;
};
class LiveRunTest : public testing::TestWithParam<LiveJob> {};

TEST_P(LiveRunTest, EndsWithTheFiguresOfTheReport) {
  const WindowQuery query = count_by_user(GetParam().window, 10);
  for (const std::size_t cores : {1U, 2U}) {
    LiveRuns runs;
    RunSettings settings;
    settings.pipeline.cores = cores;
    settings.pipeline.batch_rows = 16;
    settings.pipeline.live = &runs;
    const RunOutcome outcome = run_query(query, {rows_of(5'000, 500)}, settings);
    EXPECT_GT(outcome.report.rows_late, 0U);
    const LiveRuns::State state = runs.state();
    ASSERT_TRUE(state.run);
    expect_same_rows(state.run->totals(), outcome.report);
    EXPECT_EQ(state.run->highest_event_time(), outcome.report.highest_event_time);
    EXPECT_EQ(state.run->watermark(), kEndOfTime);
    EXPECT_EQ(state.run->stages(), cores);
    EXPECT_EQ(state.run->workers(), cores + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Windows, LiveRunTest,
    testing::Values(
        LiveJob{"tumbling", tumbling(std::chrono::milliseconds(20))},
        LiveJob{"sliding", sliding(std::chrono::milliseconds(30), std::chrono::milliseconds(10))},
        LiveJob{"gaps", sliding(std::chrono::milliseconds(10), std::chrono::milliseconds(25))},
        LiveJob{"session", session(std::chrono::milliseconds(6))}),
    [](const testing::TestParamInfo<LiveJob>& job) { return std::string(job.param.name); });

TEST(LiveRunTest, EveryBatchHasComeHomeAtTheEnd) {
  LiveRuns runs;
  RunSettings settings;
  settings.pipeline.cores = 2;
  settings.pipeline.batch_rows = 8;
  settings.pipeline.live = &runs;
  run_query(count_by_user(tumbling(std::chrono::milliseconds(20)), 10),
            {rows_of(0, 300), rows_of(0, 200)}, settings);
  const LiveRuns::State state = runs.state();
  for (std::size_t source = 0; source < 2; ++source) {
    for (std::size_t stage = 0; stage < 2; ++stage) {
      const ChannelFigures& channel = state.run->channel(source, stage);
      EXPECT_GT(channel.sent.get(), 0U);
      EXPECT_EQ(channel.filled(), 0U);
      EXPECT_GT(channel.watermark.get(), 0);
    }
  }
}

TEST(LiveRunTest, RowsOnlyGrowInTheEyesOfAnotherThread) {
  LiveRuns runs;
  std::atomic<bool> over{false};
  std::thread reader([&] {
    RowTotals before;
    while (!over.load()) {
      const LiveRuns::State state = runs.state();
      if (!state.run) continue;
      const RowTotals now = state.run->totals();
      EXPECT_GE(now.read, before.read);
      EXPECT_GE(now.on_time, before.on_time);
      EXPECT_GE(now.late(), before.late());
      const WorkerTime time = state.run->worker(0).time(Clock::now());
      EXPECT_GE(time.busy.count() + time.idle.count() + time.blocked.count(), 0);
      before = now;
    }
  });
  RunSettings settings;
  settings.pipeline.cores = 2;
  settings.pipeline.batch_rows = 4;
  settings.pipeline.live = &runs;
  run_query(count_by_user(tumbling(std::chrono::milliseconds(20)), 10),
            {rows_of(0, 3'000), rows_of(0, 2'000)}, settings);
  over.store(true);
  reader.join();
}

TEST(LiveRunTest, RowsOfEarlierRunsAreKept) {
  LiveRuns runs;
  RunSettings settings;
  settings.pipeline.live = &runs;
  const WindowQuery query = count_by_user(tumbling(std::chrono::milliseconds(20)), 10);
  const RunOutcome first = run_query(query, {rows_of(0, 300)}, settings);
  const RunOutcome second = run_query(query, {rows_of(0, 100)}, settings);
  const LiveRuns::State state = runs.state();
  EXPECT_EQ(state.runs, 2U);
  expect_same_rows(state.earlier, first.report);
  expect_same_rows(state.run->totals(), second.report);
}

}  // namespace
}  // namespace tidemark
