// Values that are text: what is computed of them, and how the rest is refused.
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

// Sixty rows: IT, FR and DE in turn, with NULL in every fourth.
std::string country_of(int row) {
  constexpr const char* kCountries[] = {"IT", "FR", "DE"};
  return row % 4 == 3 ? "" : kCountries[row % 3];
}

class TextValuesTest : public testing::Test {
 protected:
  TextValuesTest() {
    std::string csv = "ts,country,quoted,code\n";
    std::string json;
    for (int row = 0; row < 60; ++row) {
      const std::string ts = std::to_string(1000 + row);
      const std::string country = country_of(row);
      const std::string cell = country.empty() ? "null" : "\"" + country + "\"";
      csv += ts + "," + country + ",\"" + country + "\"," + (row % 3 == 0 ? "7" : "A" + ts) + "\n";
      json += R"({"ts":)" + ts + R"(,"country":)" + cell + "}\n";
    }
    folder_.write("rows.csv", csv);
    folder_.write("rows.ndjson", json);
  }
  CommandResult run(const std::string& input, const std::string& options) {
    return run_command(
        "tidemark window " + input + " --time ts --time-unit ms --window global --quiet " + options,
        folder_);
  }
  TemporaryFolder folder_;
};

TEST_F(TextValuesTest, AreCountedAndToldApart) {
  for (const std::string input : {"rows.csv", "rows.ndjson"}) {
    for (const std::string cores : {"--cores 1", "--cores 2"}) {
      const CommandResult result =
          run(input, cores +
                         " --agg 'count, count(country), approx_distinct(country), "
                         "count(country) as italian where country = \"IT\"'");
      EXPECT_EQ(result.exit_code, 0) << result.err;
      ASSERT_EQ(lines_of(result.out).size(), 2U) << input << result.out;
      EXPECT_EQ(lines_of(result.out)[1], ",,60,45,3,15") << input << cores;
    }
  }
}

// In csv an empty cell is NULL only without quotes; keys are read so too.
TEST_F(TextValuesTest, AnEmptyTextIsAValue) {
  EXPECT_EQ(lines_of(run("rows.csv", "--agg 'count(quoted), approx_distinct(quoted)'").out)[1],
            ",,60,4");
}

TEST_F(TextValuesTest, ACodeThatIsANumberNowAndThenIsText) {
  EXPECT_EQ(lines_of(run("rows.csv", "--agg 'count(code), approx_distinct(code)'").out)[1],
            ",,60,41");
}

TEST_F(TextValuesTest, OtherAggregatesOfThemAreRefusedInOneSentence) {
  for (const std::string aggregate : {"sum(country)", "count_distinct(country)", "max(country)",
                                      "count(country), avg(country)"}) {
    for (const std::string input : {"rows.csv", "rows.ndjson"}) {
      const CommandResult result = run(input, "--agg '" + aggregate + "'");
      EXPECT_EQ(result.exit_code, 1) << aggregate;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
      EXPECT_THAT(result.err, HasSubstr("column \"country\" holds text in all of the first rows, "
                                        "such as \"IT\""));
      EXPECT_THAT(result.err, HasSubstr("--type country=double"));
    }
  }
}

TEST_F(TextValuesTest, ATypeThatWasSaidMakesThemBadRows) {
  const CommandResult result =
      run("rows.csv", "--agg 'count(country)' --type country=double --summary run.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(folder_.read("run.json"), HasSubstr("\"rows_bad\": 45"));
}

TEST_F(TextValuesTest, OfGeneratedOrdersCanOnlyBeCounted) {
  const std::string input = "'gen:orders?rows=100'";
  const CommandResult counted = run_command(
      "tidemark window " + input + " --window global --quiet --agg 'count(country)'", folder_);
  EXPECT_EQ(lines_of(counted.out)[1], ",,100") << counted.err;
  const CommandResult refused = run_command(
      "tidemark window " + input + " --window global --quiet --agg 'first(country)'", folder_);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("country is text, of which generated orders have only count"));
}

}  // namespace
}  // namespace tidemark
