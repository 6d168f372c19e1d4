#include "tidemark/operators/trigger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/collecting_sink.h"
#include "support/query_run.h"
#include "support/window_stage.h"
#include "tidemark/operators/evictor.h"
#include "tidemark/operators/query.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using test_support::ResultRow;
using test_support::Row;
using test_support::run_query;
using test_support::RunOutcome;
using test_support::RunSettings;
using Lines = std::vector<std::string>;

// Rows of one value column without a key: time and value.
using Points = std::vector<std::pair<EventTime, std::int64_t>>;

WindowQuery query_over(const WindowSpec& window, TriggerPtr trigger) {
  WindowQuery query;
  query.values = {{"v", ColumnType::kInt64}};
  query.windows = {window};
  query.aggregates = {{AggregateFunction::kCount, AggregateSpec::kRows, "n"},
                      {AggregateFunction::kSum, 0, "sum"}};
  query.trigger = std::move(trigger);
  query.reports_panes = true;
  return query;
}

RunOutcome run(const WindowQuery& query, const Points& points, const RunSettings& settings = {}) {
  std::vector<Row> rows;
  for (const auto& [time, value] : points) rows.push_back({time, {value}});
  return run_query(query, {rows}, settings);
}

std::string bound(EventTime time) {
  if (time == kNoWatermark) return "-inf";
  return time == kEndOfTime ? "inf" : std::to_string(time);
}

// "start end count sum pane index change", in order of emission.
Lines lines_of(const RunOutcome& outcome) {
  EXPECT_EQ(outcome.faults, Lines{});
  Lines lines;
  for (const ResultRow& result : outcome.results) {
    std::string line = bound(result.start) + " " + bound(result.end);
    for (const auto& cell : result.aggregates) {
      line += " ";
      if (const auto* text = std::get_if<std::string>(&cell)) {
        line += *text;
      } else {
        line += std::to_string(std::get<std::int64_t>(cell));
      }
    }
    lines.push_back(line);
  }
  return lines;
}

struct TriggerCase {
  const char* rule;
  WindowSpec window;
  std::function<TriggerPtr()> trigger;
  Points points;
  Lines results;
  std::int64_t delay = 0;
};

class TriggerTest : public testing::TestWithParam<TriggerCase> {};

TEST_P(TriggerTest, FiresWhenItsRuleSays) {
  const TriggerCase& test = GetParam();
  WindowQuery query = query_over(test.window, test.trigger());
  query.delay = test.delay;
  EXPECT_EQ(lines_of(run(query, test.points)), test.results);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, TriggerTest,
    testing::Values(
        TriggerCase{"WithoutPartsItIsTheEndOfTheWindow",
                    tumbling(10ms),
                    [] { return after_watermark(); },
                    {{1, 1}, {5, 2}, {12, 4}},
                    {"0 10 2 3 on_time 0 +I", "10 20 1 4 on_time 0 +I"}},
        TriggerCase{"ACountReplacesTheEndOfTheWindow",
                    tumbling(10ms),
                    [] { return after_count(3); },
                    {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {50, 1}},
                    {"0 10 3 3 early 0 +I"}},
        TriggerCase{"EarlyByCountAndOnTime",
                    tumbling(10ms),
                    [] { return after_watermark(after_count(2)); },
                    {{1, 1}, {2, 2}, {3, 4}, {20, 0}},
                    {"0 10 2 3 early 0 +I", "0 10 3 7 on_time 1 +U", "20 30 1 0 on_time 0 +I"}},
        TriggerCase{"OnTimeSaysNothingNewAfterAnEarlyFiringOfTheSame",
                    tumbling(10ms),
                    [] { return after_watermark(after_count(2)); },
                    {{1, 1}, {2, 2}, {20, 0}},
                    {"0 10 2 3 early 0 +I", "20 30 1 0 on_time 0 +I"}},
        TriggerCase{"PurgingCountsFromTheLastFiring",
                    tumbling(10ms),
                    [] { return purging(any_of(after_count(2), after_watermark())); },
                    {{1, 1}, {2, 2}, {3, 4}, {20, 8}},
                    {"0 10 2 3 early 0 +I", "0 10 1 4 on_time 1 +I", "20 30 1 8 on_time 0 +I"}},
        TriggerCase{"APurgedSessionLivesOn",
                    session(10ms),
                    [] { return purging(any_of(after_count(2), after_watermark())); },
                    {{0, 1}, {3, 2}, {6, 4}, {100, 0}},
                    {"0 13 2 3 early 0 +I", "0 16 1 4 on_time 1 +I", "100 110 1 0 on_time 0 +I"}},
        TriggerCase{"CountsOfMergedSessionsAddUp",
                    session(5ms),
                    [] { return after_count(4); },
                    {{0, 1}, {7, 2}, {4, 4}, {8, 8}},
                    {"0 13 4 15 early 0 +I"},
                    100},
        TriggerCase{
            "OrFinallyEndsWithItsLastFiring",
            global_window(),
            [] { return or_finally(after_count(2), after_count(5)); },
            {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}},
            {"-inf inf 2 2 early 0 +I", "-inf inf 4 4 early 1 +U", "-inf inf 5 5 early 2 +U"}},
        TriggerCase{"RepeatedlyBeginsAgainWhatHasFinished",
                    global_window(),
                    [] { return repeatedly(or_finally(never(), after_count(3))); },
                    {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}},
                    {"-inf inf 3 3 early 0 +I", "-inf inf 6 6 early 1 +U"}},
        TriggerCase{
            "NeverLosesTheWindow", tumbling(10ms), [] { return never(); }, {{1, 1}, {50, 1}}, {}},
        TriggerCase{"DeltaFiresOnlyBeyondItsThreshold",
                    global_window(),
                    [] { return delta(0, 5); },
                    {{1, 10}, {2, 15}, {3, 16}, {4, 11}, {5, 10}},
                    {"-inf inf 3 41 early 0 +I", "-inf inf 5 62 early 1 +U"}},
        TriggerCase{"EveryEventTimeFiresAtMultiplesThatTheWatermarkReaches",
                    tumbling(20ms),
                    [] { return after_watermark(every_event_time(5ms)); },
                    {{1, 1}, {2, 2}, {6, 4}, {7, 8}, {30, 0}},
                    {"0 20 3 7 early 0 +I", "0 20 4 15 early 1 +U", "20 40 1 0 on_time 0 +I"}}),
    [](const auto& test) { return std::string(test.param.rule); });

// A window stage whose clock is set by hand.
class ClockedStage {
 public:
  explicit ClockedStage(const WindowQuery& query)
      : query_(query),
        sink_(query_),
        stage_(query_, sink_, KeyCollection::kWhenDue, Batch::kDefaultCapacity, false,
               [this] { return now_; }) {}

  void at(EventTime clock) {
    now_ = clock;
    stage_.follow_clock();
  }
  void row(EventTime time, std::int64_t value) {
    Batch batch(query_.row_schema());
    test_support::append_row(batch, {time, {value}});
    stage_.add(batch);
    stage_.follow_clock();
  }
  void watermark(EventTime time) { stage_.advance(time); }
  std::optional<EventTime> next() const { return stage_.next_processing_time(); }
  Lines lines() const {
    RunOutcome outcome;
    outcome.results = sink_.results();
    return lines_of(outcome);
  }

 private:
  WindowQuery query_;
  test_support::CollectingSink sink_;
  EventTime now_ = 1'000'000;
  test_support::WindowStage stage_;
};

TEST(ProcessingTimeTest, AfterDelayFiresOnceForTheRowsSinceTheLastFiring) {
  ClockedStage stage(query_over(tumbling(100ms), after_delay(50ms)));
  EXPECT_EQ(stage.next(), std::nullopt);
  stage.row(1, 1);
  stage.at(1'000'020);
  stage.row(2, 2);
  EXPECT_EQ(stage.next(), 1'000'050);
  stage.at(1'000'049);
  EXPECT_EQ(stage.lines(), Lines{});
  stage.at(1'000'050);
  EXPECT_EQ(stage.lines(), (Lines{"0 100 2 3 early 0 +I"}));
  EXPECT_EQ(stage.next(), std::nullopt);
  stage.row(3, 4);
  EXPECT_EQ(stage.next(), 1'000'100);
  stage.at(1'000'300);
  EXPECT_EQ(stage.lines(), (Lines{"0 100 2 3 early 0 +I", "0 100 3 7 early 1 +U"}));
}

TEST(ProcessingTimeTest, EarlyFiringsByTheClockStopWithTheWindow) {
  WindowQuery query = query_over(tumbling(100ms), nullptr);
  query.early = {EarlyFiring::Kind::kProcessingTime, 10};
  ClockedStage stage(query);
  stage.row(1, 1);
  stage.at(1'000'010);
  stage.row(2, 2);
  stage.watermark(99);
  EXPECT_EQ(stage.lines(), (Lines{"0 100 1 1 early 0 +I", "0 100 2 3 on_time 1 +U"}));
  EXPECT_EQ(stage.next(), std::nullopt);
}

TEST(ProcessingTimeTest, ASessionKeepsTheEarliestDeadlineOfItsParts) {
  WindowQuery query = query_over(session(10ms), after_delay(50ms));
  ClockedStage stage(query);
  stage.row(1, 1);
  stage.at(1'000'020);
  stage.row(20, 2);
  stage.row(11, 4);
  EXPECT_EQ(stage.next(), 1'000'050);
  stage.at(1'000'060);
  EXPECT_EQ(stage.lines(), (Lines{"1 30 3 7 early 0 +I"}));
}

TEST(TriggerTest, SessionsRefuseATriggerThatCannotMerge) {
  const auto refused = validate(query_over(session(10ms), delta(0, 1)));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "sessions merge, and the trigger cannot: use one that can, such as after_count");
}

TEST(TriggerTest, WhatLeavesTheSharedPathTakesNoSharingStrategy) {
  WindowQuery query = query_over(session(10ms), nullptr);
  query.strategy = Strategy::kSubtract;
  const auto refused = validate(query);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "window 'session gap=10ms' cannot use strategy subtract: the edges of sessions are not "
            "known before their rows; use auto or buckets");
}

TEST(TriggerTest, ParametersOutOfRangeAreRefused) {
  EXPECT_THROW(after_count(0), std::invalid_argument);
  EXPECT_THROW(after_delay(0ms), std::invalid_argument);
  EXPECT_THROW(every_event_time(-1ms), std::invalid_argument);
  EXPECT_THROW(every_processing_time(0ms), std::invalid_argument);
  EXPECT_THROW(delta(0, -1), std::invalid_argument);
  EXPECT_THROW(purging(nullptr), std::invalid_argument);
  EXPECT_THROW(time_evictor(0ms), std::invalid_argument);
}

// Fires at a row whose value is negative, and at the event time that the value names otherwise.
class OnCommand final : public Trigger {
 public:
  std::unique_ptr<Trigger> fresh() const override { return std::make_unique<OnCommand>(); }
  TriggerResult on_row(const TriggerRow& row, TriggerContext& window) override {
    const double value = row.number(0).value_or(0);
    if (value < 0) return TriggerResult::kFireAndPurge;
    window.at_event_time(static_cast<EventTime>(value));
    return TriggerResult::kContinue;
  }
  TriggerResult on_event_time(EventTime time, TriggerContext& window) override {
    return time < window.window_end() - 1 ? TriggerResult::kFire : TriggerResult::kContinue;
  }
};

TEST(TriggerTest, AUserMayWriteHisOwn) {
  const WindowQuery query = query_over(tumbling(100ms), std::make_shared<OnCommand>());
  EXPECT_EQ(lines_of(run(query, {{1, 50}, {2, 60}, {55, 60}, {70, -1}, {71, 80}, {82, 90}})),
            (Lines{"0 100 3 170 early 0 +I", "0 100 4 169 early 1 +U", "0 100 2 170 early 2 +I"}));
}

// Removes rows with odd values.
class OddRowsLeave final : public Evictor {
 public:
  void evict_before(WindowRows& rows) const override {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (static_cast<std::int64_t>(rows.number(row, 0).value_or(0)) % 2 != 0) rows.evict(row);
    }
  }
};

TEST(EvictorTest, AUserMayWriteHisOwn) {
  WindowQuery query = query_over(tumbling(10ms), nullptr);
  query.evictor = std::make_shared<OddRowsLeave>();
  EXPECT_EQ(lines_of(run(query, {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {11, 5}})),
            (Lines{"0 10 2 6 on_time 0 +I"}));
}

TEST(EvictorTest, DeltaLeavesWhatIsNearTheLastRow) {
  WindowQuery query = query_over(tumbling(10ms), nullptr);
  query.evictor = delta_evictor(0, 3);
  EXPECT_EQ(lines_of(run(query, {{1, 10}, {2, 13}, {3, 7}, {4, 8}, {5, 10}})),
            (Lines{"0 10 3 28 on_time 0 +I"}));
}

TEST(StateTtlTest, AtTheEndOfTheInputEveryWindowHasItsSay) {
  WindowQuery query = query_over(global_window(), nullptr);
  query.state_ttl = 100;
  const RunOutcome outcome = run(query, {{1, 1}, {50, 1}});
  EXPECT_EQ(lines_of(outcome), (Lines{"-inf inf 2 2 on_time 0 +I"}));
  EXPECT_EQ(outcome.report.state.expired_windows, 0U);
}

}  // namespace
}  // namespace tidemark
