#include "tidemark/perf/bench_suite.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace tidemark {
namespace {

TEST(CiSuiteTest, HasEveryKindOfWindowAndEverySlidingStrategyUnderANameOfItsOwn) {
  std::set<std::string> names;
  std::set<WindowKind> kinds;
  std::set<Strategy> strategies;
  for (const SuiteJob& job : ci_suite()) {
    EXPECT_TRUE(names.insert(job.name).second) << job.name;
    EXPECT_TRUE(validate(job.options)) << job.name;
    kinds.insert(job.options.window.kind);
    if (job.options.window.kind == WindowKind::kSliding) strategies.insert(job.options.strategy);
  }
  EXPECT_EQ(kinds, (std::set{WindowKind::kTumbling, WindowKind::kSliding, WindowKind::kCumulate,
                             WindowKind::kSession}));
  for (const Strategy strategy :
       {Strategy::kBuckets, Strategy::kRecompute, Strategy::kSubtract, Strategy::kTwoStacks,
        Strategy::kWorstCase, Strategy::kBaseIntervals}) {
    EXPECT_TRUE(strategies.contains(strategy)) << to_string(strategy);
  }
}

SuiteJob job_of(const std::string& name) {
  for (const SuiteJob& job : ci_suite()) {
    if (job.name == name) return job;
  }
  throw std::runtime_error("no job " + name);
}

TEST(CiSuiteTest, EveryPassOfEveryJobHasTheResultsOfThePlainComputation) {
  SuiteOptions options;
  options.repeats = 2;
  const SuiteResult result = *run_suite("ci", ci_suite(), options);
  EXPECT_EQ(result.entries.size(), ci_suite().size());
  for (const SuiteEntry& entry : result.entries) {
    EXPECT_TRUE(entry.results_right()) << entry.job.name;
    EXPECT_TRUE(entry.counters_agree()) << entry.job.name;
    EXPECT_EQ(entry.parallel.size(), entry.job.name == "lateness" ? 1U : 2U) << entry.job.name;
  }
  EXPECT_TRUE(result.right());
}

TEST(CiSuiteTest, SlidingStrategiesGiveOneChecksumAndDifferentWork) {
  const ThroughputRun buckets = run_suite_job(job_of("sliding-buckets"), nullptr);
  EXPECT_EQ(buckets.report.state.updates, 60U * 100'000);
  const ThroughputRun recompute = run_suite_job(job_of("sliding-recompute"), nullptr);
  for (const char* name : {"sliding-two-stacks", "sliding-worst-case", "sliding-base-intervals"}) {
    const ThroughputRun run = run_suite_job(job_of(name), nullptr);
    EXPECT_EQ(run.checksum, buckets.checksum) << name;
    EXPECT_EQ(run.report.state.updates, 100'000U) << name;
    EXPECT_LT(run.report.state.merges, recompute.report.state.merges / 5) << name;
  }
}

TEST(CiSuiteTest, TheLatenessJobHasLateRowsOfBothKinds) {
  const PlainResults expected = *compute_plainly(job_of("lateness").options);
  EXPECT_GT(expected.rows_late, 0U);
  // Each row that comes after its window has fired makes one result more.
  EXPECT_GT(expected.results, 10'000U);
}

TEST(CiSuiteTest, AWrongChecksumOrADifferingCounterIsSeen) {
  SuiteJob job = job_of("disorder");
  job.options.stream.rows = 20'000;
  SuiteOptions options;
  options.repeats = 2;
  const SuiteResult right = *run_suite("ci", {job}, options);
  EXPECT_TRUE(right.right());
  SuiteResult result = right;
  ++result.entries[0].parallel.back().checksum;
  EXPECT_FALSE(result.entries[0].results_right());
  EXPECT_FALSE(result.right());
  result = right;
  ++result.entries[0].repeats.back().report.state.merges;
  EXPECT_TRUE(result.entries[0].results_right());
  EXPECT_FALSE(result.entries[0].counters_agree());
  EXPECT_FALSE(result.right());
}

TEST(PlainWindowsTest, RefusesWhatItDoesNotKnow) {
  BenchOptions options = ci_suite().front().options;
  EXPECT_TRUE(compute_plainly(options));
  options.window = count_window(10);
  EXPECT_FALSE(compute_plainly(options));
  options.window = calendar_months(1);
  EXPECT_FALSE(compute_plainly(options));
  options.window = session(std::chrono::seconds(1));
  options.stream.disorder = 5;
  EXPECT_FALSE(compute_plainly(options));
  options = ci_suite().front().options;
  options.aggregates[0].function = AggregateFunction::kAvg;
  EXPECT_FALSE(compute_plainly(options));
}

}  // namespace
}  // namespace tidemark
