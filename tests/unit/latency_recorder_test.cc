#include "tidemark/perf/latency_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/perf/percentile_text.h"

namespace tidemark {
namespace {

LatencyRecorder record(const std::vector<std::int64_t>& values) {
  LatencyRecorder recorder;
  for (const std::int64_t value : values) recorder.record(value);
  return recorder;
}

// The definition itself: the smallest value with at least `per_million` / 1e6 of all at or below.
std::int64_t percentile_by_sorting(std::vector<std::int64_t> values, std::uint64_t per_million) {
  std::sort(values.begin(), values.end());
  const std::uint64_t rank = (per_million * values.size() + 999'999) / 1'000'000;
  return values[std::max<std::uint64_t>(rank, 1) - 1];
}

struct ExactCase {
  const char* name;
  std::vector<std::int64_t> values;
  std::vector<std::pair<double, std::int64_t>> percentiles;
};

class ExactPercentileTest : public testing::TestWithParam<ExactCase> {};

TEST_P(ExactPercentileTest, SmallestValueWithThatShareAtOrBelow) {
  const LatencyRecorder recorder = record(GetParam().values);
  for (const auto& [percent, value] : GetParam().percentiles) {
    EXPECT_EQ(recorder.percentile(percent), value) << "p" << percent;
  }
}

std::vector<std::int64_t> twice(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; ++value) values.insert(values.end(), 2, value);
  return values;
}

INSTANTIATE_TEST_SUITE_P(
    LowCounts, ExactPercentileTest,
    testing::Values(
        ExactCase{"five", {1, 2, 2, 2, 2}, {{0, 1}, {20, 1}, {25, 2}, {50, 2}, {100, 2}}},
        ExactCase{"two", {1, 2}, {{50, 1}, {50.1, 2}}},
        ExactCase{"one", {7}, {{0, 7}, {0.01, 7}, {50, 7}, {99.99, 7}, {100, 7}}},
        ExactCase{"ten", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {{99, 10}, {90, 9}, {10, 1}}},
        ExactCase{"equal", {1000, 1000}, {{0, 1000}, {0.01, 1000}}},
        ExactCase{"half_a_percent", twice(90, 100), {{50, 95}, {90, 99}, {0.5, 90}}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(LatencyRecorderTest, WithoutValuesThereIsNoFigure) {
  const LatencyRecorder recorder;
  EXPECT_EQ(recorder.count(), 0U);
  EXPECT_EQ(recorder.min(), std::nullopt);
  EXPECT_EQ(recorder.max(), std::nullopt);
  EXPECT_EQ(recorder.mean(), std::nullopt);
  EXPECT_EQ(recorder.percentile(50), std::nullopt);
  EXPECT_EQ(recorder.percentile(99), std::nullopt);
}

struct SampleCase {
  const char* name;
  std::function<std::int64_t(std::mt19937_64&, std::size_t)> value;
};

class SampledPercentileTest : public testing::TestWithParam<SampleCase> {};

TEST_P(SampledPercentileTest, AgreesWithASortedArrayToThreeDigits) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1U, 2U, 3U, 10U, 99U, 1'000U, 20'000U}) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(GetParam().value(random, i));
    const LatencyRecorder recorder = record(values);
    for (const std::uint64_t per_million : {0U, 1U, 5'000U, 250'000U, 333'333U, 500'000U, 900'000U,
                                            990'000U, 999'000U, 999'900U, 1'000'000U}) {
      const std::int64_t right = percentile_by_sorting(values, per_million);
      const std::int64_t got = *recorder.percentile(static_cast<double>(per_million) / 1e4);
      EXPECT_GE(got, right) << size << " values, " << per_million;
      EXPECT_LE(static_cast<double>(got - right), static_cast<double>(right) / 1000)
          << size << " values, " << per_million;
    }
    EXPECT_EQ(recorder.min(), *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(recorder.max(), *std::max_element(values.begin(), values.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Samples, SampledPercentileTest,
    testing::Values(SampleCase{"evenly",
                               [](auto& random, std::size_t) {
                                 return static_cast<std::int64_t>(random() % 3'600'000'000'000);
                               }},
                    SampleCase{"over_all_magnitudes",
                               [](auto& random, std::size_t) {
                                 return std::min(
                                     LatencyRecorder::kLongest,
                                     static_cast<std::int64_t>(random() >> (22 + random() % 42)));
                               }},
                    SampleCase{"around_powers_of_two",
                               [](auto& random, std::size_t i) {
                                 return (std::int64_t{1} << (i % 41)) +
                                        static_cast<std::int64_t>(random() % 3) -
                                        (i % 41 > 0 ? 1 : 0);
                               }},
                    SampleCase{"one_far_outlier",
                               [](auto&, std::size_t i) {
                                 return i == 0 ? LatencyRecorder::kLongest : std::int64_t{1'000};
                               }},
                    SampleCase{"two_values",
                               [](auto&, std::size_t i) {
                                 return i % 2 == 0 ? std::int64_t{2'047} : std::int64_t{2'048'001};
                               }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(LatencyRecorderTest, MergingIsRecordingInOne) {
  std::mt19937_64 random(3);
  LatencyRecorder one;
  LatencyRecorder parts[3];
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(random() % 50'000'000);
    one.record(value, 1 + static_cast<std::uint64_t>(i) % 3);
    parts[i % 3].record(value, 1 + static_cast<std::uint64_t>(i) % 3);
  }
  LatencyRecorder merged;
  for (const LatencyRecorder& part : parts) merged.merge(part);
  EXPECT_EQ(merged.count(), one.count());
  EXPECT_EQ(merged.min(), one.min());
  EXPECT_EQ(merged.max(), one.max());
  EXPECT_EQ(percentile_text(merged), percentile_text(one));
}

TEST(LatencyRecorderTest, AWeightCountsAsThatManyValues) {
  LatencyRecorder recorder;
  recorder.record(10, 99);
  recorder.record(20, 1);
  recorder.record(30, 0);
  EXPECT_EQ(recorder.count(), 100U);
  EXPECT_EQ(recorder.percentile(99), 10);
  EXPECT_EQ(recorder.percentile(99.5), 20);
  EXPECT_EQ(recorder.max(), 20);
}

TEST(LatencyRecorderTest, ValuesBeyondTheRangeAreHeldAtItsEnds) {
  const LatencyRecorder recorder = record({-5, 2 * LatencyRecorder::kLongest});
  EXPECT_EQ(recorder.min(), 0);
  EXPECT_EQ(recorder.max(), LatencyRecorder::kLongest);
}

TEST(LatencyRecorderTest, MeanAndDeviationAreWithinBucketWidth) {
  const LatencyRecorder recorder = record({1'000'000, 3'000'000});
  EXPECT_NEAR(*recorder.mean(), 2e6, 2e3);
  EXPECT_NEAR(*recorder.standard_deviation(), 1e6, 2e3);
}

TEST(PercentileTextTest, IsTheClassicFormat) {
  const LatencyRecorder recorder = record({600'000, 1'400'000});
  EXPECT_EQ(percentile_text(recorder),
            "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
            "       0.600 0.000000000000          1           1.00\n"
            "       0.600 0.100000000000          1           1.11\n"
            "       0.600 0.200000000000          1           1.25\n"
            "       0.600 0.300000000000          1           1.43\n"
            "       0.600 0.400000000000          1           1.67\n"
            "       0.600 0.500000000000          1           2.00\n"
            "       1.400 0.550000000000          2           2.22\n"
            "       1.400 1.000000000000          2\n"
            "#[Mean    =        1.000, StdDeviation   =        0.400]\n"
            "#[Max     =        1.400, Total count    =            2]\n"
            "#[Buckets =           32, SubBuckets     =         2048]\n");
}

TEST(PercentileTextTest, WithoutValuesHasNoLines) {
  EXPECT_EQ(percentile_text(LatencyRecorder()).find("0.000000000000"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
