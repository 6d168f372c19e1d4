#include "tidemark/perf/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/benchmark_rows.h"

namespace tidemark {
namespace {

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
        Refusal{"bench_with_null_rate",
                R"({"schema":"tidemark-bench/2","machine":{},"build":{},"options":{},
"throughput":{"repeats":[{"rows_per_second":1},{"rows_per_second":null}]}})",
                {"base.json:2:", "rows_per_second is null"}},
        Refusal{
            "profile_without_cells",
            R"({"schema":"tidemark-profile/1","machine":{},"build":{},"options":{},"cells":[]})",
            {"cells is []"}},
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

TEST(TidemarkJsonTest, RepeatsPercentilesAndCountersAreFigures) {
  const std::string text =
      R"({"schema":"tidemark-bench/2","machine":{"cpus":2},"build":{"commit":"abc","flags":"-O3"},
"options":{"keys":10,"repeats":3},
"throughput":{"repeats":[{"rows_per_second":10,"rows_read":60,"cpu_seconds":3},
{"rows_per_second":12,"rows_read":60,"cpu_seconds":4}]},
"latency":{"event_time_to_result":{"p50":5,"p99":9},"watermark_to_result":{"p50":null}},
"counters":{"updates":3,"checksum":"0x1","instructions":100},
"suite":[{"name":"panes","counters":{"merges":4},"instructions":7,"rows_per_second":null,
"throughput":{"rows_per_second":[1,2]},"options":{}}],
"checks":{"right":true}})";
  const Expected<Measurement> read_text = read(text);
  ASSERT_TRUE(read_text) << read_text.error().message;
  EXPECT_EQ(read_text->commit, "abc");
  EXPECT_TRUE(read_text->wrong.empty());
  EXPECT_THAT(figure_of(text, "throughput").samples, ElementsAre(10, 12));
  EXPECT_THAT(figure_of(text, "throughput per CPU second").samples, ElementsAre(20, 15));
  EXPECT_TRUE(figure_of(text, "event_time_to_result p99").needs_runs);
  EXPECT_EQ(find_figure(*read_text, "watermark_to_result p50"), nullptr);
  EXPECT_EQ(figure_of(text, "updates").better, Better::kLower);
  EXPECT_EQ(figure_of(text, "checksum").text, "0x1");
  EXPECT_EQ(figure_of(text, "instructions").kind, FigureKind::kInstructions);
  EXPECT_THAT(figure_of(text, "panes merges").samples, ElementsAre(4));
  EXPECT_EQ(figure_of(text, "panes instructions").kind, FigureKind::kInstructions);
  EXPECT_THAT(figure_of(text, "panes throughput").samples, ElementsAre(1, 2));
}

TEST(TidemarkJsonTest, CellsOfAProfileHaveCountersAndRefusedOnesNothing) {
  const std::string text =
      R"({"schema":"tidemark-profile/1","machine":{},"build":{},"options":{},"cells":[
{"size_ms":3600000,"slide_ms":1000,"keys":10,"strategy":"two-stacks","updates_per_row":1,
"merges_per_slide":2.5,"live_entries":7,"state_bytes":70,"results":5,"checksum":"0x1",
"rows_per_second_samples":[8,9],"firing_ns":{"median":3,"p99":4},"refused":null},
{"size_ms":3600000,"slide_ms":1000,"keys":10,"strategy":"subtract","updates_per_row":null,
"refused":"max cannot be subtracted"}]})";
  const std::string cell = "size=1h slide=1s keys=10 two-stacks ";
  EXPECT_THAT(figure_of(text, cell + "merges_per_slide").samples, ElementsAre(2.5));
  EXPECT_EQ(figure_of(text, cell + "merges_per_slide").better, Better::kLower);
  EXPECT_EQ(figure_of(text, cell + "results").better, Better::kEqual);
  EXPECT_EQ(figure_of(text, cell + "checksum").text, "0x1");
  EXPECT_THAT(figure_of(text, cell + "throughput").samples, ElementsAre(8, 9));
  EXPECT_TRUE(figure_of(text, cell + "throughput").needs_runs);
  EXPECT_THAT(figure_of(text, cell + "firing p99").samples, ElementsAre(4));
  EXPECT_EQ(read(text)->figures.size(), 9U);
}

TEST(TidemarkJsonTest, ARunThatFoundItsOwnResultsWrongSaysSo) {
  const Expected<Measurement> measurement =
      read(R"({"schema":"tidemark-bench/2","machine":{},"build":{},"options":{},
"checks":{"right":false}})");
  ASSERT_TRUE(measurement);
  EXPECT_THAT(measurement->wrong, HasSubstr("base.json:2:"));
}

TEST(MeasurementTest, RunsOfOneSideAddUpToMoreSamples) {
  Expected<Measurement> all = read(benchmark_json({benchmark_row("BM_A", 5)}));
  ASSERT_TRUE(add_run(*all, *read(benchmark_json({benchmark_row("BM_A", 6)}))));
  EXPECT_THAT(all->figures[0].samples, ElementsAre(5, 6));
  EXPECT_FALSE(add_run(*all, *read(R"({"schema":"tidemark-bench/2","machine":{},"build":{},
"options":{}})")));
}

TEST(MeasurementTest, RunsOfOneSideThatWereMadeOtherwiseAreRefused) {
  const std::vector<std::string> rows{benchmark_row("BM_A", 5)};
  Expected<Measurement> all = read(benchmark_json(rows, R"("num_cpus":2)"));
  const Expected<void> added = add_run(*all, *read(benchmark_json(rows, R"("num_cpus":4)")));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("machine.num_cpus (2 and 4)"));
}

TEST(MeasurementTest, RepetitionsOfOneRunAreOneSampleAmongSeveral) {
  Expected<Measurement> run = read(benchmark_json(benchmark_rows("BM_A", {3, 1, 2})));
  reduce_to_one_sample(*run);
  EXPECT_THAT(run->figures[0].samples, ElementsAre(2));
}

TEST(MeasurementTest, ATextThatDiffersFromRunToRunIsAWrongResult) {
  const std::string text = R"({"schema":"tidemark-bench/2","machine":{},"build":{},"options":{},
"counters":{"checksum":"0x1"}})";
  std::string other = text;
  other.replace(other.find("0x1"), 3, "0x2");
  Expected<Measurement> all = read(text);
  ASSERT_TRUE(add_run(*all, *read(other)));
  EXPECT_THAT(all->wrong, HasSubstr("0x1 and 0x2"));
}

}  // namespace
}  // namespace tidemark
