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
    std::string csv = "ts,country,quoted,code,some\n";
    std::string json;
    for (int row = 0; row < 60; ++row) {
      const std::string ts = std::to_string(1000 + row);
      const std::string country = country_of(row);
      const std::string cell = country.empty() ? "null" : "\"" + country + "\"";
      csv += ts + "," + country + ",\"" + country + "\"," + (row % 3 == 0 ? "7" : "A" + ts) + "," +
             (row == 40 ? "x" : ts) + "\n";
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

TEST_F(TextValuesTest, AreToldApartExactlyWhateverTheOrderAndTheStrategy) {
  // Two spellings of one text are one; one that only begins like another is not.
  folder_.write("codes.csv",
                "ts,c\n1,ab\n2,abc\n3,\"ab\"\n4,\n5,\"\"\n6,1\n7,1.0\n8,\"a\"\"b\"\n9,ab\n");
  for (const std::string cores : {" --cores 1", " --cores 2"}) {
    EXPECT_EQ(lines_of(run("codes.csv", "--agg 'count_distinct(c), count(c)'" + cores).out)[1],
              ",,6,8");
    // The sketch goes by the text and not by the numbers that stand for it here.
    EXPECT_EQ(
        lines_of(run("codes.csv", "--agg 'approx_distinct(c), count_distinct(c)'" + cores).out)[1],
        ",,6,6");
  }
  for (const std::string strategy : {"buckets", "recompute", "subtract", "two-stacks"}) {
    const CommandResult result = run_command(
        "tidemark window codes.csv --time ts --time-unit ms --quiet --times ms "
        "--window 'sliding size=4ms slide=2ms' --agg 'count_distinct(c)' --strategy " +
            strategy,
        folder_);
    EXPECT_EQ(result.out,
              "window_start,window_end,count_distinct(c)\n-2,2,1\n0,4,2\n2,6,3\n4,8,3\n6,10,4\n"
              "8,12,2\n")
        << strategy << result.err;
  }
}

TEST_F(TextValuesTest, AreShownByFirstLastAndCollect) {
  folder_.write("states.csv",
                "ts,id,state\n1,a,new\n2,b,new\n3,a,\"paid, \"\"twice\"\"\"\n4,a,\n6,b,\"\"\n"
                "5,b,7\n12,c,\n");
  folder_.write("states.ndjson",
                R"({"ts":1,"id":"a","state":"new"}
{"ts":2,"id":"b","state":"new"}
{"ts":3,"id":"a","state":"paid, \"twice\""}
{"ts":4,"id":"a"}
{"ts":6,"id":"b","state":""}
{"ts":5,"id":"b","state":7}
{"ts":12,"id":"c","state":null}
)");
  const std::string job =
      " --time ts --time-unit ms --times ms --quiet --key id --delay 10ms --window 'tumbling "
      "size=10ms' --agg 'count, first(state) as f, last(state) as l, collect(state) as c, "
      "count_distinct(state) as d, approx_distinct(state) as e'";
  for (const std::string input : {"states.csv", "states.ndjson"}) {
    for (const std::string options : {" --cores 1", " --cores 2", " --unordered --cores 1"}) {
      SCOPED_TRACE(input + options);
      EXPECT_EQ(run_command("tidemark window " + input + job + options + " | sort", folder_).out,
                R"(0,10,a,3,new,"paid, ""twice""","[""new"",""paid, \""twice\""""]",2,2
0,10,b,3,new,"","[""new"",""7"",""""]",3,3
10,20,c,1,,,,0,0
window_start,window_end,id,count,f,l,c,d,e
)");
      EXPECT_EQ(run_command("tidemark window " + input + job + options +
                                " --output-format json | grep '\"a\"'",
                            folder_)
                    .out,
                R"({"window_start":0,"window_end":10,"id":"a","count":3,"f":"new",)"
                R"("l":"paid, \"twice\"","c":["new","paid, \"twice\""],"d":2,"e":2})"
                "\n");
    }
  }
}

// So that single broken cells do not make text of a column of numbers.
TEST_F(TextValuesTest, AreShownWhereMostOfTheFirstCellsAreText) {
  folder_.write("mostly.csv", "ts,x\n1,5\n2,n/a\n3,7\n4,9\n");
  const CommandResult result =
      run("mostly.csv", "--agg 'count, last(x), collect(x)' --summary run.json");
  EXPECT_EQ(lines_of(result.out).at(1), ",,3,9,\"[5,7,9]\"") << result.err;
  EXPECT_THAT(folder_.read("run.json"), HasSubstr("\"rows_bad\": 1"));
}

TEST_F(TextValuesTest, OneTextAmongNumbersMakesTheColumnOneOfText) {
  const CommandResult result =
      run("rows.csv",
          "--agg 'count, count(some), approx_distinct(some), count_distinct(some)' "
          "--summary run.json");
  EXPECT_EQ(lines_of(result.out)[1], ",,60,60,60,60") << result.err;
  EXPECT_THAT(folder_.read("run.json"), HasSubstr("\"rows_bad\": 0"));
}

// A number is wanted: rows without one are bad, and the others are computed.
TEST_F(TextValuesTest, AmongNumbersTheyAreBadRowsOfOtherAggregates) {
  const CommandResult result =
      run("rows.csv", "--agg 'count, sum(code), count(code)' --summary run.json");
  EXPECT_EQ(lines_of(result.out)[1], ",,20,140,20") << result.err;
  EXPECT_THAT(folder_.read("run.json"), HasSubstr("\"rows_bad\": 40"));
}

TEST_F(TextValuesTest, AFewRowsAreEnoughToRefuseThem) {
  folder_.write("few.csv", "ts,x\n1,abc\n2,\n");
  folder_.write("few.ndjson", "{\"ts\":1,\"x\":\"abc\"}\n");
  for (const std::string input : {"few.csv", "few.ndjson"}) {
    const CommandResult result = run(input, "--agg 'max(x)'");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("such as \"abc\", and of text there are only count, "
                                      "count_distinct, approx_distinct, first, last and collect;"));
    EXPECT_EQ(lines_of(run(input, "--agg 'count_distinct(x), count(x)'").out)[1], ",,1,1");
  }
}

TEST_F(TextValuesTest, OtherAggregatesOfThemAreRefusedInOneSentence) {
  for (const std::string aggregate :
       {"sum(country)", "max(country)", "top_k(country, 2)", "median(country)", "variance(country)",
        "count(country), avg(country)", "count_distinct(country), min(country)",
        "min(country), count_distinct(country)"}) {
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
