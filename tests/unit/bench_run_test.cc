#include "tidemark/perf/bench_run.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/bench_json.h"
#include "tidemark/perf/bench_text.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/perf/result_checksum.h"
#include "tidemark/perf/state_figures.h"

namespace tidemark {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

BenchOptions small_bench() {
  BenchOptions options;
  options.window = sliding(seconds(20), seconds(1));
  options.aggregates = headline_aggregates();
  options.stream.rows = 60'000;
  options.stream.event_rate = 2'000;
  options.stream.keys = 37;
  options.cores = 2;
  options.repeats = 2;
  options.warmup = milliseconds(20);
  options.duration = milliseconds(80);
  options.rate = 200'000;
  return options;
}

TEST(ResultChecksumTest, TellsCellsColumnsAndRowsApart) {
  static_assert(checksum_cell_mix(1, 2, 3, 4) != checksum_cell_mix(1, 2, 4, 3));
  static_assert(checksum_cell_mix(1, 2, 3) != checksum_cell_mix(2, 1, 3));
  // Errors of opposite sign in two rows do not cancel.
  EXPECT_NE(checksum_cell_mix(1, 2, 10) + checksum_cell_mix(1, 3, 10),
            checksum_cell_mix(1, 2, 11) + checksum_cell_mix(1, 3, 9));
  EXPECT_NE(checksum_cell_mix(1, 2, 10) + checksum_cell_mix(1, 3, 20),
            checksum_cell_mix(1, 2, 20) + checksum_cell_mix(1, 3, 10));
}

TEST(ChecksumSinkTest, SumsTheMixOfEveryResult) {
  Batch results({{"window_start", ColumnType::kInt64},
                 {"window_end", ColumnType::kInt64},
                 {"key", ColumnType::kInt64},
                 {"count", ColumnType::kInt64},
                 {"sum", ColumnType::kInt64}});
  std::uint64_t right = 0;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    const auto row = static_cast<std::size_t>(i);
    results.column(1).int64s()[row] = 5'000;
    results.column(2).int64s()[row] = i;
    results.column(3).int64s()[row] = i * i;
    results.column(4).int64s()[row] = -i;
    right += checksum_cell_mix(5'000, i, i * i, -i);
  }
  results.set_size(1'000);
  ChecksumSink sink;
  sink.accept(results);
  EXPECT_EQ(sink.checksum(), right);
  EXPECT_EQ(sink.results(), 1'000U);
  results.column(4).set_null(17);
  ChecksumSink with_null;
  with_null.accept(results);
  EXPECT_NE(with_null.checksum(), right);
}

TEST(BenchRunTest, ChecksumDoesNotDependOnCoresPartitionsBatchesOrStrategy) {
  BenchOptions options = small_bench();
  options.strategy = Strategy::kBuckets;
  const ThroughputRun right = run_throughput(options, 1, 1, 1'024);
  EXPECT_EQ(right.report.rows_on_time, 60'000U);
  for (const Strategy strategy :
       {Strategy::kAuto, Strategy::kRecompute, Strategy::kTwoStacks, Strategy::kWorstCase}) {
    options.strategy = strategy;
    for (const auto& [cores, partitions, batch_rows] :
         {std::array<std::size_t, 3>{1, 1, 100}, {2, 2, 1'024}, {3, 2, 33}}) {
      const ThroughputRun run = run_throughput(options, cores, partitions, batch_rows);
      EXPECT_EQ(run.checksum, right.checksum) << to_string(strategy) << " " << cores;
      EXPECT_EQ(run.report.results, right.report.results);
    }
  }
}

TEST(BenchRunTest, ChecksumSeesOneOtherRow) {
  BenchOptions options = small_bench();
  const ThroughputRun right = run_throughput(options, 1, 1, 1'024);
  --options.stream.rows;
  EXPECT_NE(run_throughput(options, 1, 1, 1'024).checksum, right.checksum);
}

TEST(BenchRunTest, ADifferingRepeatIsAWrongResult) {
  const BenchOptions options = small_bench();
  const ThroughputRun one_core = run_throughput(options, 1, 1, 1'024);
  const ThroughputRun run = run_throughput(options, 2, 2, 1'024);
  EXPECT_TRUE(check_results(options, one_core, {run, run}).right());
  ThroughputRun other = run;
  ++other.checksum;
  EXPECT_FALSE(check_results(options, one_core, {run, other}).repeats_agree);
  EXPECT_FALSE(check_results(options, other, {run, run}).one_core_agrees);
  EXPECT_FALSE(check_results(options, other, {run, run}).right());
  other = run;
  --other.report.rows_on_time;
  EXPECT_FALSE(check_results(options, one_core, {run, other}).right());
  other = run;
  ++other.report.overflows.count;
  EXPECT_FALSE(check_results(options, one_core, {run, other}).right());
}

TEST(BenchRunTest, WithLessDelayThanDisorderSeveralCoresAreNotCompared) {
  BenchOptions options = small_bench();
  options.stream.disorder = 3'000;
  options.delay = 0;
  const ThroughputRun run = run_throughput(options, 2, 2, 1'024);
  ThroughputRun other = run;
  ++other.checksum;
  EXPECT_TRUE(check_results(options, run, {other, run}).right());
  options.delay = 3'000;
  EXPECT_FALSE(check_results(options, run, {other, run}).right());
  options.delay = 0;
  options.cores = 1;
  EXPECT_FALSE(check_results(options, run, {other, run}).right());
}

TEST(BenchRunTest, JobsWhoseResultsDependOnOrderAreNotComparedOnSeveralCores) {
  BenchOptions options = small_bench();
  EXPECT_TRUE(is_order_free(options));
  options.window = count_window(10);
  EXPECT_FALSE(is_order_free(options));
  options.window = session(seconds(1));
  EXPECT_FALSE(is_order_free(options));
  options.delay = 1;
  EXPECT_TRUE(is_order_free(options));
  for (const AggregateFunction function : {AggregateFunction::kFirst, AggregateFunction::kStddev}) {
    BenchOptions other = options;
    other.aggregates.push_back({function, 0, "other"});
    EXPECT_FALSE(is_order_free(other));
  }
  options.aggregates.push_back({AggregateFunction::kAvg, 0, "avg(amount)"});
  EXPECT_TRUE(is_order_free(options));
}

// At 2,000 rows a second two rows have each ms, so that many come exactly a gap after another.
TEST(BenchRunTest, SessionsWithADelayAreTheSameOnSeveralCores) {
  BenchOptions options = small_bench();
  options.window = session(milliseconds(20));
  options.delay = 1;
  const ThroughputRun one_core = run_throughput(options, 1, 1, 1'024);
  const ThroughputRun run = run_throughput(options, 2, 2, 1'024);
  EXPECT_TRUE(check_results(options, one_core, {run, run}).right());
  EXPECT_TRUE(check_results(options, one_core, {run, run}).comparable);
}

TEST(BenchRunTest, AWorkerThatIsReadyButDoesNotRunShowsInItsShareOfCpuTime) {
  ThroughputRun run;
  run.report.workers.resize(2);
  run.report.workers[0].busy = seconds(3);
  run.report.workers[1].busy = seconds(5);
  run.cpu_seconds = 2;
  EXPECT_EQ(run.cpu_share(), 0.25);
  run.cpu_seconds = 8.5;
  EXPECT_EQ(run.cpu_share(), 1);
}

TEST(BenchRunTest, MedianIsTheMiddleOfTheRepeats) {
  BenchResult result;
  for (const double wall : {1.0, 0.25, 0.5}) {
    ThroughputRun run;
    run.report.rows_read = 100;
    run.report.wall_seconds = wall;
    result.repeats.push_back(run);
  }
  EXPECT_EQ(result.median(), 200);
  EXPECT_EQ(result.lowest(), 100);
  EXPECT_EQ(result.highest(), 400);
  EXPECT_EQ(result.median_run().report.wall_seconds, 0.5);
  result.repeats.pop_back();
  EXPECT_EQ(result.median(), 250);
  EXPECT_EQ(result.median_run().report.wall_seconds, 1.0);
}

TEST(BenchRunTest, DefaultRowsFillTheWindow) {
  EXPECT_EQ(default_rows(sliding(std::chrono::hours(1), seconds(1)), 10'000), 45'000'000U);
  EXPECT_EQ(default_rows(tumbling(milliseconds(1)), 1), 1U);
}

TEST(BenchRunTest, RefusesWhatCannotRun) {
  EXPECT_TRUE(validate(small_bench()));
  BenchOptions options = small_bench();
  options.repeats = 0;
  EXPECT_FALSE(validate(options));
  options = small_bench();
  options.strategy = Strategy::kSubtract;  // max cannot be undone
  EXPECT_FALSE(validate(options));
  options = small_bench();
  options.duration = milliseconds(0);
  EXPECT_FALSE(validate(options));
  options = small_bench();
  options.aggregates = {{AggregateFunction::kCollect, 0, "collect(amount)"}};
  EXPECT_FALSE(validate(options));
  options = small_bench();
  options.lateness = 1;
  EXPECT_FALSE(validate(options));
  options = small_bench();
  options.rate = 1'000'000'000'000'000'000;
  EXPECT_FALSE(validate(options));
}

constexpr std::array kLatencies{"event_time_to_result", "hand_over_to_result",
                                "watermark_to_result"};

class BenchReportTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { result_ = new BenchResult(run_bench(small_bench())); }
  static void TearDownTestSuite() { delete result_; }

  static nlohmann::json json() {
    return nlohmann::json::parse(
        bench_json(*result_, Machine{}, Build{"1", "c", "g", "R", "", "m"}));
  }

  static BenchResult* result_;
};
BenchResult* BenchReportTest::result_ = nullptr;

TEST_F(BenchReportTest, RowsAddUpInEveryRun) {
  const nlohmann::json report = json();
  std::vector<nlohmann::json> runs = report["throughput"]["repeats"];
  ASSERT_EQ(runs.size(), 2U);
  runs.push_back(report["throughput"]["one_core"]);
  for (const nlohmann::json& run : runs) {
    EXPECT_EQ(run["rows_read"], 60'000);
    EXPECT_EQ(run["rows_on_time"].get<int>() + run["rows_late"].get<int>() +
                  run["rows_bad"].get<int>() + run["rows_in_no_window"].get<int>(),
              60'000);
    EXPECT_EQ(run["checksum"], report["checks"]["checksum"]);
    EXPECT_NEAR(run["rows_per_second"].get<double>() * run["wall_seconds"].get<double>(), 60'000,
                1e-3);
  }
  EXPECT_EQ(report["checks"]["right"], true);
}

TEST_F(BenchReportTest, ResultsRecordedAreThoseThatRowsAfterTheWarmUpComplete) {
  const nlohmann::json latency = json()["latency"];
  // Rows 4,000 to 19,999 at 2,000 a second complete windows that end 2 s to 9 s after the start,
  // eight of them, each with all 37 keys.
  EXPECT_EQ(latency["rows_read"], 20'000);
  EXPECT_EQ(latency["results_recorded"], 8 * 37);
  EXPECT_EQ(latency["offered_rate"], 200'000);
  EXPECT_EQ(latency["window_filled"], false);
}

TEST_F(BenchReportTest, EachLatencyHasPercentilesThatRiseAndACurveThatEndsAtTheMaximum) {
  for (const char* kind : kLatencies) {
    const nlohmann::json latency = json()["latency"][kind];
    EXPECT_EQ(latency["count"], 8 * 37) << kind;
    std::int64_t last = latency["min"];
    for (const char* name : {"p50", "p90", "p99", "p99.9", "p99.99", "max"}) {
      EXPECT_GE(latency[name].get<std::int64_t>(), last) << kind << name;
      last = latency[name];
    }
    const nlohmann::json& curve = latency["curve"];
    EXPECT_EQ(curve.front()[0], 0) << kind;
    EXPECT_EQ(curve.back()[0], 100) << kind;
    EXPECT_EQ(curve.back()[1], latency["max"]) << kind;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      EXPECT_GT(curve[i][0], curve[i - 1][0]) << kind;
      EXPECT_GE(curve[i][1], curve[i - 1][1]) << kind;
    }
  }
}

// What a row waits before it is handed over, and then for the watermark, is in the longer ones.
TEST_F(BenchReportTest, TheThreeLatenciesContainOneAnother) {
  const nlohmann::json latency = json()["latency"];
  EXPECT_GE(latency["event_time_to_result"]["min"], latency["hand_over_to_result"]["min"]);
  EXPECT_GE(latency["hand_over_to_result"]["min"], latency["watermark_to_result"]["min"]);
  EXPECT_GE(latency["event_time_to_result"]["max"], latency["hand_over_to_result"]["max"]);
  EXPECT_GE(latency["hand_over_to_result"]["max"], latency["watermark_to_result"]["max"]);
}

TEST_F(BenchReportTest, CountersAreThoseOfTheSingleWorker) {
  const nlohmann::json report = json();
  const nlohmann::json& counters = report["counters"];
  const nlohmann::json& one_core = report["throughput"]["one_core"];
  for (const char* name : {"rows_read", "results", "windows_fired", "checksum"}) {
    EXPECT_EQ(counters[name], one_core[name]) << name;
  }
  EXPECT_EQ(counters["updates"], 60'000);
  EXPECT_EQ(counters["logical_state_bytes"],
            counters["peak_live_entries"].get<int>() *
                (counters["state_bytes_per_entry"].get<int>() + 8));
}

TEST_F(BenchReportTest, WhatOtherProcessesTookIsTold) {
  BenchResult result = *result_;
  LatencyRun& run = *result.latency;
  run.involuntary_switches = 17;
  run.report.workers.resize(2);
  for (auto& worker : run.report.workers) worker.busy = seconds(5);
  run.cpu_seconds = 7.5;
  EXPECT_NE(bench_text(result, {}, {}).find("took the CPU from workers 17 times; they got 75.0 %"),
            std::string::npos);
  const auto latency = nlohmann::json::parse(bench_json(result, {}, {}))["latency"];
  EXPECT_EQ(latency["involuntary_switches"], 17);
  EXPECT_EQ(latency["cpu_share"], 0.75);
}

TEST(LatencyRunTest, IsCutOffAtTwiceItsTimeButNotWithinFiveSeconds) {
  EXPECT_EQ(longest_run(milliseconds(100)), milliseconds(5'100));
  EXPECT_EQ(longest_run(seconds(6)), seconds(12));
}

TEST_F(BenchReportTest, ARunThatWasCutOffIsTold) {
  BenchResult result = *result_;
  EXPECT_TRUE(json()["latency"]["cut_off_after_ms"].is_null());
  LatencyRun& run = *result.latency;
  run.rows = 2'000'000;
  run.rows_sent = 20'000;
  run.cut_off_after = milliseconds(5'100);
  run.achieved_rate = 20'000 / 5.1;
  run.lag.cut_off(seconds(5));
  const std::string text = bench_text(result, {}, {});
  EXPECT_NE(text.find("the run was cut off after 5s100ms: 20.0 k of its 2.0 M rows"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1.96 % of the rate"), std::string::npos) << text;
  EXPECT_NE(text.find("the next was due 5 s before"), std::string::npos) << text;
  const auto latency = nlohmann::json::parse(bench_json(result, {}, {}))["latency"];
  EXPECT_EQ(latency["cut_off_after_ms"], 5'100);
  EXPECT_EQ(latency["rows_scheduled"], 2'000'000);
  EXPECT_EQ(latency["rows_read"], 20'000);
  EXPECT_EQ(latency["rate_reached"], false);
}

TEST_F(BenchReportTest, RecordingIsNamedWhenItTakesMoreThanTwoPercent) {
  BenchResult result = *result_;
  LatencyRun& run = *result.latency;
  run.cpu_seconds = 1;
  run.recording_seconds = 0.019;
  EXPECT_EQ(bench_text(result, {}, {}).find("more than 2 %"), std::string::npos);
  run.recording_seconds = 0.021;
  EXPECT_NE(bench_text(result, {}, {}).find("2.1 % of the CPU time"), std::string::npos);
  EXPECT_NE(bench_text(result, {}, {}).find("more than 2 %"), std::string::npos);
  const auto report = nlohmann::json::parse(bench_json(result, {}, {}));
  EXPECT_EQ(report["recorder"]["share_of_run"], 0.021);
  EXPECT_NEAR(
      report["recorder"]["ns_per_record"].get<double>() * static_cast<double>(run.cost.results()),
      0.021e9, 1);
}

TEST_F(BenchReportTest, StateFiguresAreThoseOfTheJob) {
  const StateFigures state = state_figures(*result_);
  EXPECT_EQ(state.keys, 37U);
  EXPECT_EQ(state.updates_per_row, 1);
  // 20 sealed panes and the open one at least, and never more than all that the rows make.
  EXPECT_GE(state.peak_live_entries, 37U * 20);
  EXPECT_LE(state.peak_live_entries, 37U * 30);
  EXPECT_GT(state.state_bytes_per_entry, 0U);
  EXPECT_GT(state.allocated_bytes_per_entry, static_cast<double>(state.state_bytes_per_entry));
  EXPECT_GT(state.peak_state_bytes, state.peak_key_table_bytes);
  EXPECT_GT(state.merges_per_slide, 37);
}

TEST_F(BenchReportTest, TextSaysThatTheOfferedRateWasNotReached) {
  BenchResult result = *result_;
  result.latency->achieved_rate = 0.5 * static_cast<double>(result.latency->offered_rate);
  EXPECT_NE(bench_text(result, {}, {}).find("the offered rate was not reached"), std::string::npos);
  result.latency->achieved_rate = static_cast<double>(result.latency->offered_rate);
  EXPECT_NE(bench_text(result, {}, {}).find("the schedule was held"), std::string::npos);
}

TEST_F(BenchReportTest, WithoutRecordedResultsPercentilesAreNull) {
  BenchResult result = *result_;
  result.latency->latencies = ResultLatencies();
  const auto report = nlohmann::json::parse(bench_json(result, {}, {}));
  for (const char* kind : kLatencies) {
    for (const char* name : {"min", "mean", "p50", "p99", "p99.99", "max"}) {
      EXPECT_TRUE(report["latency"][kind][name].is_null()) << kind << name;
    }
    EXPECT_EQ(report["latency"][kind]["curve"], nlohmann::json::array());
  }
  EXPECT_NE(bench_text(result, {}, {}).find("no data"), std::string::npos);
}

TEST_F(BenchReportTest, AWrongChecksumIsNamed) {
  BenchResult result = *result_;
  result.checks.repeats_agree = false;
  EXPECT_NE(bench_text(result, {}, {}).find("WRONG: repeats differ"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
