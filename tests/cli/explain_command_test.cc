#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/run_command.h"

namespace tidemark {
namespace {

using test_support::CommandResult;
using test_support::lines_of;
using test_support::run_command;
using test_support::TemporaryFolder;
using testing::HasSubstr;

class ExplainCommandTest : public testing::Test {
 protected:
  ExplainCommandTest() {
    folder_.write("rows.csv",
                  "ts,user,amount\n1000,ann,5\n2000,bob,2.5\n12000,ann,1\n3000,ann,9\n");
  }
  CommandResult run(const std::string& line) { return run_command(line, folder_); }
  TemporaryFolder folder_;
};

TEST_F(ExplainCommandTest, PrintsAPlanForEachWindow) {
  const CommandResult result =
      run("tidemark explain rows.csv --time ts --time-unit ms --key user --agg 'sum(amount), "
          "max(amount)' "
          "--window 'sliding size=1h slide=1s' --window 'tumbling size=1d'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sliding size=1h slide=1s"));
  EXPECT_THAT(result.out, HasSubstr("tumbling size=1d"));
}

TEST_F(ExplainCommandTest, PredictsFiguresOfAStreamThatIsKnown) {
  const std::string csv =
      "tidemark explain rows.csv --time ts --time-unit ms --key user --agg 'max(amount)' --window "
      "'sliding size=1h slide=1s'";
  EXPECT_THAT(run(csv).out, testing::Not(HasSubstr("predicted per slide")));
  for (const std::string& line :
       {csv + " --stream 'keys=100&rate=5k'",
        std::string("tidemark explain 'gen:orders?keys=100&rate=5k' --key user_id --agg "
                    "'max(cents)' --window 'sliding size=1h slide=1s'")}) {
    const CommandResult result = run(line);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("predicted per slide: 5000 rows, 100 entries")) << line;
  }
  const CommandResult refused = run(csv + " --stream 'rows=5'");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("a stream is told by keys, rate and skew"));
}

// A command line of window explains itself by another first word.
TEST_F(ExplainCommandTest, ReadsEveryInputThatWindowReads) {
  const std::string line = R"({"ts":1000,"user":"ann","amount":5})";
  folder_.write("rows.ndjson", line + "\n" + line + "\n");
  folder_.write("rows.txt", line + "\n");
  folder_.write("rows.json", R"({"rows":[)" + line + "]}");
  for (const std::string input :
       {"rows.csv", "rows.ndjson", "rows.txt --format ndjson", "rows.json --json-rows /rows",
        "- < rows.csv", "- --format ndjson < rows.txt"}) {
    const std::string job =
        " --time ts --time-unit ms --key user --agg 'sum(amount)' --window 'tumbling size=1s' ";
    EXPECT_EQ(run("tidemark window" + job + input).exit_code, 0) << input;
    const CommandResult result = run("tidemark explain" + job + input);
    EXPECT_EQ(result.exit_code, 0) << input << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("window: tumbling size=1s")) << input;
  }
}

TEST_F(ExplainCommandTest, RefusesWhatWindowRefusesInTheSameWords) {
  for (const std::string option :
       {"--cores 0", "--cores x", "--times foo", "--on-bad foo", "--output-format foo",
        "--format foo", "--time-unit foo", "--time nosuch", "--key nosuch", "--agg 'sum(nosuch)'",
        "--agg 'summe(amount)'", "--strategy foo", "--lateness foo", "--zone Nowhere/At_All",
        "--type amount=text", "--stream foo"}) {
    const std::string job = " rows.csv --window 'tumbling size=1s' --quiet ";
    const std::string time = option.starts_with("--time ") ? "" : "--time ts --time-unit ms ";
    const CommandResult window = run("tidemark window" + job + time + option);
    const CommandResult explain = run("tidemark explain" + job + time + option);
    EXPECT_EQ(window.exit_code, 1) << option;
    EXPECT_EQ(explain.exit_code, 1) << option;
    EXPECT_EQ(explain.err, window.err) << option;
    EXPECT_EQ(lines_of(explain.err).size(), 1U) << option;
  }
}

}  // namespace
}  // namespace tidemark
