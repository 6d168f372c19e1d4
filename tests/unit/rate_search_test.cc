#include "tidemark/perf/rate_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tidemark {
namespace {

using Sustains = std::function<bool(std::uint64_t)>;
using Answers = std::function<RateAnswer(std::uint64_t)>;

RateSearchLimits limits() { return {.first = 100'000, .lowest = 100, .highest = 4'000'000}; }

// Runs a search against a system that is only a rule; returns the rates that were tried.
std::vector<std::uint64_t> run(RateSearch& search, const Answers& answers) {
  std::vector<std::uint64_t> tried;
  while (const auto rate = search.next()) {
    tried.push_back(*rate);
    search.answer(*rate, answers(*rate));
  }
  return tried;
}

// One that is overloaded at every rate that it does not sustain.
std::vector<std::uint64_t> run(RateSearch& search, const Sustains& sustains) {
  return run(
      search, Answers([&](std::uint64_t rate) {
        return RateAnswer{sustains(rate) ? RateOutcome::kSustained : RateOutcome::kOverloaded, 1};
      }));
}

TEST(RateSearchTest, ComesWithinItsPrecisionOfTheCapacityFromBelow) {
  for (const std::uint64_t capacity : {150U, 99'999U, 100'000U, 123'456U, 1'000'000U, 3'900'000U}) {
    RateSearch search(limits());
    const auto tried = run(search, Sustains([&](std::uint64_t rate) { return rate <= capacity; }));
    ASSERT_TRUE(search.highest_sustained()) << capacity;
    const auto found = static_cast<double>(*search.highest_sustained());
    EXPECT_LE(found, static_cast<double>(capacity));
    EXPECT_GE(found * limits().precision * 1.01, static_cast<double>(capacity));
    EXPECT_FALSE(search.at_limit());
    EXPECT_LE(tried.size(), limits().most_steps);
  }
}

TEST(RateSearchTest, ASystemThatNeverSustainsHasNoRate) {
  RateSearch search(limits());
  const auto tried = run(search, Sustains([](std::uint64_t) { return false; }));
  EXPECT_EQ(search.highest_sustained(), std::nullopt);
  EXPECT_EQ(tried.back(), limits().lowest);
  EXPECT_FALSE(search.at_limit());
}

TEST(RateSearchTest, ASystemThatAlwaysSustainsStopsAtTheLimitAndSaysSo) {
  RateSearch search(limits());
  const auto tried = run(search, Sustains([](std::uint64_t) { return true; }));
  EXPECT_EQ(search.highest_sustained(), limits().highest);
  EXPECT_TRUE(search.at_limit());
  for (const std::uint64_t rate : tried) EXPECT_LE(rate, limits().highest);
}

TEST(RateSearchTest, OneFailureOutOfThreeTriesDoesNotCount) {
  RateSearch search(limits());
  bool failed = false;
  run(search, Sustains([&](std::uint64_t rate) {
        if (rate == limits().first && !failed) {
          failed = true;
          return false;
        }
        return rate <= 1'000'000;
      }));
  EXPECT_GE(*search.highest_sustained(), 950'000U);
}

TEST(RateSearchTest, WhatIsFoundHasBeenSustainedTwice) {
  RateSearch search(limits());
  std::vector<std::uint64_t> sustained;
  run(search, Sustains([&](std::uint64_t rate) {
        if (rate > 1'000'000) return false;
        sustained.push_back(rate);
        return true;
      }));
  EXPECT_EQ(std::count(sustained.begin(), sustained.end(), *search.highest_sustained()), 2);
}

// One answer in ten is the wrong one. A rate beyond the capacity must be sustained twice by
// accident before it is found.
TEST(RateSearchTest, ANoisySystemIsSeldomOverestimated) {
  int over = 0;
  int near = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RateSearch search(limits());
    const auto tried = run(search, Sustains([&](std::uint64_t rate) {
                             return (rate <= 1'000'000) != (random() % 10 == 0);
                           }));
    ASSERT_LE(tried.size(), limits().most_steps);
    const std::uint64_t found = search.highest_sustained().value_or(0);
    if (found > 1'000'000) ++over;
    if (found > 900'000 && found <= 1'000'000) ++near;
  }
  EXPECT_LE(over, 20);
  EXPECT_GE(near, 140);
}

TEST(RateSearchTest, TheSameAnswersGiveTheSameSearch) {
  const Sustains rule = [](std::uint64_t rate) { return rate % 7 != 3 && rate < 700'000; };
  RateSearch one(limits());
  RateSearch other(limits());
  EXPECT_EQ(run(one, rule), run(other, rule));
}

// Latency is what a row waits for event time, which takes the shorter the higher the rate is, and
// for the rows before it (as in a queue with one server).
struct WaitingSystem {
  const char* name;
  double wait;       // rows
  double service;    // seconds a row
  double bound;      // seconds
  bool has_results;  // at any rate

  RateAnswer operator()(std::uint64_t rate) const {
    const double load = static_cast<double>(rate) * service;
    if (load >= 1) return {RateOutcome::kOverloaded, 100};
    if (!has_results) return {RateOutcome::kLate, {}};
    const double latency = wait / static_cast<double>(rate) + service / (1 - load);
    return {latency <= bound ? RateOutcome::kSustained : RateOutcome::kLate, latency};
  }

  // The highest rate that is sustained, to a thousandth; 0 if none is.
  std::uint64_t best() const {
    std::uint64_t best = 0;
    for (double rate = 100; rate <= 4e6; rate *= 1.001) {
      const auto whole = static_cast<std::uint64_t>(rate);
      if ((*this)(whole).outcome == RateOutcome::kSustained) best = whole;
    }
    return best;
  }
};

class WaitingSystemTest : public testing::TestWithParam<WaitingSystem> {};

TEST_P(WaitingSystemTest, IsSearchedUpwardsWhereLatencyFallsAsTheRateRises) {
  RateSearch search(limits());
  const auto tried = run(search, Answers(GetParam()));
  const std::uint64_t best = GetParam().best();
  EXPECT_EQ(search.highest_sustained().has_value(), best > 0);
  const auto found = static_cast<double>(search.highest_sustained().value_or(0));
  EXPECT_LE(found, 1.001 * static_cast<double>(best));
  EXPECT_GE(found * limits().precision * 1.01, static_cast<double>(best));
  EXPECT_LE(tried.size(), limits().most_steps);
}

INSTANTIATE_TEST_SUITE_P(
    Systems, WaitingSystemTest,
    testing::Values(WaitingSystem{"far_above_the_first_rate", 30'000, 1e-7, 0.03, true},
                    WaitingSystem{"just_above_the_first_rate", 10'000, 1e-7, 0.09, true},
                    WaitingSystem{"between_a_late_rate_and_an_overloaded_one", 14'000,
                                  1.0 / 190'000, 0.11, true},
                    WaitingSystem{"at_the_first_rate", 1'000, 1e-7, 0.03, true},
                    WaitingSystem{"below_the_first_rate", 10, 1.0 / 50'000, 0.01, true},
                    WaitingSystem{"a_queue_near_its_capacity", 0, 1.0 / 101'000, 0.0001, true},
                    WaitingSystem{"nowhere", 1'000'000, 1e-7, 0.01, true},
                    WaitingSystem{"without_a_result", 0, 1e-7, 0.01, false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RateSearchTest, ALateRateThatLowerOnesMakeWorseEndsTheSearchEarly) {
  RateSearch search(limits());
  const auto tried = run(search, Answers(WaitingSystem{"", 1'000'000, 1.0 / 150'000, 0.01, true}));
  EXPECT_EQ(search.highest_sustained(), std::nullopt);
  EXPECT_EQ(*std::min_element(tried.begin(), tried.end()), limits().first / 4);
  EXPECT_EQ(*std::max_element(tried.begin(), tried.end()), limits().first * 2);
}

}  // namespace
}  // namespace tidemark
