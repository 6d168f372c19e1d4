// A measurement whose results were wrong, as the commands report it. What is measured is real, and
// one of its checksums is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_command.h"
#include "cli/profile_command.h"
#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::TemporaryFolder;
using testing::HasSubstr;

constexpr int kRight = 0;
constexpr int kWrong = 4;

// With the checksum of one repeat changed, if it is to be wrong, and judged as any other run.
BenchResult spoiled_job(const BenchOptions& options, bool wrong) {
  BenchResult result = run_bench(options);
  if (wrong) ++result.repeats.back().checksum;
  result.checks = check_results(options, result.one_core, result.repeats);
  return result;
}

Expected<SuiteResult> spoiled_suite(const std::string& name, std::vector<SuiteJob> jobs,
                                    const SuiteOptions& options, bool wrong) {
  jobs.resize(2);
  for (SuiteJob& job : jobs) job.options.stream.rows = 1'000;
  Expected<SuiteResult> result = run_suite(name, jobs, options);
  if (wrong) ++result->entries.back().repeats.front().checksum;
  return result;
}

StateProfile spoiled_profile(const ProfileOptions& options, bool wrong) {
  StateProfile profile = run_profile(options);
  if (wrong) ++profile.cells.back().figures->checksum;
  profile.checks = check_cells(profile.cells, profile.checks.comparable);
  return profile;
}

struct CommandRun {
  int exit_code;
  std::string out;
  nlohmann::json report;
};

// Runs a command in this process, which writes f.json in a folder of its own.
CommandRun run_in_process(std::vector<std::string> line, bool wrong) {
  const TemporaryFolder folder;
  line.insert(line.end(), {"--json", folder.file("f.json")});
  CLI::App app;
  int exit_code = -1;
  cli::BenchMeasurements bench;
  bench.job = [wrong](const BenchOptions& options) { return spoiled_job(options, wrong); };
  bench.suite = [wrong](const auto& name, const auto& jobs, const auto& options) {
    return spoiled_suite(name, jobs, options, wrong);
  };
  cli::add_bench_command(app, exit_code, bench);
  cli::add_profile_command(app, exit_code, [wrong](const ProfileOptions& options) {
    return spoiled_profile(options, wrong);
  });
  std::vector<std::string> reversed(line.rbegin(), line.rend());
  testing::internal::CaptureStdout();
  app.parse(reversed);
  const std::string out = testing::internal::GetCapturedStdout();
  return {exit_code, out, nlohmann::json::parse(folder.read("f.json"))};
}

class WrongResultsTest : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(WrongResultsTest, AreExitCodeFourAndSaidInTextAndJson) {
  const CommandRun right = run_in_process(GetParam(), false);
  EXPECT_EQ(right.exit_code, kRight) << right.out;
  EXPECT_EQ(right.report["checks"]["right"], true);
  EXPECT_THAT(right.out, testing::Not(HasSubstr("WRONG")));
  const CommandRun wrong = run_in_process(GetParam(), true);
  EXPECT_EQ(wrong.exit_code, kWrong) << wrong.out;
  EXPECT_EQ(wrong.report["checks"]["right"], false);
  EXPECT_THAT(wrong.out, HasSubstr("WRONG"));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, WrongResultsTest,
    testing::Values(std::vector<std::string>{"bench", "--window", "tumbling size=1s", "--rows",
                                             "20000", "--repeat", "2", "--rate", "max"},
                    std::vector<std::string>{"bench", "--suite", "ci", "--repeat", "1"},
                    std::vector<std::string>{"profile", "--rows", "2000", "--slides", "1m",
                                             "--keys", "10", "--strategies", "buckets,recompute",
                                             "--repeat", "1"}),
    [](const auto& test) { return test.param[1] == "--suite" ? "suite" : test.param[0]; });

}  // namespace
}  // namespace tidemark
