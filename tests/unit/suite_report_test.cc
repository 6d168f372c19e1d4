#include "tidemark/perf/suite_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tidemark {
namespace {

using testing::HasSubstr;

// The first job of the suite, made small.
SuiteResult small_suite() {
  std::vector<SuiteJob> jobs{ci_suite().front()};
  jobs[0].options.stream.rows = 5'000;
  jobs[0].options.stream.event_rate = 100;
  SuiteOptions options;
  options.repeats = 3;
  return *run_suite("ci", jobs, options);
}

TEST(SuiteReportTest, TellsEachJobsCountersAndWhatWasExpected) {
  const SuiteResult result = small_suite();
  const auto report = nlohmann::json::parse(suite_json(result, {}, {}));
  EXPECT_EQ(report["schema"], "tidemark-bench/2");
  EXPECT_EQ(report["checks"]["right"], true);
  ASSERT_EQ(report["suite"].size(), 1U);
  const nlohmann::json& job = report["suite"][0];
  EXPECT_EQ(job["name"], "tumbling");
  EXPECT_EQ(job["options"]["rows"], 5'000);
  EXPECT_EQ(job["counters"]["rows_read"], 5'000);
  EXPECT_EQ(job["counters"]["updates"], 5'000);
  EXPECT_EQ(job["counters"]["checksum"], job["expected"]["checksum"]);
  EXPECT_EQ(job["counters"]["results"], job["expected"]["results"]);
  EXPECT_EQ(job["throughput"]["rows_per_second"].size(), 3U);
  EXPECT_TRUE(job["instructions"].is_null());
  EXPECT_THAT(suite_text(result, {}, {}), HasSubstr("has the results of the plain"));
}

TEST(SuiteReportTest, AWrongResultAndADifferingCounterAreNamed) {
  SuiteResult wrong = small_suite();
  ++wrong.entries[0].expected.checksum;
  EXPECT_THAT(suite_text(wrong, {}, {}), HasSubstr("WRONG    tumbling: results differ"));
  EXPECT_EQ(nlohmann::json::parse(suite_json(wrong, {}, {}))["checks"]["right"], false);
  SuiteResult differing = small_suite();
  ++differing.entries[0].repeats[1].report.state.updates;
  EXPECT_THAT(suite_text(differing, {}, {}),
              HasSubstr("WRONG    tumbling: counters differ from pass to pass"));
}

TEST(SuiteReportTest, InstructionsAreThereForEveryJobOrTheReasonIs) {
  SuiteResult result = small_suite();
  result.entries[0].instructions = 500'000;
  result.instructions_by = "counted by hand";
  EXPECT_EQ(nlohmann::json::parse(suite_json(result, {}, {}))["suite"][0]["instructions"], 500'000);
  EXPECT_THAT(suite_text(result, {}, {}), HasSubstr("100.0\n"));
  EXPECT_THAT(suite_text(result, {}, {}), HasSubstr("instructions: counted by hand"));
}

}  // namespace
}  // namespace tidemark
