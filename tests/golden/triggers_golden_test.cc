// Worked examples of triggers and evictors: rows with the watermarks that follow them, and every
// firing.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "support/query_run.h"
#include "tidemark/operators/evictor.h"
#include "tidemark/operators/trigger.h"

namespace tidemark::test_support {
namespace {

using namespace std::chrono_literals;

struct Step {
  EventTime time;
  std::string key;
  std::int64_t value;
  EventTime watermark = kNoWatermark;  // after the row
};

struct TriggerExample {
  std::string name;
  WindowSpec window;
  TriggerPtr trigger;
  EvictorPtr evictor;
  std::int64_t lateness;
  std::vector<Step> steps;
  // Start, end, key and sum.
  std::vector<std::string> results;
  std::size_t late;
};

void PrintTo(const TriggerExample& example, std::ostream* out) { *out << example.name; }

std::vector<TriggerExample> examples() {
  return {
      {"CountEvictorBeforeLeavesFourRowsAtEverySecond",
       global_window(),
       after_count(2),
       count_evictor(4),
       0,
       {{3000, "key2", 1},
        {3999, "key2", 1},
        {20, "key1", 1},
        {0, "key1", 1},
        {999, "key1", 1},
        {1998, "key2", 1},
        {1999, "key2", 1},
        {1000, "key2", 1},
        {10, "key2", 1}},
       {"key1 2", "key2 2", "key2 4", "key2 4"},
       0},
      {"CountEvictorAfterLeavesFourRowsForTheNextFiring",
       global_window(),
       after_count(2),
       count_evictor(4, EvictionMoment::kAfter),
       0,
       {{1, "key2", 1},
        {2, "key2", 1},
        {3, "key2", 1},
        {4, "key2", 1},
        {5, "key2", 1},
        {6, "key2", 1},
        {7, "key2", 1},
        {8, "key2", 1}},
       {"key2 2", "key2 4", "key2 6", "key2 6"},
       0},
      {"TimeEvictorLeavesRowsWithinTwoSecondsOfTheHighest",
       tumbling(4s),
       after_count(2),
       time_evictor(2s),
       0,
       {{1000, "key2", 1},
        {3999, "key2", 1},
        {3500, "key2", 1},
        {2001, "key2", 1},
        {5999, "key1", 1},
        {6500, "key1", 1}},
       {"[0,4000) key2 1", "[0,4000) key2 3", "[4000,8000) key1 2"},
       0},
      {"PurgingFourRowsOfASessionWhoseCountsAddUp",
       session(3s),
       purging(after_count(4)),
       nullptr,
       0,
       {{0, "key2", 1},
        {1000, "key2", 2},
        {2500, "key2", 3},
        {3500, "key2", 4},
        {10, "key1", 1},
        {1000, "key1", 2},
        {2500, "key1", 3},
        {6000, "key1", 1},
        {6500, "key1", 2},
        {7000, "key1", 3},
        {4500, "key1", 10}},
       {"[0,6500) key2 10", "[10,10000) key1 22"},
       0},
      {"APurgedSessionKeepsItsStart",
       session(10ms),
       any_of(purging(after_count(2)), after_watermark()),
       nullptr,
       0,
       {{0, "a", 1}, {3, "a", 1}, {6, "a", 1, 100}},
       {"[0,13) a 2", "[0,16) a 1"},
       0},
      {"ACountTriggerDoesNotFireAtTheEndOfTheWindow",
       tumbling(10ms),
       after_count(3),
       nullptr,
       0,
       {{1, "a", 1}, {2, "a", 1}, {3, "a", 1}, {4, "a", 1, 100}},
       {"[0,10) a 3"},
       0},
      {"EveryThreeSecondsOfAGlobalWindow",
       global_window(),
       every_event_time(3s),
       nullptr,
       0,
       {{0, "key1", 1},
        {20, "key1", 1},
        {999, "key1", 1},
        {3000, "key2", 1},
        {3999, "key2", 1},
        {1998, "key2", 1},
        {1999, "key2", 1},
        {1000, "key2", 1, 3000},
        {9000, "key3", 1, 6000}},
       // The last of each when the watermark goes to the end of time.
       {"key1 3", "key1 3", "key1 3", "key2 5", "key2 5", "key3 1"},
       0},
      {"APurgedWindowReportsEachLateRowAlone",
       tumbling(2s),
       purging(after_watermark()),
       nullptr,
       500,
       {{500, "k", 1, 1500}, {1300, "k", 1, 2300}, {1997, "k", 1, 6000}, {1998, "k", 1}},
       {"[0,2000) k 2", "[0,2000) k 1"},
       1},
      {"DeltaFiresWhenAValueIsMoreThanTheThresholdAway",
       global_window(),
       delta(0, 2),
       nullptr,
       0,
       {{1, "a", 1}, {2, "a", 3}, {3, "a", 4}, {4, "a", 6}, {5, "a", 7}},
       {"a 8", "a 21"},
       0},
  };
}

std::string line_of(const ResultRow& result) {
  std::string bounds;
  if (result.end != kEndOfTime) {
    bounds = "[" + std::to_string(result.start) + "," + std::to_string(result.end) + ") ";
  }
  return bounds + std::get<std::string>(result.keys[0]) + " " + to_text(result.aggregates);
}

class TriggersGolden : public ::testing::TestWithParam<TriggerExample> {};

TEST_P(TriggersGolden, FiringsAreTheStatedOnes) {
  const TriggerExample& example = GetParam();
  WindowQuery query;
  query.keys = {{"key", ColumnType::kString}};
  query.values = {{"value", ColumnType::kInt64}};
  query.windows = {example.window};
  query.aggregates = {{AggregateFunction::kSum, 0, "sum"}};
  query.trigger = example.trigger;
  query.evictor = example.evictor;
  query.lateness = example.lateness;
  query.watermarks = WatermarkKind::kPunctuated;
  query.repeat_unchanged = true;
  std::vector<Row> rows;
  for (const Step& step : example.steps) {
    rows.push_back({step.time, {step.key, step.value, step.watermark}});
  }
  for (const std::size_t cores : {std::size_t{1}, std::size_t{2}}) {
    RunSettings settings;
    settings.pipeline.cores = cores;
    settings.pipeline.batch_rows = cores == 1 ? 1024 : 1;
    const RunOutcome run = run_query(query, {rows}, settings);
    std::vector<std::string> lines;
    for (const ResultRow& result : run.results) lines.push_back(line_of(result));
    EXPECT_EQ(lines, example.results);
    EXPECT_EQ(run.late.size(), example.late);
    EXPECT_EQ(run.report.state.live_entries, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, TriggersGolden, ::testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

}  // namespace
}  // namespace tidemark::test_support
