// The aggregates of the typed face in the types of their results, and definitions of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tidemark/operators/job.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;

struct Reading {
  std::int64_t ts_ms = 0;
  std::int32_t level = 0;
  std::optional<double> heat{};
};

std::vector<Reading> readings() {
  return {{2, 3, 0.5}, {1, 7, std::nullopt}, {3, 3, 2.0}, {4, 5, 8.0}};
}

TEST(JobAggregates, ResultsHaveTheTypesOfTheirInputs) {
  Job job;
  std::vector<std::tuple<std::optional<std::int64_t>, std::optional<double>, std::int64_t,
                         std::int64_t, std::optional<double>, std::optional<double>,
                         std::vector<std::int64_t>, std::vector<double>, std::optional<double>>>
      results;
  job.source(readings())
      .event_time(&Reading::ts_ms, bounded_out_of_orderness(1s))
      .window(tumbling(1s))
      .aggregate(first(&Reading::level), last(&Reading::heat), count_distinct(&Reading::level),
                 approx_distinct(&Reading::heat), median(&Reading::level),
                 quantile(&Reading::heat, 0.25), top_k(&Reading::level, 2), collect(&Reading::heat),
                 variance(&Reading::level))
      .sink([&](const auto& result) { results.push_back(result.values); });
  job.run();
  ASSERT_EQ(results.size(), 1U);
  const auto& [opened, closed, levels, heats, mid, low, top, all, spread] = results[0];
  EXPECT_EQ(opened, 7);
  EXPECT_EQ(closed, 8.0);
  EXPECT_EQ(levels, 3);
  EXPECT_EQ(heats, 3);
  EXPECT_EQ(mid, 4.0);
  EXPECT_EQ(low, 1.25);
  EXPECT_EQ(top, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(all, (std::vector<double>{0.5, 2, 8}));
  EXPECT_NEAR(spread.value(), 11.0 / 3, 1e-12);
}

struct GeometricMean {
  struct State {
    double logs = 0;
    std::int64_t count = 0;
  };
  static State identity() { return {}; }
  static State lift(double value) { return {std::log(value), 1}; }
  static State combine(State a, State b) { return {a.logs + b.logs, a.count + b.count}; }
  static State invert(State a, State b) { return {a.logs - b.logs, a.count - b.count}; }
  static double lower(State state) {
    return std::exp(state.logs / static_cast<double>(state.count));
  }
};

// Of integers, and only where at least two of them are.
struct Range {
  struct State {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
  };
  static State identity() { return {}; }
  static State lift(std::int64_t value) { return {value, value}; }
  static State combine(State a, State b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }
  static std::optional<std::int64_t> lower(State state) {
    if (state.least == state.most) return std::nullopt;
    return state.most - state.least;
  }
};

TEST(JobAggregates, DefinitionsOfOnesOwnSlideUnderEveryStrategyThatTheyAllow) {
  for (const Strategy strategy :
       {Strategy::kAuto, Strategy::kBuckets, Strategy::kRecompute, Strategy::kTwoStacks}) {
    Job job;
    std::vector<std::tuple<std::optional<double>, std::optional<std::int64_t>>> results;
    job.source(readings())
        .event_time(&Reading::ts_ms, bounded_out_of_orderness(1s))
        .window(sliding(2ms, 1ms))
        .strategy(strategy)
        .aggregate(aggregate_by<GeometricMean>(&Reading::heat).as("heat"),
                   aggregate_by<Range>(&Reading::level))
        .sink([&](const auto& result) { results.push_back(result.values); });
    job.run();
    ASSERT_EQ(results.size(), 5U);
    EXPECT_EQ(std::get<0>(results[0]), std::nullopt);
    EXPECT_NEAR(std::get<0>(results[2]).value(), 1, 1e-12);
    EXPECT_NEAR(std::get<0>(results[3]).value(), 4, 1e-12);
    EXPECT_EQ(std::get<1>(results[1]), 4);
    EXPECT_EQ(std::get<1>(results[2]), std::nullopt);
    EXPECT_EQ(std::get<1>(results[3]), 2);
  }
}

TEST(JobAggregates, WithAnInverseRowsMayBeSubtracted) {
  Job job;
  std::vector<double> results;
  job.source(readings())
      .event_time(&Reading::ts_ms, bounded_out_of_orderness(1s))
      .window(sliding(2ms, 1ms))
      .strategy(Strategy::kSubtract)
      .aggregate(aggregate_by<GeometricMean>(&Reading::heat))
      .sink([&](const auto& result) { results.push_back(result.template value<0>().value_or(0)); });
  job.run();
  ASSERT_EQ(results.size(), 5U);
  EXPECT_NEAR(results[3], 4, 1e-12);
  EXPECT_NEAR(results[4], 8, 1e-12);
}

TEST(JobAggregates, WithoutAnInverseSubtractIsRefused) {
  Job job;
  auto stream = job.source(readings())
                    .event_time(&Reading::ts_ms, bounded_out_of_orderness(1s))
                    .window(sliding(2ms, 1ms))
                    .strategy(Strategy::kSubtract)
                    .aggregate(aggregate_by<Range>(&Reading::level).as("range"));
  stream.sink([](const auto&) {});
  EXPECT_THROW(job.run(), std::invalid_argument);
}

}  // namespace
}  // namespace tidemark
