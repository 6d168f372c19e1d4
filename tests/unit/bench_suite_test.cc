#include "tidemark/perf/bench_suite.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tidemark/perf/run_counters.h"

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

class CiSuiteRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    SuiteOptions options;
    options.repeats = 2;
    result_ = new SuiteResult(*run_suite("ci", ci_suite(), options));
  }
  static void TearDownTestSuite() { delete result_; }

  static const SuiteEntry& entry(const std::string& name) {
    for (const SuiteEntry& entry : result_->entries) {
      if (entry.job.name == name) return entry;
    }
    throw std::runtime_error("no job " + name);
  }
  static const StateCounters& state(const std::string& name) {
    return entry(name).repeats.front().report.state;
  }

  static SuiteResult* result_;
};
SuiteResult* CiSuiteRunTest::result_ = nullptr;

TEST_F(CiSuiteRunTest, EveryPassOfEveryJobHasTheResultsOfThePlainComputation) {
  for (const SuiteEntry& entry : result_->entries) {
    EXPECT_TRUE(entry.results_right()) << entry.job.name;
    EXPECT_TRUE(entry.counters_agree()) << entry.job.name;
    EXPECT_EQ(entry.parallel.size(), entry.job.name == "lateness" ? 1U : 2U) << entry.job.name;
  }
  EXPECT_TRUE(result_->right());
}

TEST_F(CiSuiteRunTest, SlidingStrategiesGiveOneChecksumAndDifferentWork) {
  for (const char* name : {"sliding-recompute", "sliding-two-stacks", "sliding-worst-case",
                           "sliding-base-intervals"}) {
    EXPECT_EQ(entry(name).repeats[0].checksum, entry("sliding-buckets").repeats[0].checksum);
    EXPECT_LT(state(name).updates, state("sliding-buckets").updates / 10) << name;
  }
  EXPECT_EQ(state("sliding-buckets").updates, 60U * 100'000);
  EXPECT_GT(state("sliding-recompute").merges, 5 * state("sliding-two-stacks").merges);
}

TEST_F(CiSuiteRunTest, TheLatenessJobHasLateRowsOfBothKinds) {
  const SuiteEntry& lateness = entry("lateness");
  EXPECT_GT(lateness.expected.rows_late, 0U);
  // Each row that comes after its window has fired makes one result more.
  EXPECT_GT(lateness.expected.results, 10'000U);
}

TEST_F(CiSuiteRunTest, AWrongChecksumOrADifferingCounterIsSeen) {
  SuiteResult result = *result_;
  ++result.entries[3].parallel.back().checksum;
  EXPECT_FALSE(result.entries[3].results_right());
  EXPECT_FALSE(result.right());
  result = *result_;
  ++result.entries[5].repeats.back().report.state.merges;
  EXPECT_TRUE(result.entries[5].results_right());
  EXPECT_FALSE(result.entries[5].counters_agree());
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
