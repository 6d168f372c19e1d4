// What time is on the command line: where event times and watermarks come from, rows far ahead, and
// the clock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::RunningCommand;
using test_support::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

struct Refusal {
  const char* name;
  const char* options;
  const char* message;
};
class TimeRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(TimeRefusalTest, InOneSentenceBeforeReading) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "ts,wm,x\n1,,1\n");
  const CommandResult result = run_command(std::string("tidemark window rows.csv --time-unit ms "
                                                       "--window 'tumbling size=10ms' ") +
                                               GetParam().options,
                                           folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Options, TimeRefusalTest,
    testing::Values(
        Refusal{"no_time", "", "name it with --time COL, or say --time-domain processing"},
        Refusal{"ingestion", "--time-domain ingestion", "use --time-domain processing"},
        Refusal{"domain", "--time-domain wall", "must be event or processing, not wall"},
        Refusal{"processing_time", "--time-domain processing --time ts",
                "--time is for event time"},
        Refusal{"processing_delay", "--time-domain processing --delay 5s", "--delay is for event"},
        Refusal{"processing_idle", "--time-domain processing --idle 5s", "--idle is for event"},
        Refusal{"processing_ahead", "--time-domain processing --max-ahead 5s",
                "--max-ahead is for event"},
        Refusal{"processing_watermark", "--time-domain processing --watermark none",
                "--watermark is for event"},
        Refusal{"processing_column", "--time-domain processing --watermark-column wm",
                "--watermark-column is for event"},
        Refusal{"watermark", "--time ts --watermark sometimes", "must be bounded or none"},
        Refusal{"none_delay", "--time ts --watermark none --delay 1s", "but --watermark none says"},
        Refusal{"column_delay", "--time ts --watermark-column wm --delay 1s",
                "but --watermark-column says"},
        Refusal{"column_none", "--time ts --watermark-column wm --watermark none",
                "two sources of watermarks"},
        Refusal{"no_column", "--time ts --watermark-column w", "has no column \"w\""},
        Refusal{"no_ahead", "--time ts --max-ahead 0s", "--max-ahead must be longer than 0"},
        Refusal{"bad_ahead", "--time ts --max-ahead soon", "--max-ahead: 'soon'"}),
    [](const auto& test) { return std::string(test.param.name); });

// One row a day ahead between rows a minute apart.
const std::string kPoisoned =
    "ts\n2026-10-01T10:00:00Z\n2026-10-01T10:02:00Z\n2026-10-02T10:00:00Z\n"
    "2026-10-01T10:03:00Z\n2026-10-01T10:04:00Z\n2026-10-01T10:05:00Z\n2026-10-01T10:06:00Z\n"
    "2026-10-01T10:07:00Z\n2026-10-01T10:08:00Z\n2026-10-01T10:09:00Z\n2026-10-01T10:10:00Z\n"
    "2026-10-01T10:11:00Z\n2026-10-01T10:12:00Z\n";
const std::string kMinutes =
    "tidemark window rows.csv --time ts --window 'tumbling size=1m' --delay 1m "
    "--summary run.json --output-format csv ";

TEST(MaxAheadTest, WithoutItARowFarAheadMakesTheOthersLateAndTheRunSaysSo) {
  const TemporaryFolder folder;
  folder.write("rows.csv", kPoisoned);
  const CommandResult result = run_command(kMinutes, folder);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "window_start,window_end,count\n"
            "2026-10-01T10:00:00.000Z,2026-10-01T10:01:00.000Z,1\n"
            "2026-10-01T10:02:00.000Z,2026-10-01T10:03:00.000Z,1\n"
            "2026-10-02T10:00:00.000Z,2026-10-02T10:01:00.000Z,1\n");
  EXPECT_THAT(result.err, HasSubstr("10 late"));
  EXPECT_THAT(result.err,
              HasSubstr("row 3 raised the event time by 23h58m, from 2026-10-01T10:02:00.000Z to "
                        "2026-10-02T10:00:00.000Z, and 10 rows after it are from before"));
  EXPECT_THAT(result.err, HasSubstr("--max-ahead"));
  const auto summary = nlohmann::json::parse(folder.read("run.json"));
  EXPECT_EQ(summary.at("rows_late"), 10);
  EXPECT_EQ(summary.at("largest_jump").at("row"), 3);
  EXPECT_EQ(summary.at("largest_jump").at("ms"), 86'280'000);
}

TEST(MaxAheadTest, SendsTheRowToTheBadOnes) {
  const TemporaryFolder folder;
  folder.write("rows.csv", kPoisoned);
  const CommandResult result =
      run_command(kMinutes + "--max-ahead 1h --bad-output bad.csv", folder);
  EXPECT_EQ(result.exit_code, 0);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 13U) << result.out;
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_THAT(lines[i], testing::EndsWith(",1"));
  EXPECT_THAT(result.out, Not(HasSubstr("2026-10-02")));
  EXPECT_THAT(result.err, HasSubstr("12 on time + 0 late + 1 bad"));
  EXPECT_EQ(folder.read("bad.csv"),
            "line,reason,text\n4,\"column \"\"ts\"\": 2026-10-02T10:00:00.000Z is 23h58m ahead of "
            "2026-10-01T10:02:00.000Z, the latest time before it; at most 1h is "
            "allowed\",2026-10-02T10:00:00Z\n");
  EXPECT_EQ(nlohmann::json::parse(folder.read("run.json")).at("rows_bad"), 1);

  const CommandResult failed = run_command(kMinutes + "--max-ahead 1h --on-bad fail", folder);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("line 4 of rows.csv is bad"));
}

TEST(MaxAheadTest, BadRowsStayInTheOrderOfTheirLines) {
  const TemporaryFolder folder;
  std::string rows = "ts,x\n0,1\n";
  std::string expected;
  for (int line = 3; line < 20'000; ++line) {
    if (line % 7 == 0) {
      rows += fmt::format("{},far\n", 1'000'000 + line);
    } else if (line % 11 == 0) {
      rows += "broken\n";
    } else {
      rows += fmt::format("{},2\n", line);
    }
    if (line % 7 == 0)
      expected += fmt::format("{} {},far\n", line, 1'000'000 + line);
    else if (line % 11 == 0)
      expected += fmt::format("{} broken\n", line);
  }
  folder.write("rows.csv", rows);
  const CommandResult result = run_command(
      "tidemark window rows.csv --time ts --time-unit ms --window 'tumbling size=1s' --quiet "
      "--max-ahead 500s --bad-output bad.csv",
      folder);
  EXPECT_EQ(result.exit_code, 0);
  std::string bad;
  const std::vector<std::string> lines = lines_of(folder.read("bad.csv"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t text = lines[i].ends_with("far\"") ? lines[i].rfind('"', lines[i].size() - 2)
                                                         : lines[i].rfind(',');
    std::string raw = lines[i].substr(text + 1);
    if (raw.ends_with('"')) raw.pop_back();
    bad += lines[i].substr(0, lines[i].find(',')) + " " + raw + "\n";
  }
  EXPECT_EQ(bad, expected);
}

TEST(WatermarkColumnTest, RowsSayWhenWindowsAreComplete) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "ts,wm\n1,\n12,\n3,9\n4,5\n13,\n\"6\",\n25,19\n14,\n");
  const CommandResult result = run_command(
      "tidemark window rows.csv --time ts --time-unit ms --watermark-column wm --times ms "
      "--window 'tumbling size=10ms' --late-output late.csv",
      folder);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "window_start,window_end,count\n0,10,2\n10,20,2\n20,30,1\n");
  EXPECT_EQ(folder.read("late.csv"),
            "ts,wm,reason\n4,5,late: 5 ms behind the watermark\n\"6\",,late: 3 ms behind the "
            "watermark\n14,,late: 5 ms behind the watermark\n");
}

TEST(WatermarkColumnTest, AWatermarkThatIsNoTimeMakesTheRowBad) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "ts,wm\n1,\n2,soon\n3,\n");
  const CommandResult result = run_command(
      "tidemark window rows.csv --time ts --time-unit ms --watermark-column wm "
      "--window 'tumbling size=10ms'",
      folder);
  EXPECT_THAT(result.err, HasSubstr("2 on time + 0 late + 1 bad"));
  EXPECT_THAT(result.err, HasSubstr("line 3: column \"wm\""));
}

TEST(NoWatermarksTest, WindowsFireAtTheEndAndNothingIsLate) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "ts\n100\n1\n55\n2\n");
  const CommandResult result = run_command(
      "tidemark window rows.csv --time ts --time-unit ms --watermark none --times ms "
      "--window 'tumbling size=10ms'",
      folder);
  EXPECT_EQ(result.out, "window_start,window_end,count\n0,10,2\n50,60,1\n100,110,1\n");
  EXPECT_THAT(result.err, HasSubstr("4 on time + 0 late"));
}

TEST(ProcessingTimeTest, WindowsFireByTheClockWithoutRows) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_command("mkfifo results rows", folder).exit_code, 0);
  RunningCommand reader("exec cat results > out.csv", folder.path());
  // Holds the pipe open behind its rows.
  RunningCommand writer("{ echo a; echo 1; echo 2; exec sleep 60; } > rows", folder.path());
  RunningCommand command(
      "exec tidemark window - --time-domain processing --window 'tumbling size=50ms' "
      "--output results < rows",
      folder.path());
  command.wait_until("fires", [&] { return lines_of(folder.read("out.csv")).size() >= 2; });
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, HasSubstr("2 on time + 0 late + 0 bad"));
}

TEST(ProcessingTimeTest, AtTheEndEverythingFires) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "a,b\n1,x\n2,y\n3,x\n");
  const CommandResult result = run_command(
      "tidemark window rows.csv --time-domain processing --key b --agg 'count, sum(a)' "
      "--window 'tumbling size=10000d'",
      folder);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr(",x,2,4\n"));
  EXPECT_THAT(result.out, HasSubstr(",y,1,2\n"));
}

}  // namespace
}  // namespace tidemark
