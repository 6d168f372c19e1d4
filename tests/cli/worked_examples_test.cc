// Worked examples with known answers, through the command as a user would type it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/run_command.h"
#include "support/test_paths.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::run_command;
using test_support::TemporaryFolder;

// Twelve events of two users that arrive out of order, and what different delays make of them.
struct DelayExample {
  std::string window;
  std::string delay;
  std::string results;  // without the header line
  std::string late;     // the ids of late rows, in order of arrival
};

void PrintTo(const DelayExample& example, std::ostream* out) {
  *out << example.window << " with delay " << example.delay;
}

class WatermarkDelay : public testing::TestWithParam<DelayExample> {};

TEST_P(WatermarkDelay, DecidesWhichEventsAreLate) {
  const char* cases = std::getenv("TIDEMARK_CASES");
  const std::filesystem::path events =
      (cases != nullptr ? std::filesystem::path(cases) / ".."
                        : std::filesystem::path(test_support::source_directory() + "/../shared")) /
      "golden/watermark_delay_events.csv";
  if (!std::filesystem::exists(events)) {
    GTEST_SKIP() << "no events at " << events << "; set TIDEMARK_CASES to the folder beside golden";
  }
  const TemporaryFolder folder;
  for (const char* cores : {"1", "2"}) {
    const CommandResult result = run_command(
        "tidemark window '" + events.string() + "' --time event_time_s --time-unit s --window '" +
            GetParam().window + "' --delay " + GetParam().delay + " --cores " + cores +
            " --times ms --late-output late.csv --summary run.json --quiet && tail -n +2 late.csv "
            "| cut -d, -f1 | tr '\n' ' ' > late",
        folder);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "window_start,window_end,count\n" + GetParam().results);
    EXPECT_EQ(folder.read("late"), GetParam().late);
    const auto summary = nlohmann::json::parse(folder.read("run.json"));
    EXPECT_EQ(summary.at("rows_read"), 12);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Articles, WatermarkDelay,
    testing::Values(
        DelayExample{"tumbling size=10s", "0s",
                     "0,10000,2\n10000,20000,4\n20000,30000,2\n30000,40000,2\n", "B3 A9 "},
        DelayExample{"tumbling size=10s", "5s",
                     "0,10000,3\n10000,20000,4\n20000,30000,2\n30000,40000,2\n", "A9 "},
        DelayExample{"tumbling size=10s", "20s",
                     "0,10000,4\n10000,20000,4\n20000,30000,2\n30000,40000,2\n", ""},
        DelayExample{"sliding size=10s slide=5s", "5s",
                     "-5000,5000,2\n0,10000,3\n5000,15000,3\n10000,20000,4\n15000,25000,3\n"
                     "20000,30000,2\n25000,35000,1\n30000,40000,2\n35000,45000,1\n",
                     "A9 "}));

// Orders of a Beijing day: windows of a day are cut at UTC unless an offset moves them.
class BeijingOrders : public testing::Test {
 protected:
  BeijingOrders() {
    folder_.write("orders.csv",
                  "time\n2026-10-01 00:30\n2026-10-01 07:59\n2026-10-01 08:00\n2026-10-01 12:00\n"
                  "2026-10-01 23:30\n2026-10-02 07:30\n");
  }
  std::string window(const std::string& window, const std::string& times = "ms") {
    const CommandResult result = run_command(
        "tidemark window orders.csv --time time --input-zone Asia/Shanghai --quiet --window '" +
            window + "' --times " + times,
        folder_);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  TemporaryFolder folder_;
};

TEST_F(BeijingOrders, FallInTwoDaysThatAreCutAtUtc) {
  EXPECT_EQ(window("tumbling size=1d"),
            "window_start,window_end,count\n"
            "1790726400000,1790812800000,2\n1790812800000,1790899200000,4\n");
}

TEST_F(BeijingOrders, StayTogetherWithAnOffsetOfMinusEightHours) {
  EXPECT_EQ(window("tumbling size=1d offset=-8h"),
            "window_start,window_end,count\n"
            "1790784000000,1790870400000,5\n1790870400000,1790956800000,1\n");
  EXPECT_EQ(window("tumbling size=1d offset=-8h", "iso"),
            "window_start,window_end,count\n"
            "2026-09-30T16:00:00.000Z,2026-10-01T16:00:00.000Z,5\n"
            "2026-10-01T16:00:00.000Z,2026-10-02T16:00:00.000Z,1\n");
}

TEST(LocalTimes, FallInWindowsThatStartAtTheseHours) {
  const TemporaryFolder folder;
  folder.write("rows.csv", "time\n2026-10-01 09:30\n");
  for (const char* hours : {"1", "2", "3", "4", "6", "8", "12", "24"}) {
    const CommandResult result = run_command(
        std::string("tidemark window rows.csv --time time --input-zone Asia/Shanghai --quiet "
                    "--window 'tumbling size=") +
            hours + "h'",
        folder);
    // 09:00 at Beijing is 01:00 at UTC; all windows of several hours start at 08:00, UTC's
    // midnight.
    const std::string start = std::string(hours) == "1" ? "01" : "00";
    EXPECT_TRUE(
        result.out.starts_with("window_start,window_end,count\n2026-10-01T" + start + ":00"))
        << result.out;
  }
}

// Rows that a few seconds lie between, and a reader who waits for each result.
TEST(SlowInput, AWindowAppearsBeforeTheRowAfterTheOneThatCompletesIt) {
  const TemporaryFolder folder;
  for (const char* order : {"", "--unordered"}) {
    // The writer goes on only once the result of its last row is there.
    const std::string script = R"(
      mkfifo rows results
      tidemark window - --time ts --time-unit ms --window 'tumbling size=10ms' --times ms --quiet )" +
                               std::string(order) + R"( < rows > results &
      exec 3> rows 4< results
      printf 'ts\n1\n' >&3
      for i in 1 2 3 4 5; do
        printf '%d\n' $((i * 10)) >&3
        if [ $i = 1 ]; then read -t 20 -u 4 header || exit 9; fi
        read -t 20 -u 4 result || exit $i
        echo "$result"
      done
      exec 3>&-
      cat <&4
      wait $!
      rm rows results)";
    const CommandResult result = run_command(script, folder);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "0,10,1\n10,20,1\n20,30,1\n30,40,1\n40,50,1\n50,60,1\n") << order;
  }
}

// The whole stream is 190 MB of rows in memory.
TEST(ConstantMemory, AStreamOfMillionsOfRowsNeedsNoMoreThanItsWindows) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory of their own";
#endif
  const TemporaryFolder folder;
  const CommandResult result = run_command(
      "tidemark window 'gen:orders?rows=5M&keys=1000&rate=10000' --key user_id "
      "--window 'sliding size=10s slide=1s' --agg 'count, sum(amount)' --output /dev/null --quiet "
      "& "
      "process=$!; peak=0; while kb=$(awk '/^VmHWM/ {print $2}' /proc/$process/status 2>/dev/null) "
      "&& [ -n \"$kb\" ]; do peak=$kb; sleep 0.02; done; wait $process && echo $peak",
      folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const long peak_kb = std::strtol(result.out.c_str(), nullptr, 10);
  EXPECT_GT(peak_kb, 1'000);
  EXPECT_LT(peak_kb, 120'000);
}

}  // namespace
}  // namespace tidemark
