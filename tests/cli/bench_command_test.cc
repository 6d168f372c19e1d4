#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "cli/documented_fields.h"
#include "cli/run_command.h"
#include "support/test_paths.h"

namespace tidemark {
namespace {

using test_support::collect_names;
using test_support::CommandResult;
using test_support::documented_fields;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::TemporaryFolder;
using testing::HasSubstr;

TEST(BenchCommandTest, WritesAPageThatHoldsItsJson) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark bench --rows 100000 --repeat 1 --rate max --json f --html page.html", folder);
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const std::string page = folder.read("page.html");
  std::smatch held;
  const std::regex script("<script type=\"application/json\"[^>]*>(.*)</script>");
  ASSERT_TRUE(std::regex_search(page, held, script));
  EXPECT_EQ(nlohmann::json::parse(held[1].str()), nlohmann::json::parse(folder.read("f")));
}

TEST(BenchCommandTest, MeasuresAndWritesExactlyTheDocumentedFields) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark bench --window 'sliding size=1m slide=1s' --rows 200000 --repeat 2 "
      "--duration 50ms --warmup 20ms --find-rate --latency-bound 1h --json f --hgrm h.hgrm",
      folder);
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  for (const char* part :
       {"throughput", "latency of", "event time to result", "hand-over to result",
        "watermark to result", "recording took", "sustained", "state", "check", "checksum 0x"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  for (const char* file : {"h.hgrm", "h.hand_over.hgrm", "h.watermark.hgrm"}) {
    EXPECT_THAT(folder.read(file), HasSubstr("1/(1-Percentile)"));
  }

  const auto report = nlohmann::json::parse(folder.read("f"));
  std::set<std::string> names;
  collect_names(report, names);
  const CommandResult suite =
      run_command("tidemark bench --suite ci --repeat 1 --json s --html p --progress", folder);
  ASSERT_EQ(suite.exit_code, 0) << suite.err << suite.out;
  EXPECT_THAT(suite.out, HasSubstr("has the results of the plain"));
  EXPECT_THAT(suite.err, HasSubstr("job 1 of 14: tumbling"));
  EXPECT_THAT(suite.err, testing::ContainsRegex("job 14 of 14: lateness, [0-9]+ s left"));
  EXPECT_THAT(folder.read("p"), HasSubstr("many-windows"));
  collect_names(nlohmann::json::parse(folder.read("s")), names);
  EXPECT_THAT(names, testing::ContainerEq(documented_fields("benchmarking.md")));
  EXPECT_EQ(report["schema"], "tidemark-bench/2");
  EXPECT_EQ(report["options"]["rows"], 200'000);
  EXPECT_EQ(report["throughput"]["repeats"].size(), 2U);
  EXPECT_EQ(report["state"]["keys"], 1'000);
  EXPECT_EQ(report["checks"]["right"], true);
}

struct Refusal {
  const char* name;
  const char* options;
  const char* message;
};
class BenchRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(BenchRefusalTest, InOneSentenceBeforeMeasuring) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command(std::string("tidemark bench ") + GetParam().options, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Options, BenchRefusalTest,
    testing::Values(
        Refusal{"html", "--html none/f", "cannot write none/f"},
        Refusal{"suite", "--suite nightly", "--suite must be ci, but is nightly"},
        Refusal{"beside_suite", "--suite ci --keys 5",
                "--keys does not go with --suite, whose jobs are fixed; --repeat, --json, --html"},
        Refusal{"suite_job", "--suite ci --suite-job no", "the suite has no job no"},
        Refusal{"instructions", "--instructions", "--instructions is for --suite"},
        Refusal{"window", "--window 'sliding size=0s slide=1s'", "--window"},
        Refusal{"column", "--agg 'sum(price)'", "has no column \"price\""},
        Refusal{"condition", "--agg 'count where amount > 3'", "condition"},
        Refusal{"skew", "--skew zipf", "skew must be"},
        Refusal{"keys", "--keys 0", "--keys must be"},
        Refusal{"repeat", "--repeat 0", "--repeat must be"},
        Refusal{"rate", "--rate 0/s", "--rate must be"},
        Refusal{"duration", "--duration 0s", "duration longer than 0"},
        Refusal{"hgrm", "--rate max --hgrm h", "--hgrm needs a latency run"},
        Refusal{"strategy", "--strategy subtract", "subtract"},
        Refusal{"bound", "--latency-bound 5ms", "--latency-bound is for --find-rate"},
        Refusal{"no_bound", "--find-rate --latency-bound 0ms", "--latency-bound must be above 0"},
        Refusal{"file", "--json no/such/folder/f", "no/such/folder"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(BenchCommandTest, SaysHowManyCoresItUsesAndWhatDecidedThat) {
  const TemporaryFolder folder;
  const std::string job =
      "tidemark bench --window 'tumbling size=1s' --rows 1000 --repeat 1 --rate max ";
  const std::string affinity = "taskset -c \"$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')\" ";
  const CommandResult pinned = run_command(affinity + job, folder);
  EXPECT_THAT(pinned.out, HasSubstr("1 core used: "));
  EXPECT_THAT(pinned.out, testing::AnyOf(HasSubstr("1 CPU in the affinity mask"),
                                         HasSubstr("a cgroup quota of")));
  const CommandResult asked = run_command(job + "--cores 1", folder);
  EXPECT_THAT(asked.out, HasSubstr("1 core used: --cores; by default"));
}

TEST(BenchCommandTest, AtRateMaxThereIsNoLatencyRun) {
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark bench --window 'tumbling size=1s' --rows 100000 --repeat 1 --cores 1 --rate max "
      "--json f",
      folder);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(folder.read("f"))["latency"].is_null());
}

TEST(BenchCommandTest, ASignalEndsItWithoutFigures) {
  const TemporaryFolder folder;
  RunningCommand command("exec tidemark bench --rows 2000M --json f", folder.path());
  command.wait_until_it_watches();
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("stopped before the measurement was complete"));
}

}  // namespace
}  // namespace tidemark
