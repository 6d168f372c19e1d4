// A watermark may complete any number of windows: their results say on the way how far they are
// complete, so that little waits downstream.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/collecting_sink.h"
#include "support/test_rows.h"
#include "tidemark/connectors/ordered_results.h"
#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/window_operator.h"

namespace tidemark::test_support {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Firing {
  std::string name;
  std::vector<WindowSpec> windows;
  Strategy strategy = Strategy::kAuto;
  std::string zone = {};
  std::int64_t lateness = 0;
  // Windows that end in the hour that the clock skips end at one instant.
  std::size_t end_together = 0;
};

std::ostream& operator<<(std::ostream& out, const Firing& firing) { return out << firing.name; }

// Puts results in order as they come, and notes how many wait for others at most.
class WaitingResults final : public ResultOutput {
 public:
  explicit WaitingResults(const WindowQuery& query)
      : sink_(query), ordered_(query, sink_), batch_(query.result_schema(), 64) {}

  Batch* acquire() override { return &batch_; }
  void deliver(Batch* results) override {
    for (std::size_t row = 0; row < results->size(); ++row) {
      EXPECT_GT(results->times()[row], told_) << "this window was said to be complete";
    }
    if (!results->empty()) ordered_.accept(*results);
    most_waiting_ = std::max(most_waiting_, ordered_.waiting());
    if (results->header.watermark > told_) {
      told_ = results->header.watermark;
      ordered_.on_watermark(told_);
    }
    results->clear();
  }

  std::size_t most_waiting() const { return most_waiting_; }
  EventTime told() const { return told_; }
  const std::vector<ResultRow>& results() const { return sink_.results(); }

 private:
  CollectingSink sink_;
  OrderedResults ordered_;
  Batch batch_;
  EventTime told_ = kNoWatermark;
  std::size_t most_waiting_ = 0;
};

WindowQuery query_of(const Firing& firing) {
  WindowQuery query;
  query.keys = {{"k", ColumnType::kInt64}};
  query.values = {{"v", ColumnType::kInt64}};
  query.windows = firing.windows;
  query.aggregates = {{AggregateFunction::kMax, 0, "max"}};
  query.strategy = firing.strategy;
  query.zone = firing.zone;
  query.lateness = firing.lateness;
  return query;
}

// Adds the rows, and fires everything at once; false if the output had no room.
bool fires_all(WindowOperator& stage, Batch& rows) {
  hash_keys(rows, 1, 0, rows.size());
  std::vector<std::uint16_t> late;
  if (!stage.add(rows, late)) return false;
  stage.advance(kEndOfTime);
  if (!stage.fire()) return false;
  stage.emitter().flush();
  return true;
}

class FiringSteps : public ::testing::TestWithParam<Firing> {};

// Three keys, and two stretches of rows a year apart, around a change of clocks. All is due at
// once.
TEST_P(FiringSteps, LittleWaitsForTheWatermarkHoweverManyWindowsItCompletes) {
  constexpr EventTime kFirst = 1'711'843'200'000;  // 2024-03-31T00:00Z
  constexpr EventTime kYear = 365 * EventTime{86'400'000};
  const WindowQuery query = query_of(GetParam());
  WaitingResults output(query);
  WindowOperator stage(query, plan_query(query), output);
  Batch rows(query.row_schema());
  for (const EventTime begin : {kFirst, kFirst + kYear}) {
    for (std::int64_t i = 0; i < 300; ++i) {
      append_row(rows, {begin + i * 17'000, {Cell(i % 3), Cell(i)}});
    }
  }
  ASSERT_TRUE(fires_all(stage, rows));

  EXPECT_NE(output.told(), kNoWatermark);
  const std::size_t all = output.results().size();
  EXPECT_GT(all, 100'000U);
  // Steps are 4,096 results of each specification, and batches come 64 results late.
  EXPECT_LT(output.most_waiting(), 2 * 4096 * query.windows.size() + 3 * GetParam().end_together);
}

INSTANTIATE_TEST_SUITE_P(
    Windows, FiringSteps,
    ::testing::Values(
        Firing{"recompute", {sliding(minutes(3), milliseconds(100))}, Strategy::kRecompute},
        Firing{"two_stacks", {sliding(hours(1), milliseconds(250))}, Strategy::kTwoStacks},
        Firing{"worst_case", {sliding(hours(1), milliseconds(250))}, Strategy::kWorstCase},
        Firing{"pairs", {sliding(milliseconds(3'600'001), milliseconds(250))}},
        Firing{"zoned",
               {sliding(hours(1), milliseconds(250))},
               Strategy::kAuto,
               "Europe/Berlin",
               0,
               14'400},
        Firing{"late", {sliding(hours(1), milliseconds(250))}, Strategy::kAuto, "", 60'000},
        Firing{"cumulate", {cumulate(hours(24), milliseconds(500))}},
        Firing{"two_specifications",
               {sliding(hours(1), milliseconds(250)), sliding(minutes(50), milliseconds(300))},
               Strategy::kTwoStacks},
        Firing{"base_intervals",
               {sliding(hours(1), milliseconds(250)), sliding(minutes(50), milliseconds(300)),
                sliding(hours(2), seconds(1))},
               Strategy::kBaseIntervals},
        Firing{"base_intervals_zoned",
               {sliding(hours(1), milliseconds(250)), sliding(minutes(50), milliseconds(300))},
               Strategy::kBaseIntervals,
               "Europe/Berlin",
               0,
               14'400 + 12'000}),
    [](const auto& firing) { return firing.param.name; });

// A pause of fifty years has 1.6e12 windows of a millisecond, and none of them holds rows.
TEST(FiringSteps, StretchesWithoutRowsAreNotWalked) {
  for (const Strategy strategy : {Strategy::kTwoStacks, Strategy::kBaseIntervals}) {
    WindowQuery query = query_of({"", {sliding(milliseconds(10), milliseconds(1))}, strategy});
    if (strategy == Strategy::kBaseIntervals) {
      query.windows.push_back(sliding(milliseconds(7), milliseconds(1)));
    }
    WaitingResults output(query);
    WindowOperator stage(query, plan_query(query), output);
    Batch rows(query.row_schema());
    for (const EventTime time : {EventTime{0}, 50 * 365 * EventTime{86'400'000}}) {
      append_row(rows, {time, {Cell(std::int64_t{1}), Cell(std::int64_t{1})}});
    }
    ASSERT_TRUE(fires_all(stage, rows));
    EXPECT_EQ(stage.emitter().results(), strategy == Strategy::kBaseIntervals ? 34U : 20U);
  }
}

}  // namespace
}  // namespace tidemark::test_support
