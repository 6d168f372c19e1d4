#include "tidemark/perf/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "support/benchmark_rows.h"
#include "support/tidemark_documents.h"
#include "tidemark/perf/confirmation.h"

namespace tidemark {
namespace {

using Json = nlohmann::ordered_json;
using test_support::bench_document;
using test_support::benchmark_json;
using test_support::benchmark_row;
using test_support::benchmark_rows;
using test_support::steady_rows;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Measurement read(const std::string& text, const std::string& source) {
  Expected<Measurement> measurement = read_measurement(text, source, BenchmarkTime::kReal);
  EXPECT_TRUE(measurement) << measurement.error().message;
  return measurement ? *measurement : Measurement{};
}

Comparison compare_texts(const std::string& base, const std::string& next,
                         const CompareOptions& options = {}) {
  return compare(read(base, "base.json"), read(next, "new.json"), options);
}

Comparison compare_rows(const std::vector<std::string>& base, const std::vector<std::string>& next,
                        const CompareOptions& options = {}) {
  return compare_texts(benchmark_json(base), benchmark_json(next), options);
}

std::vector<std::string> names_of(const Comparison& comparison, Verdict verdict) {
  std::vector<std::string> names;
  for (const FigureComparison& figure : comparison.figures) {
    if (figure.verdict == verdict) names.push_back(figure.name);
  }
  return names;
}

CompareOptions at_threshold(double threshold) {
  CompareOptions options;
  options.threshold = threshold;
  return options;
}

TEST(ComparisonTest, RepetitionsOfOneNameAreComparedByTheirMedians) {
  const Comparison comparison = compare_rows(
      steady_rows("BM_X", 10), benchmark_rows("BM_X", {10, 12, 14, 16, 20, 20, 24, 26, 28, 30}));
  ASSERT_EQ(comparison.figures.size(), 1U);
  EXPECT_DOUBLE_EQ(*comparison.figures[0].change, 1.0);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kRegressed);
}

TEST(ComparisonTest, ThreeRepetitionsThatDoubleAreARegressionWhereThreeAreSaidToBeEnough) {
  CompareOptions options;
  options.min_runs = 3;
  const Comparison comparison = compare_rows(benchmark_rows("BM_X", {10, 10, 10}),
                                             benchmark_rows("BM_X", {10, 20, 30}), options);
  EXPECT_DOUBLE_EQ(*comparison.figures[0].change, 1.0);
  EXPECT_EQ(comparison.figures[0].verdict, Verdict::kRegressed);
  EXPECT_THAT(comparison.figures[0].reason, HasSubstr("the threshold decided"));
}

TEST(ComparisonTest, TooFewSamplesAreNeverNoRegression) {
  const Comparison comparison =
      compare_rows(benchmark_rows("BM_X", {10, 10, 10}), benchmark_rows("BM_X", {10, 10, 10}));
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kNotComparable);
  EXPECT_THAT(comparison.not_comparable, HasSubstr("\"BM_X\" has 3 samples"));
  EXPECT_THAT(comparison.not_comparable, HasSubstr("--benchmark_repetitions=10"));
}

TEST(ComparisonTest, TooFewSamplesAreToldWithTheOptionThatMakesMore) {
  const std::vector<std::string> rows = benchmark_rows("BM_X", {10});
  const std::string alone = compare_rows(rows, rows).not_comparable;
  EXPECT_THAT(alone, HasSubstr("\"BM_X\" has 1 sample in base.json and 1 in new.json"));
  EXPECT_THAT(alone, HasSubstr("--repeat 10 or --benchmark_repetitions=10"));
  CompareOptions options;
  options.paired = true;
  const std::string in_turn = compare_rows(rows, rows, options).not_comparable;
  EXPECT_THAT(in_turn, HasSubstr("measure with --runs 10"));
  EXPECT_EQ(in_turn.find("--repeat"), std::string::npos);
}

TEST(ComparisonTest, SamplesThatCannotTellThatManyFiguresApartAreTooFew) {
  std::vector<std::string> base;
  for (int i = 0; i < 10; ++i) {
    const auto rows = benchmark_rows(fmt::format("BM_{}", i), {1, 2, 3, 4, 5});
    base.insert(base.end(), rows.begin(), rows.end());
  }
  CompareOptions options;
  options.min_runs = 5;
  EXPECT_THAT(compare_rows(base, base, options).not_comparable, HasSubstr("10 figures at once"));
}

TEST(ComparisonTest, ABenchmarkOnlyTheNewSideHasIsListedAndNoFailure) {
  std::vector<std::string> next = steady_rows("BM_A", 10);
  const auto added = steady_rows("BM_B", 10);
  next.insert(next.end(), added.begin(), added.end());
  const Comparison comparison = compare_rows(steady_rows("BM_A", 10), next);
  EXPECT_THAT(names_of(comparison, Verdict::kAdded), ElementsAre("BM_B"));
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
}

TEST(ComparisonTest, ABenchmarkThatTheNewSideLacksFailsUnlessAllowed) {
  std::vector<std::string> base = steady_rows("BM_A", 10);
  const auto missing = steady_rows("BM_B", 10);
  base.insert(base.end(), missing.begin(), missing.end());
  CompareOptions options;
  const Comparison comparison = compare_rows(base, steady_rows("BM_A", 10), options);
  EXPECT_THAT(names_of(comparison, Verdict::kMissing), ElementsAre("BM_B"));
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kRegressed);
  options.allow_missing = true;
  EXPECT_EQ(compare_rows(base, steady_rows("BM_A", 10), options).verdict(), OverallVerdict::kSame);
}

TEST(ComparisonTest, TheSameTimeInAnotherUnitIsNoChange) {
  const Comparison comparison = compare_rows(steady_rows("BM_X", 1.0, R"(,"time_unit":"us")"),
                                             steady_rows("BM_X", 1000, R"(,"time_unit":"ns")"));
  EXPECT_EQ(*comparison.figures[0].change, 0);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
}

struct Direction {
  const char* name;
  const char* counter;
  double base;
  double next;
  Verdict verdict;
  double change;
};
class DirectionTest : public testing::TestWithParam<Direction> {};

TEST_P(DirectionTest, MoreThroughputIsGoodAndMoreLatencyIsBad) {
  const auto rows = [&](double value) {
    return steady_rows("BM_X", 5, fmt::format(R"(,"{}":{})", GetParam().counter, value));
  };
  const Comparison comparison = compare_rows(rows(GetParam().base), rows(GetParam().next));
  const FigureComparison& figure = comparison.figures.at(1);
  EXPECT_EQ(figure.verdict, GetParam().verdict);
  EXPECT_NEAR(*figure.change, GetParam().change, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Figures, DirectionTest,
    testing::Values(
        Direction{"throughput_up", "items_per_second", 1000, 2000, Verdict::kImproved, 1},
        Direction{"throughput_down", "items_per_second", 2000, 1000, Verdict::kRegressed, -0.5},
        Direction{"latency_up", "p99_ms", 10, 20, Verdict::kRegressed, 1},
        Direction{"latency_down", "p99_ms", 20, 10, Verdict::kImproved, -0.5},
        Direction{"unknown_counter_up", "slices", 10, 11, Verdict::kRegressed, 0.1},
        Direction{"unknown_counter_down", "slices", 10, 5, Verdict::kRegressed, -0.5}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ComparisonTest, OneSlowRepetitionIsNoRegression) {
  std::vector<double> times(9, 100);
  times.push_back(220);
  const Comparison comparison =
      compare_rows(steady_rows("BM_X", 100), benchmark_rows("BM_X", times), at_threshold(0.1));
  EXPECT_EQ(*comparison.figures[0].change, 0);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
}

// Sum of twelve uniform numbers, less 6: close to normal, and the same with every library.
double noise(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

// 200 benchmarks of ten repetitions around 100 with a deviation of 3; one may be slower.
std::vector<std::string> noisy_benchmarks(std::uint64_t seed, std::size_t slower, double factor) {
  std::mt19937_64 random(seed);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<double> times;
    for (int k = 0; k < 10; ++k) {
      times.push_back((100 + 3 * noise(random)) * (i == slower ? factor : 1));
    }
    const auto more = benchmark_rows(fmt::format("BM_{}", i), times);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

TEST(ComparisonTest, ManyUnchangedBenchmarksRaiseNoAlarm) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Comparison comparison = compare_rows(
        noisy_benchmarks(2 * seed, 0, 1), noisy_benchmarks(2 * seed + 1, 0, 1), at_threshold(0.1));
    EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame) << seed;
  }
}

TEST(ComparisonTest, ManyUnchangedBenchmarksRaiseHardlyAnyAlarmByTheTestAlone) {
  // Without a threshold only the correction for many comparisons keeps noise out.
  std::size_t alarms = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Comparison comparison = compare_rows(
        noisy_benchmarks(2 * seed, 0, 1), noisy_benchmarks(2 * seed + 1, 0, 1), at_threshold(0));
    if (comparison.verdict() != OverallVerdict::kSame) ++alarms;
  }
  // 5 % of 40, and three standard deviations.
  EXPECT_LE(alarms, 6U);
}

TEST(ComparisonTest, TheOneSlowerAmongManyIsFoundAndOnlyThat) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Comparison comparison =
        compare_rows(noisy_benchmarks(2 * seed, 0, 1), noisy_benchmarks(2 * seed + 1, 77, 1.15),
                     at_threshold(0.1));
    EXPECT_THAT(names_of(comparison, Verdict::kRegressed), ElementsAre("BM_77")) << seed;
  }
}

TEST(ComparisonTest, AChangeBelowTheThresholdIsNoneHoweverSure) {
  std::vector<double> base, next;
  for (int i = 0; i < 10; ++i) {
    base.push_back(100 + 0.1 * i);
    next.push_back(1.056 * (100 + 0.1 * i));
  }
  const auto compare_at = [&](double threshold) {
    return compare_rows(benchmark_rows("BM_X", base), benchmark_rows("BM_X", next),
                        at_threshold(threshold));
  };
  const Comparison comparison = compare_at(0.1);
  EXPECT_LT(*comparison.figures[0].p_value, 0.002);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
  EXPECT_EQ(compare_at(0.05).verdict(), OverallVerdict::kRegressed);
}

TEST(ComparisonTest, EveryRegressionAndImprovementIsListed) {
  std::vector<std::string> base, next;
  for (const auto& [name, after] :
       std::vector<std::pair<const char*, double>>{{"a", 20}, {"b", 5}, {"c", 10}, {"d", 30}}) {
    const auto before_rows = steady_rows(name, 10), after_rows = steady_rows(name, after);
    base.insert(base.end(), before_rows.begin(), before_rows.end());
    next.insert(next.end(), after_rows.begin(), after_rows.end());
  }
  const Comparison comparison = compare_rows(base, next);
  EXPECT_THAT(names_of(comparison, Verdict::kRegressed), ElementsAre("a", "d"));
  EXPECT_THAT(names_of(comparison, Verdict::kImproved), ElementsAre("b"));
  EXPECT_THAT(names_of(comparison, Verdict::kSame), ElementsAre("c"));
}

TEST(ComparisonTest, OtherMachinesBuildsAndOptionsAreRefusedUnlessAllowed) {
  const std::string base = benchmark_json(
      steady_rows("BM_X", 1), R"("num_cpus":2,"library_build_type":"release","mhz_per_cpu":2400)");
  const std::string next = benchmark_json(
      steady_rows("BM_X", 1), R"("num_cpus":4,"library_build_type":"debug","mhz_per_cpu":2410)");
  const Comparison refused = compare_texts(base, next);
  EXPECT_EQ(refused.verdict(), OverallVerdict::kNotComparable);
  EXPECT_THAT(refused.not_comparable, HasSubstr("machine.num_cpus (2 and 4)"));
  EXPECT_THAT(refused.not_comparable, HasSubstr("library_build_type (release and debug)"));
  EXPECT_EQ(refused.not_comparable.find("mhz"), std::string::npos);
  EXPECT_THAT(refused.figures, IsEmpty());

  CompareOptions options;
  options.allow_different = true;
  const Comparison allowed = compare_texts(base, next, options);
  EXPECT_EQ(allowed.verdict(), OverallVerdict::kSame);
  EXPECT_THAT(allowed.notes, ElementsAre(HasSubstr("machine.num_cpus")));
}

std::string failed_row(const std::string& name) {
  return fmt::format(R"({{"name":"{0}","run_name":"{0}","error_occurred":true,
"error_message":"no data","real_time":0,"cpu_time":0}})",
                     name);
}

TEST(ComparisonTest, ABenchmarkThatFailsOnlyNowIsMissingWithItsReason) {
  std::vector<std::string> base = steady_rows("BM_A", 1);
  const auto fine = steady_rows("BM_B", 1);
  base.insert(base.end(), fine.begin(), fine.end());
  std::vector<std::string> next = steady_rows("BM_A", 1);
  next.push_back(failed_row("BM_B"));
  const Comparison comparison = compare_rows(base, next);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kRegressed);
  EXPECT_THAT(comparison.figures.at(1).reason, HasSubstr("no data"));
}

TEST(ComparisonTest, ABenchmarkThatFailedInTheBaseHasNothingToBeHeldAgainst) {
  const std::vector<std::string> fine = steady_rows("BM_A", 1);
  std::vector<std::string> next = fine;
  for (const std::string& row : steady_rows("BM_B", 1, R"(,"items_per_second":5)")) {
    next.push_back(row);
  }
  // Whether all of its repetitions failed, or one did.
  for (const int whole : {0, 9}) {
    std::vector<std::string> base = fine;
    base.push_back(failed_row("BM_B"));
    base.insert(base.end(), next.begin() + 10, next.begin() + 10 + whole);
    const Comparison comparison = compare_rows(base, next);
    EXPECT_EQ(comparison.verdict(), OverallVerdict::kNotComparable);
    EXPECT_THAT(comparison.not_comparable, HasSubstr("\"BM_B\" failed in base.json (no data)"));
    EXPECT_THAT(names_of(comparison, Verdict::kInvalid),
                ElementsAre("BM_B", "BM_B items_per_second"));
    CompareOptions options;
    options.ignore = {"BM_B*"};
    EXPECT_EQ(compare_rows(base, next, options).verdict(), OverallVerdict::kSame);
  }
}

TEST(ComparisonTest, ABenchmarkThatFailedInTheBaseAndIsGoneIsMissing) {
  std::vector<std::string> base = steady_rows("BM_A", 1);
  base.push_back(failed_row("BM_B"));
  const Comparison comparison = compare_rows(base, steady_rows("BM_A", 1));
  EXPECT_THAT(names_of(comparison, Verdict::kMissing), ElementsAre("BM_B"));
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kRegressed);
}

TEST(ComparisonTest, ABenchmarkThatFailsOnBothSidesCannotBeJudged) {
  std::vector<std::string> rows = steady_rows("BM_A", 1);
  rows.push_back(failed_row("BM_B"));
  const Comparison comparison = compare_rows(rows, rows);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kNotComparable);
  EXPECT_THAT(comparison.not_comparable, HasSubstr("\"BM_B\" failed in new.json (no data)"));
}

std::vector<std::string> aggregate_rows(double mean, double deviation) {
  std::vector<std::string> rows;
  for (const auto& [name, value] : std::vector<std::pair<const char*, double>>{
           {"mean", mean}, {"median", mean}, {"stddev", deviation}}) {
    rows.push_back(fmt::format(R"({{"name":"BM_A_{0}","run_name":"BM_A","run_type":"aggregate",
"repetitions":10,"aggregate_name":"{0}","real_time":{1},"cpu_time":{1}}})",
                               name, value));
  }
  return rows;
}

TEST(ComparisonTest, AggregatesAloneAreJudgedByTheirMeansAndDeviations) {
  EXPECT_EQ(compare_rows(aggregate_rows(100, 3), aggregate_rows(115, 3)).verdict(),
            OverallVerdict::kRegressed);
  EXPECT_EQ(compare_rows(aggregate_rows(100, 30), aggregate_rows(115, 30)).verdict(),
            OverallVerdict::kSame);
}

// With these counters only.
std::string bench_json(const std::string& counters) {
  Json document = bench_document();
  document["counters"] = Json::parse("{" + counters + "}");
  return document.dump();
}

// Throughput has too few samples here.
Comparison compare_counters(const std::string& base, const std::string& next) {
  CompareOptions options;
  options.counters_only = true;
  return compare_texts(base, next, options);
}

TEST(ComparisonTest, CountersAreComparedExactly) {
  const std::string base = bench_json(R"("updates":1000000,"results":50)");
  EXPECT_EQ(compare_counters(base, base).verdict(), OverallVerdict::kSame);
  EXPECT_THAT(names_of(compare_counters(base, bench_json(R"("updates":1000001,"results":50)")),
                       Verdict::kRegressed),
              ElementsAre("updates"));
  EXPECT_THAT(names_of(compare_counters(base, bench_json(R"("updates":999999,"results":50)")),
                       Verdict::kImproved),
              ElementsAre("updates"));
  EXPECT_THAT(names_of(compare_counters(base, bench_json(R"("updates":1000000,"results":49)")),
                       Verdict::kRegressed),
              ElementsAre("results"));
}

TEST(ComparisonTest, InstructionsMayMoveWithinTheirTolerance) {
  const auto verdict = [](double instructions) {
    return compare_counters(bench_json(R"("instructions":1000)"),
                            bench_json(fmt::format(R"("instructions":{})", instructions)))
        .verdict();
  };
  EXPECT_EQ(verdict(1020), OverallVerdict::kSame);
  EXPECT_EQ(verdict(1021), OverallVerdict::kRegressed);
  EXPECT_EQ(verdict(970), OverallVerdict::kImproved);
}

TEST(ComparisonTest, AnotherChecksumIsAWrongResult) {
  const Comparison comparison =
      compare_texts(bench_json(R"("checksum":"0x1")"), bench_json(R"("checksum":"0x2")"));
  EXPECT_THAT(comparison.wrong, HasSubstr("0x2"));
}

TEST(ComparisonTest, OnePercentileARunIsReportedAndNotJudged) {
  const auto with_p99 = [](int p99) {
    Json document = bench_document();
    document["latency"]["event_time_to_result"]["p99"] = p99;
    return document.dump();
  };
  CompareOptions options;
  options.only = {"event_time_to_result p99"};
  const Comparison comparison = compare_texts(with_p99(5), with_p99(50), options);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
  EXPECT_THAT(comparison.figures.at(0).reason, HasSubstr("reported only"));
  EXPECT_THAT(comparison.notes, ElementsAre(HasSubstr("no figure was judged")));
}

TEST(ComparisonTest, WhereOnlyCountersAreGatedTimingsAreReported) {
  CompareOptions options;
  options.counters_only = true;
  const Comparison comparison =
      compare_rows(benchmark_rows("BM_X", {1}, R"(,"slices":3)"),
                   benchmark_rows("BM_X", {9}, R"(,"slices":3)"), options);
  EXPECT_EQ(comparison.verdict(), OverallVerdict::kSame);
  EXPECT_DOUBLE_EQ(*comparison.figures.at(0).change, 8);
}

TEST(ComparisonTest, PairsFindASmallChangeUnderCommonNoise) {
  // Both sides of a pair meet the same slow phases of the machine, which move by half.
  std::mt19937_64 random(4);
  std::vector<double> base, next;
  for (int i = 0; i < 10; ++i) {
    const double phase = 100 * std::exp(0.4 * noise(random));
    base.push_back(phase * std::exp(0.01 * noise(random)));
    next.push_back(1.05 * phase * std::exp(0.01 * noise(random)));
  }
  CompareOptions options = at_threshold(0.025);
  EXPECT_EQ(
      compare_rows(benchmark_rows("BM_X", base), benchmark_rows("BM_X", next), options).verdict(),
      OverallVerdict::kSame);
  options.paired = true;
  EXPECT_EQ(
      compare_rows(benchmark_rows("BM_X", base), benchmark_rows("BM_X", next), options).verdict(),
      OverallVerdict::kRegressed);
}

TEST(ComparisonTest, AnAlarmThatFurtherRunsDoNotShowIsTakenBack) {
  const std::vector<std::string> base = steady_rows("BM_X", 10);
  Comparison alarm = compare_rows(base, steady_rows("BM_X", 11));
  EXPECT_THAT(alarmed_timings(alarm), ElementsAre("BM_X"));
  Comparison kept = alarm;
  confirm(kept, compare_rows(base, steady_rows("BM_X", 12)));
  EXPECT_EQ(kept.verdict(), OverallVerdict::kRegressed);
  confirm(alarm, compare_rows(base, steady_rows("BM_X", 10.1)));
  EXPECT_EQ(alarm.verdict(), OverallVerdict::kSame);
  EXPECT_THAT(alarm.figures.at(0).reason, HasSubstr("not confirmed"));
}

TEST(ComparisonTest, PatternsChooseFiguresAndDirections) {
  const auto rows = [](double growth) {
    std::vector<std::string> all;
    for (int i = 0; i < 10; ++i) {
      all.push_back(benchmark_row("BM_X", 5, fmt::format(R"(,"depth":{})", growth * (50 + i))));
    }
    return all;
  };
  // Nobody knows whether more depth is good, and it varies.
  EXPECT_EQ(compare_rows(rows(1), rows(2)).verdict(), OverallVerdict::kSame);
  CompareOptions options;
  options.lower = {"* depth"};
  EXPECT_THAT(names_of(compare_rows(rows(1), rows(2), options), Verdict::kRegressed),
              ElementsAre("BM_X depth"));
  options.ignore = {"* depth"};
  EXPECT_EQ(compare_rows(rows(1), rows(2), options).figures.size(), 1U);
}

}  // namespace
}  // namespace tidemark
