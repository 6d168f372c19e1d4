// Zones, cumulate windows and the calendar through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;

class ZoneTest : public testing::Test {
 protected:
  ZoneTest() {
    folder_.write("rows.csv",
                  "ts\n2026-09-30T15:59:59.999Z\n2026-09-30T16:00:00Z\n2026-10-01T16:00:00Z\n");
  }
  CommandResult run(const std::string& options) {
    return run_command("tidemark window rows.csv --time ts --quiet " + options, folder_);
  }
  TemporaryFolder folder_;
};

TEST_F(ZoneTest, CutsWindowsAndPrintsTimesOnTheWallClockOfTheZone) {
  const CommandResult result = run("--window 'tumbling size=1d' --zone Asia/Shanghai");
  EXPECT_EQ(result.out,
            "window_start,window_end,count\n"
            "2026-09-30T00:00:00.000+08:00,2026-10-01T00:00:00.000+08:00,1\n"
            "2026-10-01T00:00:00.000+08:00,2026-10-02T00:00:00.000+08:00,1\n"
            "2026-10-02T00:00:00.000+08:00,2026-10-03T00:00:00.000+08:00,1\n")
      << result.err;
}

TEST_F(ZoneTest, MillisecondsAreThoseOfTheInstants) {
  const CommandResult result =
      run("--window 'tumbling size=1d' --zone Asia/Shanghai --times ms --output-format json");
  EXPECT_THAT(result.out, HasSubstr("{\"window_start\":1790784000000,"
                                    "\"window_end\":1790870400000,\"count\":1}\n"))
      << result.err;
}

TEST_F(ZoneTest, AFixedOffsetIsAZoneOfTheDatabase) {
  EXPECT_EQ(run("--window 'tumbling size=1d' --zone Etc/GMT-8").out,
            run("--window 'tumbling size=1d' --zone Asia/Shanghai").out);
}

TEST_F(ZoneTest, UtcIsTheDefault) {
  const std::string out = run("--window 'tumbling size=1d'").out;
  EXPECT_THAT(out, HasSubstr("2026-09-30T00:00:00.000Z,2026-10-01T00:00:00.000Z,2\n"));
  EXPECT_EQ(run("--window 'tumbling size=1d' --zone UTC").out, out);
  EXPECT_EQ(run("--window 'tumbling size=1d' --zone Z").out, out);
}

TEST_F(ZoneTest, ResultsAreTheSameOnAnyNumberOfCoresAndByAnyStrategy) {
  const std::string job =
      "tidemark window 'gen:orders?rows=20k&keys=50&rate=1' --key user_id --quiet --zone "
      "America/New_York --window 'tumbling size=1h' --window 'sliding size=3h slide=45m' --window "
      "'cumulate size=1d step=30m' --window 'tumbling size=1week' --agg 'count, sum(cents)' ";
  const CommandResult one = run_command(job + "--cores 1", folder_);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  for (const char* options :
       {"--cores 2", "--cores 3", "--cores 2 --strategy buckets", "--strategy recompute",
        "--strategy subtract", "--strategy two-stacks", "--strategy worst-case"}) {
    EXPECT_TRUE(run_command(job + options, folder_).out == one.out) << options;
  }
}

TEST_F(ZoneTest, CumulateWindowsAndTheCalendarAreWindowsLikeOthers) {
  EXPECT_EQ(run("--window 'cumulate size=1d step=12h' --times ms").out,
            "window_start,window_end,count\n"
            "1790726400000,1790812800000,2\n"
            "1790812800000,1790899200000,1\n");
  EXPECT_EQ(run("--window 'tumbling size=3month'").out,
            "window_start,window_end,count\n"
            "2026-07-01T00:00:00.000Z,2026-10-01T00:00:00.000Z,2\n"
            "2026-10-01T00:00:00.000Z,2027-01-01T00:00:00.000Z,1\n");
}

TEST_F(ZoneTest, ExplainTellsTheZoneAndTheStepsOfEachWindow) {
  const CommandResult result = run_command(
      "tidemark explain rows.csv --time ts --zone Europe/Rome --window 'cumulate size=1d step=6h' "
      "--window 'tumbling size=1week first_day=sunday'",
      folder_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("window: cumulate size=1d step=6h\n"));
  EXPECT_THAT(result.out, HasSubstr("zone: Europe/Rome"));
  EXPECT_THAT(result.out, HasSubstr("slices: 1 per step, up to 4 per window"));
  EXPECT_THAT(result.out, HasSubstr("window: tumbling size=1week first_day=sunday\n"));
}

}  // namespace
}  // namespace tidemark
