#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "support/comma_locale.h"

namespace tidemark {
namespace {

using test_support::CommaLocale;
using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;

constexpr const char* kRows = "ts,user,amount\n1000,ann,5\n2000,bob,2.5\n12000,ann,1\n3000,ann,9\n";
const std::string kWindow =
    "tidemark window rows.csv --time ts --time-unit ms --times ms --window 'tumbling size=10s' ";

class WindowCommandTest : public testing::Test {
 protected:
  WindowCommandTest() { folder_.write("rows.csv", kRows); }
  CommandResult run(const std::string& line) { return run_command(line, folder_); }
  TemporaryFolder folder_;
};

TEST_F(WindowCommandTest, WritesResultsAndASummaryThatAddsUp) {
  const CommandResult result =
      run(kWindow + "--key user --agg 'count, sum(amount) as total' --summary run.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "window_start,window_end,user,count,total\n"
            "0,10000,ann,1,5\n0,10000,bob,1,2.5\n10000,20000,ann,1,1\n");
  EXPECT_THAT(result.err, HasSubstr("4 rows read = 3 on time + 1 late + 0 bad + 0 in no window"));
  const auto summary = nlohmann::json::parse(folder_.read("run.json"));
  EXPECT_EQ(summary.at("rows_read"), 4);
  EXPECT_EQ(summary.at("rows_late"), 1);
  EXPECT_EQ(summary.at("results"), 3);
  EXPECT_EQ(summary.at("watermark"), INT64_MAX);
  for (const char* field :
       {"rows_on_time", "rows_bad", "rows_in_no_window", "windows_fired", "wall_seconds",
        "rows_per_second", "peak_state_bytes", "strategy", "cores"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
}

TEST_F(WindowCommandTest, QuietLeavesStandardErrorEmpty) {
  const CommandResult result = run(kWindow + "--quiet");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(WindowCommandTest, CountIsTheDefaultAggregateAndStandardInputAnInput) {
  const CommandResult result =
      run("cat rows.csv | tidemark window - --time ts --time-unit ms --times ms "
          "--window 'tumbling size=10s' --delay 10s --quiet");
  EXPECT_EQ(result.out, "window_start,window_end,count\n0,10000,3\n10000,20000,1\n") << result.err;
}

TEST_F(WindowCommandTest, JsonAndTableAreWrittenAsAsked) {
  EXPECT_EQ(run(kWindow + "--quiet --output-format json").out,
            "{\"window_start\":0,\"window_end\":10000,\"count\":2}\n"
            "{\"window_start\":10000,\"window_end\":20000,\"count\":1}\n");
  EXPECT_EQ(lines_of(run(kWindow + "--quiet --output-format table").out).at(0),
            "window_start  window_end  count");
}

TEST_F(WindowCommandTest, SeveralWindowsAreNumbered) {
  const CommandResult result = run(kWindow + "--window 'tumbling size=20s' --quiet --delay 1m");
  EXPECT_EQ(result.out,
            "window,window_start,window_end,count\n"
            "1,0,10000,3\n2,0,20000,4\n1,10000,20000,1\n")
      << result.err;
}

TEST_F(WindowCommandTest, LateRowsAreKeptAsReadWithTheirReason) {
  folder_.write("rows.csv", "ts,k\n1,x\n21,y\n5,\"a,\"\"b\"\n");
  const CommandResult result = run(
      "tidemark window rows.csv --time ts --time-unit ms --window 'tumbling size=10ms' --times ms "
      "--late-output late.csv");
  EXPECT_EQ(result.out, "window_start,window_end,count\n0,10,1\n20,30,1\n") << result.err;
  EXPECT_EQ(folder_.read("late.csv"),
            "ts,k,reason\n5,\"a,\"\"b\",late: 15 ms behind the watermark\n");
}

TEST_F(WindowCommandTest, ConditionsChooseTheRowsOfAnAggregate) {
  const CommandResult result =
      run(kWindow +
          "--delay 1m --quiet --agg \"count where user = 'ann' as anns, sum(amount) where "
          "amount >= 5 as large\"");
  EXPECT_EQ(result.out, "window_start,window_end,anns,large\n0,10000,2,14\n10000,20000,1,\n")
      << result.err;
}

TEST_F(WindowCommandTest, ConditionsOnGeneratedOrdersChooseTheRowsOfAnAggregate) {
  const CommandResult result =
      run("tidemark window 'gen:orders?rows=1000' --window 'tumbling size=1d' --quiet --times ms "
          "--agg \"count, count "
          "where order_id <= 10 as few, min(order_id) where order_id > 990 as first, count where "
          "country = "
          "nowhere as none, max(cents) where amount < 0 as least\"");
  EXPECT_EQ(result.out.substr(result.out.find('\n') + 1),
            "1767225600000,1767312000000,1000,10,991,0,\n")
      << result.err;
}

TEST_F(WindowCommandTest, ListsAreTextInCsvAndArraysInJson) {
  folder_.write("lists.csv", "ts,x\n2,20\n1,10\n3,\n4,20\n");
  const std::string command =
      "tidemark window lists.csv --time ts --time-unit ms --window 'tumbling size=10ms' --delay 1s "
      "--times "
      "ms "
      "--quiet --agg 'collect(x) as all, top_k(x, 1) as top, count_distinct(x) as n'";
  EXPECT_EQ(run(command).out, "window_start,window_end,all,top,n\n0,10,\"[10,20,20]\",[20],2\n");
  EXPECT_EQ(run(command + " --output-format json").out,
            "{\"window_start\":0,\"window_end\":10,\"all\":[10,20,20],\"top\":[20],\"n\":2}\n");
}

TEST_F(WindowCommandTest, ASumThatDoesNotFitIsNullAndEndsWithFour) {
  folder_.write("rows.csv", "ts,k,x\n1,a,9223372036854775807\n2,a,1\n3,b,4\n");
  const CommandResult result = run(
      "tidemark window rows.csv --time ts --time-unit ms --window 'tumbling size=10ms' --times ms "
      "--key k --agg 'sum(x)' --quiet");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out, "window_start,window_end,k,sum(x)\n0,10,a,\n0,10,b,4\n");
  EXPECT_THAT(result.err, HasSubstr("sum(x) does not fit 64 bits"));
  EXPECT_THAT(result.err, HasSubstr("for key a"));
}

TEST_F(WindowCommandTest, ZeroHasNoSignInResults) {
  folder_.write("zeros.csv", "ts,x\n1,-0.0\n2,\n3,-0.0\n");
  EXPECT_EQ(lines_of(run("tidemark window zeros.csv --time ts --time-unit ms --window global "
                         "--quiet --type x=double --agg 'first(x), last(x), min(x), max(x), "
                         "median(x), sum(x), collect(x)'")
                         .out)
                .at(1),
            ",,0,0,0,0,0,0,\"[0,0]\"");
}

TEST_F(WindowCommandTest, TheEnvironmentsLocaleChangesNothing) {
  folder_.write("rows.csv", "ts,v\n1,1.5\n2,\"2,5\"\n3,2\n");
  const std::string line =
      "tidemark window rows.csv --time ts --time-unit ms --window 'tumbling size=10ms' "
      "--agg 'avg(v), sum(v)' --output-format json --times ms --bad-output bad.csv --quiet";
  const CommandResult in_c = run("LC_ALL=C " + line);
  EXPECT_EQ(in_c.out, "{\"window_start\":0,\"window_end\":10,\"avg(v)\":1.75,\"sum(v)\":3.5}\n");
  EXPECT_EQ(lines_of(folder_.read("bad.csv")).size(), 2U);
  const std::string bad_in_c = folder_.read("bad.csv");

  const CommaLocale locale;
  if (!locale.is_available()) GTEST_SKIP() << "no localedef with the source of de_DE";
  const std::string setting =
      "export LOCPATH=" + locale.folder() + " LC_ALL=" + CommaLocale::kName + "; ";
  ASSERT_EQ(run(setting + "locale decimal_point").out, ",\n");
  EXPECT_EQ(run(setting + line).out, in_c.out);
  EXPECT_EQ(folder_.read("bad.csv"), bad_in_c);
}

TEST_F(WindowCommandTest, OneInputGivesTheSameBytesForEverySetting) {
  const std::string line =
      "tidemark window 'gen:orders?rows=20k&keys=100&rate=1k&disorder=3s' --key user_id --quiet "
      "--window 'sliding size=5s slide=1s' --agg 'count, sum(cents)' ";
  for (const char* delay : {"--delay 3s ", "--delay 1s "}) {
    const std::string expected = run(line + delay + "--cores 1 --strategy buckets").out;
    EXPECT_GT(lines_of(expected).size(), 1000U);
    for (const char* setting :
         {"--cores 2", "--cores 3 --strategy recompute", "--strategy subtract"}) {
      EXPECT_EQ(run(line + delay + setting).out, expected) << setting;
    }
  }
}

// The first rows have whole numbers only, so the type would be found out wrong.
TEST_F(WindowCommandTest, ATypeThatTheUserNamesIsNotGuessed) {
  std::string rows = "ts,v\n";
  for (int i = 0; i < 10'000; ++i) rows += "1,1\n";
  folder_.write("rows.csv", rows + "2,0.5\n");
  const std::string line = kWindow + "--agg 'sum(v)' ";
  EXPECT_THAT(run(line).err, HasSubstr("pass --type v=double to read it"));
  const CommandResult result = run(line + "--type v=double --quiet");
  EXPECT_EQ(result.out, "window_start,window_end,sum(v)\n0,10000,10000.5\n") << result.err;
}

TEST_F(WindowCommandTest, AWindowCountsOnceWhateverTheNumberOfCores) {
  for (const char* cores : {"1", "2", "3"}) {
    const CommandResult result =
        run("tidemark window 'gen:orders?rows=10k&keys=100&rate=1k' --key user_id --quiet "
            "--window 'tumbling size=1s' --window 'sliding size=5s slide=1s' --summary run.json "
            "--cores " +
            std::string(cores));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(folder_.read("run.json")).at("windows_fired"), 10 + 14);
  }
}

struct Refusal {
  std::string arguments;
  std::string message;
};

class RefusalTest : public testing::TestWithParam<Refusal> {};

// The input does not exist, and the output must not be touched: a refusal comes before either.
TEST_P(RefusalTest, BadParametersAreRefusedInOneSentenceBeforeAnyRowIsRead) {
  const TemporaryFolder folder;
  folder.write("out.csv", "kept\n");
  const CommandResult result = run_command(
      "tidemark window no_such_file.csv --time ts --output out.csv " + GetParam().arguments,
      folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(folder.read("out.csv"), "kept\n");
}

INSTANTIATE_TEST_SUITE_P(
    Windows, RefusalTest,
    testing::Values(
        Refusal{"--window 'tumbling size=0ms'", "size must be positive, got 0 ms"},
        Refusal{"--window 'tumbling size=-5s'", "size must be positive, got -5000 ms"},
        Refusal{"--window 'sliding size=0s slide=1ms'", "size must be positive, got 0 ms"},
        Refusal{"--window 'sliding size=-1ms slide=-1ms'", "size must be positive, got -1 ms"},
        Refusal{"--window 'sliding size=5s slide=0s'", "slide must be positive, got 0 ms"},
        Refusal{"--window 'tumbling size=1d offset=24h'", "got offset 1d and size 1d"},
        Refusal{"--window 'tumbling size=1d offset=-24h'", "got offset -1d and size 1d"},
        Refusal{"--window 'session gap=0s'", "gap must be positive, got 0 ms"},
        Refusal{"--window 'session gap=-5s'", "gap must be positive, got -5000 ms"},
        Refusal{"--window 'cumulate step=0s size=10s'", "step must be positive, got 0 ms"},
        Refusal{"--window 'cumulate step=3s size=10s'", "step must divide the size"},
        Refusal{"--window 'global size=1d'", "unknown parameter 'size'"},
        Refusal{"--window 'count size=0'", "size must be from 1 to"},
        Refusal{"--window 'count size=5 slide=0'", "slide must be from 1 to"},
        Refusal{"--window 'hopping size=1s'", "hopping"}, Refusal{"", "--window"}));

const std::string kGoodWindow = "--window 'tumbling size=10s' ";

INSTANTIATE_TEST_SUITE_P(
    Options, RefusalTest,
    testing::Values(
        Refusal{kGoodWindow + "--lateness -5s", "--lateness must not be negative, but is -5s"},
        Refusal{kGoodWindow + "--early 0s", "must be positive, got 0s"},
        Refusal{kGoodWindow + "--early rows=0", "a positive whole number, got '0'"},
        Refusal{kGoodWindow + "--accumulate all", "retracting, not 'all'"},
        Refusal{kGoodWindow + "--zone Mars/Olympus", "--zone: unknown time zone 'Mars/Olympus'"},
        Refusal{kGoodWindow + "--zone +08:00", "unknown time zone '+08:00'"},
        Refusal{kGoodWindow + "--format xml", "--format must be csv, json or ndjson, not xml"},
        Refusal{kGoodWindow + "--json-rows /rows", "--json-rows is for --format json"},
        Refusal{kGoodWindow + "--agg 'quantile(x)'", "a number, as in quantile(x, 0.99)"},
        Refusal{kGoodWindow + "--agg 'count, sum'", "at character 11"},
        Refusal{kGoodWindow + "--delay 5", "--delay: "},
        Refusal{kGoodWindow + "--delay -5s", "--delay must not be negative, but is -5s"},
        Refusal{kGoodWindow + "--idle 0s", "--idle must be longer than 0, but is 0"},
        Refusal{kGoodWindow + "--strategy fastest", "fastest"},
        Refusal{kGoodWindow + "--cores 0", "--cores must be from 1 to "},
        Refusal{kGoodWindow + "--cores two", "two"},
        Refusal{kGoodWindow + "--times local", "local"},
        Refusal{kGoodWindow + "--time-unit hours", "hours"},
        Refusal{kGoodWindow + "--on-bad panic", "panic"},
        Refusal{kGoodWindow + "--output-format xml", "xml"},
        Refusal{kGoodWindow + "--type v=text", "--type must be COL=int or COL=double, not v=text"},
        Refusal{kGoodWindow + "--type double", "not double"},
        Refusal{kGoodWindow + "--key a,,b", "a,,b"}, Refusal{kGoodWindow + "--sorted", "--sorted"},
        Refusal{kGoodWindow, "no_such_file.csv"}));

TEST_F(WindowCommandTest, AnUnknownColumnIsRefusedByName) {
  for (const char* option : {"--key usr", "--agg 'sum(usr)'"}) {
    const CommandResult result = run(kWindow + option);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("usr"));
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  }
}

TEST_F(WindowCommandTest, AnOutputNeverOverwritesTheInputOrAnotherOutput) {
  for (const char* options : {"--output rows.csv", "--late-output ./rows.csv",
                              "--output a --bad-output a", "--late-output -"}) {
    const CommandResult result = run(kWindow + options);
    EXPECT_EQ(result.exit_code, 1) << options;
    EXPECT_EQ(folder_.read("rows.csv"), kRows);
  }
}

TEST_F(WindowCommandTest, UnknownCommandsAndNoneAreUsageErrors) {
  for (const char* line : {"tidemark", "tidemark windw", "tidemark gen bids"}) {
    const CommandResult result = run(line);
    EXPECT_EQ(result.exit_code, 1) << line;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  }
}

}  // namespace
}  // namespace tidemark
