#include "tidemark/perf/bench_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tidemark/perf/bench_json.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/bench_text.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;
using testing::Not;

constexpr nanoseconds kBound = milliseconds(10);
constexpr std::uint64_t kRate = 1'000;
constexpr std::uint64_t kRows = 10'000;

// A run that held its schedule with a latency of 5 ms.
LatencyRun sustained_run() {
  LatencyRun run;
  run.rows = kRows;
  run.offered_rate = kRate;
  run.achieved_rate = kRate;
  run.latencies.event_time_to_result.record(5'000'000, 1'000);
  return run;
}

TEST(SustainedRateTest, HoldsTheScheduleTheBacklogAndTheLatency) {
  const auto verdict_is = [](const LatencyRun& run, RateOutcome outcome, const char* reason) {
    const RateVerdict verdict = judge_rate(run, kBound);
    EXPECT_EQ(verdict.outcome, outcome) << reason;
    EXPECT_THAT(verdict.reason, testing::StartsWith(reason));
  };
  verdict_is(sustained_run(), RateOutcome::kSustained, "");

  LatencyRun slow = sustained_run();
  slow.achieved_rate = 989;
  verdict_is(slow, RateOutcome::kLate, "only 98.9 % of the rate was sent");
  slow.cut_off_after = milliseconds(5'100);
  verdict_is(slow, RateOutcome::kOverloaded, "only 98.9 % of the rate was sent");

  LatencyRun growing = sustained_run();
  growing.lag = ScheduleLag(0, kRows);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    growing.lag.note(row, std::chrono::microseconds(row * 20));
  }
  verdict_is(growing, RateOutcome::kOverloaded, "the backlog grew by 2.0 %");

  LatencyRun late = sustained_run();
  late.latencies.event_time_to_result.record(11'000'000, 9);
  verdict_is(late, RateOutcome::kSustained, "");
  late.latencies.event_time_to_result.record(11'000'000, 9);
  verdict_is(late, RateOutcome::kLate, "p99 is above 10 ms");

  LatencyRun empty = sustained_run();
  empty.latencies = ResultLatencies();
  verdict_is(empty, RateOutcome::kLate, "no window was completed");
}

BenchResult result_with(RateSearchResult rates) {
  BenchResult result;
  result.options.aggregates = headline_aggregates();
  result.repeats.resize(1);
  result.repeats[0].report.strategies = {Strategy::kBuckets};
  result.repeats[0].report.wall_seconds = 1;
  result.one_core = result.repeats[0];
  result.rates = std::move(rates);
  return result;
}

RateStep step_at(std::uint64_t rate, bool sustained) {
  RateStep step;
  step.run = sustained_run();
  step.run.offered_rate = rate;
  step.sustained = sustained;
  if (!sustained) step.reason = "p99 is above 10 ms";
  return step;
}

TEST(RatesReportTest, TellsEveryStepByRisingRateInTextAndInTheOrderOfTheRunsInJson) {
  RateSearchResult rates;
  rates.highest_sustained = 2'000;
  rates.steps = {step_at(2'000, true), step_at(4'000, false), step_at(1'000, true)};
  const BenchResult result = result_with(rates);
  const std::string text = bench_text(result, {}, {});
  const std::size_t first = text.find("1.0 k");
  const std::size_t second = text.find("2.0 k", first);
  EXPECT_LT(second, text.find("4.0 k", second));
  EXPECT_THAT(text, HasSubstr("no: p99 is above 10 ms"));
  EXPECT_THAT(text, HasSubstr("highest rate sustained with p99 within 10 ms: 2.0 k rows/s"));
  const auto report = nlohmann::json::parse(bench_json(result, {}, {}))["rates"];
  EXPECT_EQ(report["highest_sustained"], 2'000);
  ASSERT_EQ(report["steps"].size(), 3U);
  EXPECT_EQ(report["steps"][1]["offered_rate"], 4'000);
  EXPECT_EQ(report["steps"][1]["sustained"], false);
  EXPECT_EQ(report["steps"][1]["overloaded"], false);
  EXPECT_EQ(report["steps"][1]["reason"], "p99 is above 10 ms");
  EXPECT_EQ(report["steps"][2]["latency"]["count"], 1'000);
}

TEST(RatesReportTest, SaysThatNoRateWasSustainedAndThatTheLimitWas) {
  RateSearchResult none;
  none.steps = {step_at(1'000, false)};
  none.limits.highest = 8'000;
  EXPECT_THAT(bench_text(result_with(none), {}, {}),
              HasSubstr("no rate is sustained with p99 within 10 ms; from 1.0 k to 1.0 k rows/s"));
  EXPECT_THAT(bench_text(result_with(none), {}, {}), Not(HasSubstr("8 times")));
  EXPECT_TRUE(
      nlohmann::json::parse(bench_json(result_with(none), {}, {}))["rates"]["highest_sustained"]
          .is_null());
  none.limits.highest = 1'000;
  EXPECT_THAT(bench_text(result_with(none), {}, {}),
              HasSubstr("the highest is 8 times the best throughput and was sent in time"));
  none.steps[0].overloaded = true;
  EXPECT_THAT(bench_text(result_with(none), {}, {}), Not(HasSubstr("sent in time")));
  RateSearchResult limit;
  limit.steps = {step_at(1'000, true)};
  limit.highest_sustained = 1'000;
  limit.at_limit = true;
  EXPECT_THAT(bench_text(result_with(limit), {}, {}),
              HasSubstr("no higher rate was tried: it is 8 times"));
}

// The search itself is tested with modelled systems; this is one with real runs, whatever they say.
TEST(FindRateTest, MeasuresEveryStepAndKeepsWithinTheLimits) {
  BenchOptions options;
  options.window = tumbling(milliseconds(10));
  options.aggregates = headline_aggregates();
  options.stream.keys = 5;
  options.stream.event_rate = 20'000;
  options.warmup = milliseconds(5);
  options.duration = milliseconds(20);
  options.latency_bound = std::chrono::hours(1);
  RateSearchLimits limits{.first = 20'000, .lowest = 10'000, .highest = 40'000};
  const RateSearchResult rates = find_rate(options, limits);
  ASSERT_FALSE(rates.steps.empty());
  for (const RateStep& step : rates.steps) {
    EXPECT_GE(step.run.offered_rate, limits.lowest);
    EXPECT_LE(step.run.offered_rate, limits.highest);
    EXPECT_EQ(step.run.report.rows_read, step.run.rows_sent);
    EXPECT_EQ(step.sustained, step.reason.empty());
  }
}

}  // namespace
}  // namespace tidemark
