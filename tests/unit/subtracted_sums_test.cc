// Sums of doubles from which rows leave again, over a day of windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "support/query_run.h"
#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kWindowSeconds = 60;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

WindowQuery sums() {
  WindowQuery query;
  query.values = {{"x", ColumnType::kDouble}};
  query.windows = {sliding(std::chrono::seconds(kWindowSeconds), std::chrono::seconds(1))};
  query.aggregates = {{AggregateFunction::kSum, 0, "sum"}, {AggregateFunction::kAvg, 0, "avg"}};
  query.strategy = Strategy::kSubtract;
  return query;
}

// Rows of one second each; results in order of their windows, which end after 1, 2, ... seconds.
std::vector<ResultRow> run(const std::vector<double>& values) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows.push_back({static_cast<EventTime>(i) * 1000, {values[i]}});
  }
  return run_query(sums(), {rows}, {}).results;
}

// Values of like sign: no digits cancel out, so a plain sum of more precision is exact enough.
double fresh_sum(const std::vector<double>& values, std::int64_t end) {
  const auto last = std::min<std::int64_t>(end, static_cast<std::int64_t>(values.size()));
  long double sum = 0;
  for (std::int64_t i = std::max<std::int64_t>(end - kWindowSeconds, 0); i < last; ++i) {
    sum += values[static_cast<std::size_t>(i)];
  }
  return static_cast<double>(sum);
}

void expect_near(double actual, double fresh, std::int64_t window) {
  if (std::isnan(fresh)) {
    EXPECT_TRUE(std::isnan(actual)) << window;
  } else if (std::isinf(fresh)) {
    EXPECT_EQ(actual, fresh) << window;
  } else {
    EXPECT_LE(std::fabs(actual - fresh), 1e-12 * std::fabs(fresh)) << window << " " << fresh;
  }
}

void expect_fresh_sums(const std::vector<double>& values) {
  const std::vector<ResultRow> results = run(values);
  ASSERT_EQ(results.size(), values.size() + kWindowSeconds - 1);
  for (std::size_t i = 0; i < results.size() && !::testing::Test::HasFailure(); ++i) {
    const auto end = static_cast<std::int64_t>(i) + 1;
    expect_near(std::get<double>(results[i].aggregates[0]), fresh_sum(values, end), end);
  }
}

double moderate(std::mt19937_64& random) {
  return std::exp(std::uniform_real_distribution<double>(-7, 7)(random));
}

TEST(SubtractedSums, ADayOfModerateValuesDoesNotDrift) {
  std::mt19937_64 random(1);
  std::vector<double> values(kDaySeconds);
  for (double& value : values) value = moderate(random);
  expect_fresh_sums(values);
}

TEST(SubtractedSums, WhatHugeValuesRoundedAwayComesBackWhenTheyLeave) {
  std::mt19937_64 random(2);
  std::vector<double> values(kDaySeconds);
  for (double& value : values) {
    value = moderate(random);
    if (random() % 50 != 0) continue;
    constexpr double kHuge[] = {1e9, 1e16, 3e16, 1e31, 1e100, 1e300};
    value *= kHuge[random() % std::size(kHuge)];
  }
  expect_fresh_sums(values);
}

TEST(SubtractedSums, NanAndInfinitiesLeaveWithTheirRows) {
  std::mt19937_64 random(3);
  std::vector<double> values(kDaySeconds);
  for (double& value : values) {
    value = moderate(random);
    if (random() % 100 != 0) continue;
    constexpr double kOdd[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                               1e16};
    value = kOdd[random() % std::size(kOdd)];
  }
  expect_fresh_sums(values);
}

TEST(SubtractedSums, ASumThatOverflowsComesBackToItsRange) {
  std::vector<double> values(200, 1.5);
  values[20] = values[30] = 1.5e308;
  const std::vector<ResultRow> results = run(values);
  EXPECT_EQ(std::get<double>(results[25].aggregates[0]), 1.5e308);
  EXPECT_EQ(std::get<double>(results[40].aggregates[0]), kInfinity);
  EXPECT_EQ(std::get<double>(results[85].aggregates[0]), 1.5e308);
  EXPECT_EQ(std::get<double>(results[95].aggregates[0]), 1.5 * kWindowSeconds);
}

TEST(SubtractedSums, ASliceMayOverflowByItself) {
  for (const double sign : {1.0, -1.0}) {
    std::vector<Row> rows;
    for (EventTime second = 0; second < 200; ++second) rows.push_back({second * 1000, {1.5}});
    for (int i = 0; i < 2; ++i) rows.push_back({20'500, {sign * 1.5e308}});
    std::ranges::stable_sort(rows, {}, &Row::time);
    const std::vector<ResultRow> results = run_query(sums(), {rows}, {}).results;
    for (const std::size_t aggregate : {0U, 1U}) {
      EXPECT_EQ(std::get<double>(results[25].aggregates[aggregate]), sign * kInfinity);
    }
    EXPECT_EQ(std::get<double>(results[95].aggregates[0]), 1.5 * kWindowSeconds);
  }
}

}  // namespace
}  // namespace tidemark::test_support
