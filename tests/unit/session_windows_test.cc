// Each row meets the sessions that are open at the watermark before it, however many rows come in
// a batch, and on the general path as on that of sessions.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/window_stage.h"

namespace tidemark::test_support {
namespace {

struct Arrival {
  EventTime time;
  EventTime watermark;
  std::int64_t gap = 10;
};

struct Case {
  std::string rule;
  std::vector<Arrival> rows;  // of one key
  std::vector<std::string> sessions;
  std::size_t late = 0;
  std::uint64_t merges = 0;
};

void PrintTo(const Case& sample, std::ostream* out) { *out << sample.rule; }

class SessionRules : public ::testing::TestWithParam<Case> {};

TEST_P(SessionRules, HoldInBatchesOfEverySizeAndOnBothPaths) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.values = {{"gap", ColumnType::kInt64}};
  WindowSpec by_row{WindowKind::kSession};
  by_row.gap_input = 0;
  query.windows = {by_row};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
  for (const Strategy strategy : {Strategy::kAuto, Strategy::kBuckets}) {
    query.strategy = strategy;
    for (std::size_t batch_rows = 1; batch_rows <= GetParam().rows.size(); ++batch_rows) {
      SCOPED_TRACE(std::string(to_string(strategy)) +
                   ", rows in a batch: " + std::to_string(batch_rows));
      CollectingSink sink(query);
      WindowStage stage(query, sink, KeyCollection::kAlways, 1, true);
      Batch batch(query.row_schema());
      std::vector<EventTime> watermarks;
      for (const Arrival& row : GetParam().rows) {
        append_row(batch, {row.time, {Cell(INT64_C(7)), Cell(row.gap)}});
        watermarks.push_back(row.watermark);
        if (batch.size() < batch_rows && &row != &GetParam().rows.back()) continue;
        stage.add_in_time(batch, watermarks);
        batch.clear();
        watermarks.clear();
      }
      stage.finish();
      std::vector<std::string> sessions = to_lines(sink.results());
      std::sort(sessions.begin(), sessions.end());
      EXPECT_EQ(sessions, GetParam().sessions);
      EXPECT_EQ(stage.late_rows(), GetParam().late);
      EXPECT_EQ(stage.state().merges, GetParam().merges);
      EXPECT_EQ(stage.state().live_entries, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SessionRules,
    ::testing::Values(
        Case{"a pause of exactly the gap joins", {{0, -100}, {10, -100}}, {"#0 [0, 20) 7 | 2"}},
        Case{"a longer pause does not",
             {{0, -100}, {11, -100}},
             {"#0 [0, 10) 7 | 1", "#0 [11, 21) 7 | 1"}},
        Case{"a row between two sessions makes them one",
             {{0, -100}, {20, -100}, {10, -100}},
             {"#0 [0, 30) 7 | 3"},
             0,
             1},
        Case{"and between older ones too",
             {{0, -100}, {20, -100}, {90, -100}, {10, -100}, {95, -100}},
             {"#0 [0, 30) 7 | 3", "#0 [90, 105) 7 | 2"},
             0,
             1},
        Case{"one with a long gap joins all that it reaches",
             {{0, -100}, {20, -100}, {40, -100}, {90, -100}, {5, -100, 50}},
             {"#0 [0, 55) 7 | 4", "#0 [90, 100) 7 | 1"},
             0,
             2},
        Case{"a session that the watermark has passed takes no more rows",
             {{0, -100}, {8, 9}},
             {"#0 [0, 10) 7 | 1", "#0 [8, 18) 7 | 1"}},
        Case{"one that it has not takes rows behind the watermark",
             {{0, -100}, {9, -100}, {1, 17}},
             {"#0 [0, 19) 7 | 3"}},
        Case{"a row whose own session would be complete is late",
             {{0, -100}, {30, 9}, {-5, 12}, {31, 13}},
             {"#0 [0, 10) 7 | 1", "#0 [30, 41) 7 | 2"},
             1},
        Case{"a new one may begin before one that is complete",
             {{100, -100, 10}, {95, 109, 50}, {97, 110, 1}, {120, 111, 1}},
             {"#0 [100, 110) 7 | 1", "#0 [95, 145) 7 | 3"}},
        Case{"several sessions may end within a batch",
             {{0, -100}, {20, 9}, {40, 29}, {41, 40}, {60, 50}},
             {"#0 [0, 10) 7 | 1", "#0 [20, 30) 7 | 1", "#0 [40, 51) 7 | 2", "#0 [60, 70) 7 | 1"}}),
    [](const auto& instance) {
      std::string name = instance.param.rule;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

WindowQuery fixed_gap(std::int64_t gap) {
  WindowQuery query;
  query.keys = {{"key", ColumnType::kInt64}};
  query.windows = {session(std::chrono::milliseconds(gap))};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "rows"}};
  return query;
}

TEST(SessionWindows, ASessionThatGrowsHasItsTimerPutOffAboutOnceAGap) {
  const WindowQuery query = fixed_gap(1000);
  CollectingSink sink(query);
  WindowStage stage(query, sink, KeyCollection::kWhenDue);
  Batch batch(query.row_schema());
  constexpr std::int64_t kRows = 100'000;
  for (EventTime time = 0; time < kRows; ++time) {
    append_row(batch, {time, {Cell(time % 10)}});
    std::vector<EventTime> watermarks(batch.size());
    if (!batch.full() && time + 1 < kRows) continue;
    for (std::size_t i = 0; i < batch.size(); ++i) watermarks[i] = batch.times()[i] - 2;
    stage.add_in_time(batch, watermarks);
    batch.clear();
  }
  EXPECT_EQ(stage.state().live_entries, 10U);
  EXPECT_EQ(stage.state().updates, std::uint64_t{kRows});
  // Ten sessions over a hundred gaps.
  EXPECT_GE(stage.state().timers_put_off, 900U);
  EXPECT_LE(stage.state().timers_put_off, 1200U);
}

}  // namespace
}  // namespace tidemark::test_support
