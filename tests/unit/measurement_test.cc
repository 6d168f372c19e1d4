#include "tidemark/perf/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/benchmark_rows.h"
#include "support/tidemark_documents.h"

namespace tidemark {
namespace {

using test_support::bench_document;
using test_support::benchmark_json;
using test_support::benchmark_row;
using test_support::benchmark_rows;
using testing::ElementsAre;
using testing::HasSubstr;

Expected<Measurement> read(const std::string& text, BenchmarkTime time = BenchmarkTime::kReal) {
  return read_measurement(text, "base.json", time);
}

Figure figure_of(const std::string& text, const std::string& name) {
  const Expected<Measurement> measurement = read(text);
  EXPECT_TRUE(measurement) << measurement.error().message;
  const Figure* figure = measurement ? find_figure(*measurement, name) : nullptr;
  EXPECT_NE(figure, nullptr) << name;
  return figure == nullptr ? Figure{} : *figure;
}

std::string with_time(const std::string& literal) {
  return benchmark_json({benchmark_row("BM_A", 5),
                         R"({"name":"BM_B","run_name":"BM_B","run_type":"iteration","real_time":)" +
                             literal + R"(,"cpu_time":1,"time_unit":"ns"})"});
}

struct Refusal {
  const char* name;
  std::string text;
  std::vector<std::string> parts;  // of the sentence: what, and where
};
class RefusedMeasurementTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedMeasurementTest, InOneSentenceThatSaysWhereAndWhat) {
  const Expected<Measurement> measurement = read(GetParam().text);
  ASSERT_FALSE(measurement);
  const std::string& message = measurement.error().message;
  for (const std::string& part : GetParam().parts) EXPECT_THAT(message, HasSubstr(part));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RefusedMeasurementTest,
    testing::Values(
        Refusal{"empty", "", {"base.json is empty"}},
        Refusal{"blank", " \n\t", {"base.json is empty"}},
        Refusal{"not_json", "rows,seconds\n1,2\n", {"base.json:1:1", "not JSON"}},
        Refusal{"a_list", "[1, 2]", {"base.json:1", "a list"}},
        Refusal{"foreign", R"({"results": []})", {"base.json:1", "neither"}},
        Refusal{"truncated",
                benchmark_json({benchmark_row("BM_A", 5)}).substr(0, 80),
                {"base.json:3", "\"BM_A\"", "cut short"}},
        Refusal{"unquoted_percentage",
                benchmark_json({benchmark_row("BM_A", 5, ",\"rms\": 12%")}),
                {"base.json:3:", "\"BM_A\"", "12%"}},
        Refusal{"bare_nan", with_time("NaN"), {"base.json:4:", "\"BM_B\"", "NaN is no JSON value"}},
        Refusal{"infinite", with_time("1e999"), {"base.json:4:", "\"BM_B\"", "1e999"}},
        Refusal{"null_time", with_time("null"), {"base.json:4:", "\"BM_B\" real_time is null"}},
        Refusal{"zero_time", with_time("0"), {"base.json:4:", "\"BM_B\" real_time is 0"}},
        Refusal{"negative_time", with_time("-3"), {"base.json:4:", "\"BM_B\" real_time is -3"}},
        Refusal{
            "quoted_time", with_time("\"12\""), {"base.json:4:", "\"BM_B\" real_time is \"12\""}},
        Refusal{"no_time",
                benchmark_json({R"({"name":"BM_A","run_type":"iteration"})"}),
                {"\"BM_A\" real_time is not there"}},
        Refusal{"unknown_unit",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"time_unit":"fortnights")")}),
                {"base.json:3:", "\"BM_A\" time_unit is \"fortnights\""}},
        Refusal{"null_counter",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"rows/s":null)")}),
                {"base.json:3:", "\"BM_A\" rows/s is null"}},
        Refusal{"rate_of_nothing",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"items_per_second":0)")}),
                {"\"BM_A\" items_per_second is 0", "a number above 0"}},
        Refusal{"negative_rate",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"rows/s":-1)")}),
                {"\"BM_A\" rows/s is -1", "a number above 0"}},
        Refusal{"negative_cost",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"allocs":-1)")}),
                {"\"BM_A\" allocs is -1", "not negative"}},
        Refusal{"negative_latency",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"p99_ms":-1)")}),
                {"\"BM_A\" p99_ms is -1", "not negative"}},
        Refusal{"quoted_nan",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"depth":"NaN")")}),
                {"base.json:3:", "\"BM_A\" depth is \"NaN\""}},
        Refusal{"quoted_counter",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"depth":"12")")}),
                {"\"BM_A\" depth is \"12\"", "a number"}},
        Refusal{"quoted_percentage",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"hit_rate":"12%")")}),
                {"\"BM_A\" hit_rate is \"12%\""}},
        Refusal{"text_for_a_rate",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"items_per_second":"fast")")}),
                {"\"BM_A\" items_per_second is \"fast\""}},
        Refusal{"list_for_a_rate",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"items_per_second":[1])")}),
                {"\"BM_A\" items_per_second is [1]"}},
        Refusal{"quoted_error_flag",
                benchmark_json({benchmark_row("BM_A", 5, R"(,"error_occurred":"true")")}),
                {"\"BM_A\" error_occurred is \"true\"", "true or false"}},
        Refusal{"negative_deviation",
                benchmark_json({R"({"name":"BM_A_mean","run_name":"BM_A","run_type":"aggregate",
"aggregate_name":"mean","real_time":1,"cpu_time":1})",
                                R"({"name":"BM_A_stddev","run_name":"BM_A","run_type":"aggregate",
"aggregate_name":"stddev","real_time":-1,"cpu_time":1})"}),
                {"real_time is -1", "not negative"}},
        Refusal{"no_benchmark", benchmark_json({}), {"base.json:", "benchmarks is an empty list"}},
        Refusal{"nameless_row", R"({"benchmarks":[{"real_time":1}]})", {"an object with a name"}},
        Refusal{"later_library",
                benchmark_json({benchmark_row("BM_A", 5)}, R"("json_schema_version":2)"),
                {"base.json:1: json_schema_version is 2", "only version 1"}},
        Refusal{"later_schema",
                "{\n\"schema\": \"tidemark-bench/99\"}",
                {"base.json:2: schema is \"tidemark-bench/99\"", "tidemark-bench/2"}},
        Refusal{"bench_without_machine",
                R"({"schema":"tidemark-bench/2","build":{},"options":{}})",
                {"machine is not there"}},
        Refusal{"aggregates_without_middle",
                benchmark_json({R"({"name":"BM_A_max","run_name":"BM_A","run_type":"aggregate",
"aggregate_name":"max","real_time":1,"cpu_time":1})"}),
                {"BM_A_max", "neither mean nor median"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GoogleBenchmarkJsonTest, RepetitionsThatShareANameAreSamplesOfOneFigure) {
  const Figure figure = figure_of(benchmark_json(benchmark_rows("BM_A", {3, 1, 2})), "BM_A");
  EXPECT_THAT(figure.samples, ElementsAre(3, 1, 2));
  EXPECT_EQ(figure.better, Better::kLower);
}

TEST(GoogleBenchmarkJsonTest, TimesOfEveryUnitBecomeNanoseconds) {
  const std::vector<std::pair<const char*, double>> units{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, nanoseconds] : units) {
    const std::string rest = fmt::format(R"(,"time_unit":"{}")", unit);
    EXPECT_THAT(figure_of(benchmark_json({benchmark_row("BM_A", 2, rest)}), "BM_A").samples,
                ElementsAre(2 * nanoseconds));
  }
}

TEST(GoogleBenchmarkJsonTest, CpuTimeIsTheFigureWhereAskedFor) {
  const Expected<Measurement> measurement =
      read(R"({"benchmarks":[{"name":"BM_A","real_time":7,"cpu_time":5}]})", BenchmarkTime::kCpu);
  ASSERT_TRUE(measurement);
  EXPECT_THAT(measurement->figures.front().samples, ElementsAre(5));
}

TEST(GoogleBenchmarkJsonTest, RowsOfComplexityFitsAreNoFigures) {
  const std::string fits =
      R"({"name":"BM_A_BigO","run_name":"BM_A","run_type":"aggregate","aggregate_name":"BigO",)"
      R"("cpu_coefficient":1.5,"real_coefficient":1.5,"big_o":"N","time_unit":"ns"},
{"name":"BM_A_RMS","run_name":"BM_A","run_type":"aggregate","aggregate_name":"RMS","rms":0.02})";
  const Expected<Measurement> measurement = read(benchmark_json({benchmark_row("BM_A", 5), fits}));
  ASSERT_TRUE(measurement);
  EXPECT_EQ(measurement->figures.size(), 1U);
}

TEST(GoogleBenchmarkJsonTest, UserCountersAreFiguresWithADirectionWhereTheirNameTellsIt) {
  const std::string text = benchmark_json({benchmark_row(
      "BM_A", 5, R"(,"items_per_second":9e6,"p99_ms":4,"slices":12,"label":"x","threads":1)")});
  EXPECT_EQ(figure_of(text, "BM_A items_per_second").better, Better::kHigher);
  EXPECT_EQ(figure_of(text, "BM_A p99_ms").better, Better::kLower);
  EXPECT_TRUE(figure_of(text, "BM_A slices").direction_unknown);
  EXPECT_EQ(read(text)->figures.size(), 4U);
}

TEST(GoogleBenchmarkJsonTest, CountersThatTellAGrowthOrHaveNoKnownRangeMayBeBelow0) {
  const std::string text = benchmark_json(
      {benchmark_row("BM_A", 5, R"(,"net_heap_growth":-64,"balance":-2,"note":"warm")")});
  EXPECT_THAT(figure_of(text, "BM_A net_heap_growth").samples, ElementsAre(-64));
  EXPECT_THAT(figure_of(text, "BM_A balance").samples, ElementsAre(-2));
  EXPECT_EQ(read(text)->figures.size(), 3U);
}

// Members of the rows of a complexity fit are names that a user may give to a counter.
TEST(GoogleBenchmarkJsonTest, ACounterNamedLikeAFitsMembersIsACounter) {
  for (const char* name : {"rms", "cpu_coefficient", "real_coefficient", "RMS", "BigO"}) {
    const std::string rest = fmt::format(R"(,"{}":0.5)", name);
    const std::string counter = fmt::format("BM_A {}", name);
    const std::string rows = benchmark_json(benchmark_rows("BM_A", {3, 1, 2}, rest));
    EXPECT_THAT(figure_of(rows, "BM_A").samples, ElementsAre(3, 1, 2)) << name;
    EXPECT_THAT(figure_of(rows, counter).samples, ElementsAre(0.5, 0.5, 0.5));
    const std::string aggregate = benchmark_json({fmt::format(
        R"({{"name":"BM_A_mean","run_name":"BM_A","run_type":"aggregate","repetitions":12,)"
        R"("aggregate_name":"mean","real_time":3,"cpu_time":3{}}})",
        rest)});
    EXPECT_EQ(figure_of(aggregate, counter).summary->mean, 0.5) << name;
    // Before version 1.5 rows had no type.
    const std::string old = benchmark_json(
        {fmt::format(R"({{"name":"BM_A","iterations":9,"real_time":3,"cpu_time":3{}}})", rest)});
    EXPECT_THAT(figure_of(old, counter).samples, ElementsAre(0.5)) << name;
  }
}

TEST(GoogleBenchmarkJsonTest, FitsOfOldVersionsAreKnownByTheirNamesAndMembers) {
  const std::string text = R"({"benchmarks":[
{"name":"BM_A/8","iterations":10,"real_time":5,"cpu_time":5},
{"name":"BM_A_BigO","cpu_coefficient":1.5,"real_coefficient":1.5,"big_o":"N","time_unit":"ns"},
{"name":"BM_A_RMS","rms":0.02}]})";
  const Expected<Measurement> measurement = read(text);
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->figures.size(), 1U);
}

std::string aggregate_row(const std::string& aggregate, double value) {
  return fmt::format(R"({{"name":"BM_A_{0}","run_name":"BM_A","run_type":"aggregate",)"
                     R"("repetitions":12,"aggregate_name":"{0}","iterations":12,)"
                     R"("real_time":{1},"cpu_time":{1},"time_unit":"us","rows/s":{1}}})",
                     aggregate, value);
}

TEST(GoogleBenchmarkJsonTest, AFileOfAggregatesOnlyGivesTheirSummary) {
  const std::string text = benchmark_json({aggregate_row("mean", 5), aggregate_row("median", 4),
                                           aggregate_row("stddev", 0.5), aggregate_row("cv", 0.1)});
  const Figure time = figure_of(text, "BM_A");
  ASSERT_TRUE(time.summary);
  EXPECT_EQ(time.summary->mean, 5'000);
  EXPECT_EQ(time.summary->median, 4'000);
  EXPECT_EQ(time.summary->deviation, 500);
  EXPECT_EQ(time.summary->count, 12U);
  EXPECT_EQ(figure_of(text, "BM_A rows/s").summary->median, 4);
}

TEST(GoogleBenchmarkJsonTest, AggregatesBesideRepetitionsAreLeftOut) {
  std::vector<std::string> rows = benchmark_rows("BM_A", {3, 1, 2}, R"(,"time_unit":"us")");
  rows.push_back(aggregate_row("mean", 5));
  const Expected<Measurement> measurement = read(benchmark_json(rows));
  ASSERT_TRUE(measurement);
  ASSERT_EQ(measurement->figures.size(), 1U);
  EXPECT_EQ(measurement->figures[0].samples.size(), 3U);
}

TEST(GoogleBenchmarkJsonTest, AggregatesOfOldVersionsAreKnownByTheirNames) {
  const std::string text = R"({"benchmarks":[
{"name":"BM_A_mean","iterations":10,"real_time":5,"cpu_time":5,"time_unit":"ns"},
{"name":"BM_A_median","iterations":10,"real_time":4,"cpu_time":4,"time_unit":"ns"},
{"name":"BM_A_stddev","iterations":10,"real_time":0,"cpu_time":0,"time_unit":"ns"}]})";
  EXPECT_EQ(figure_of(text, "BM_A").summary->count, 10U);
}

TEST(GoogleBenchmarkJsonTest, ABenchmarkThatEndedWithAnErrorHasItsReasonInsteadOfFigures) {
  const Expected<Measurement> measurement = read(benchmark_json(
      {benchmark_row("BM_A", 5),
       R"({"name":"BM_B","run_name":"BM_B","error_occurred":true,"error_message":"no file",
"real_time":0,"cpu_time":0,"time_unit":"ns"})"}));
  ASSERT_TRUE(measurement);
  EXPECT_EQ(measurement->figures.size(), 1U);
  ASSERT_EQ(measurement->failed.size(), 1U);
  EXPECT_EQ(measurement->failed[0].name, "BM_B");
  EXPECT_EQ(measurement->failed[0].reason, "no file");
}

TEST(MeasurementTest, RunsOfOneSideAddUpToMoreSamples) {
  Expected<Measurement> all = read(benchmark_json({benchmark_row("BM_A", 5)}));
  ASSERT_TRUE(add_run(*all, *read(benchmark_json({benchmark_row("BM_A", 6)}))));
  EXPECT_THAT(all->figures[0].samples, ElementsAre(5, 6));
  EXPECT_FALSE(add_run(*all, *read(bench_document().dump())));
}

TEST(MeasurementTest, RunsOfOneSideThatWereMadeOtherwiseAreRefused) {
  const std::vector<std::string> rows{benchmark_row("BM_A", 5)};
  Expected<Measurement> all = read(benchmark_json(rows, R"("num_cpus":2)"));
  const Expected<void> added = add_run(*all, *read(benchmark_json(rows, R"("num_cpus":4)")));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("machine.num_cpus (2 and 4)"));
}

TEST(MeasurementTest, ADeviceIsNoFileOfMeasurements) {
  const Expected<Measurement> endless = read_measurement_file("/dev/zero", BenchmarkTime::kReal);
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("/dev/zero is a device"));
}

TEST(MeasurementTest, RunsOfOneSideWithOtherJobsAreRefused) {
  nlohmann::ordered_json document = test_support::suite_document();
  Expected<Measurement> all = read(document.dump());
  document["suite"].erase(1);
  const Expected<void> added = add_run(*all, *read(document.dump()));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("the jobs of their suite"));
}

TEST(MeasurementTest, RepetitionsOfOneRunAreOneSampleAmongSeveral) {
  Expected<Measurement> run = read(benchmark_json(benchmark_rows("BM_A", {3, 1, 2})));
  reduce_to_one_sample(*run);
  EXPECT_THAT(run->figures[0].samples, ElementsAre(2));
}

TEST(MeasurementTest, ATextThatDiffersFromRunToRunIsAWrongResult) {
  nlohmann::ordered_json document = bench_document();
  Expected<Measurement> all = read(document.dump());
  document["counters"]["checksum"] = "0x2";
  ASSERT_TRUE(add_run(*all, *read(document.dump())));
  EXPECT_THAT(all->wrong, HasSubstr("0x1 and 0x2"));
}

}  // namespace
}  // namespace tidemark
