#include "tidemark/perf/rank_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace tidemark {
namespace {

using Samples = std::vector<double>;

// U by its definition: pairs in which the first is larger, half of those that are equal.
double u_of(const Samples& a, const Samples& b) {
  double u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 1 : x == y ? 0.5 : 0;
  }
  return u;
}

// Share of all ways to deal the pooled samples out that are as far from the middle.
double mann_whitney_by_enumeration(const Samples& a, const Samples& b) {
  Samples pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const double middle = static_cast<double>(a.size() * b.size()) / 2;
  const double distance = std::abs(u_of(a, b) - middle);
  std::vector<bool> is_first(pooled.size());
  std::fill(is_first.begin(), is_first.begin() + static_cast<std::ptrdiff_t>(a.size()), true);
  double all = 0, far = 0;
  do {
    Samples first, second;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      (is_first[i] ? first : second).push_back(pooled[i]);
    }
    ++all;
    if (std::abs(u_of(first, second) - middle) >= distance - 1e-9) ++far;
  } while (std::prev_permutation(is_first.begin(), is_first.end()));
  return far / all;
}

double signed_rank_by_enumeration(Samples differences) {
  std::erase(differences, 0);
  const std::size_t n = differences.size();
  Samples ranks;
  for (const double d : differences) {
    double rank = 0.5;
    for (const double other : differences) {
      rank += std::abs(other) < std::abs(d) ? 1 : std::abs(other) == std::abs(d) ? 0.5 : 0;
    }
    ranks.push_back(rank);
  }
  const double middle = std::accumulate(ranks.begin(), ranks.end(), 0.0) / 2;
  double seen = 0;
  for (std::size_t i = 0; i < n; ++i) seen += differences[i] > 0 ? ranks[i] : 0;
  double far = 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << n; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1) != 0 ? ranks[i] : 0;
    if (std::abs(sum - middle) >= std::abs(seen - middle) - 1e-9) ++far;
  }
  return far / std::exp2(static_cast<double>(n));
}

Samples small_numbers(std::size_t count, int largest, std::mt19937_64& random) {
  Samples samples;
  const auto choices = static_cast<std::uint64_t>(2 * largest + 1);
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(static_cast<double>(random() % choices) - largest);
  }
  return samples;
}

TEST(MannWhitneyTest, AgreesWithAllWaysToDealTheSamplesOutTiesIncluded) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    // Few different numbers make many ties.
    const Samples a = small_numbers(1 + random() % 6, round % 2 == 0 ? 2 : 1000, random);
    const Samples b = small_numbers(1 + random() % 6, round % 2 == 0 ? 2 : 1000, random);
    EXPECT_NEAR(mann_whitney_p(a, b), mann_whitney_by_enumeration(a, b), 1e-12);
  }
}

TEST(MannWhitneyTest, GivesThePublishedPValues) {
  // The example of scipy.stats.mannwhitneyu: U = 17, exact.
  EXPECT_NEAR(mann_whitney_p({19, 22, 16, 29, 24}, {20, 11, 17, 12}), 1.0 / 9, 1e-12);
  EXPECT_NEAR(smallest_mann_whitney_p(10, 10), 2.0 / 184'756, 1e-15);
  EXPECT_EQ(mann_whitney_p({}, {1, 2}), 1);
  EXPECT_EQ(mann_whitney_p({3, 3, 3}, {3, 3}), 1);
}

// The number of ways in which U of n and m samples without ties is u (Mann and Whitney's
// recursion).
std::vector<double> u_distribution(std::size_t n, std::size_t m) {
  std::vector<std::vector<double>> row(m + 1, std::vector<double>(n * m + 1));
  for (auto& ways : row) ways[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      // row[j] still is that of i - 1 samples.
      std::vector<double> ways(n * m + 1);
      for (std::size_t u = 0; u <= n * m; ++u) {
        ways[u] = (u >= j ? row[j][u - j] : 0) + row[j - 1][u];
      }
      row[j] = ways;
    }
  }
  return row[m];
}

TEST(MannWhitneyTest, NormalApproximationIsCloseToTheExactTest) {
  constexpr std::size_t kSide = 30;
  const std::vector<double> ways = u_distribution(kSide, kSide);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  for (const double shift : {0.5, 6.5, 12.5, 20.5}) {
    Samples a, b;
    for (std::size_t i = 0; i < kSide; ++i) {
      a.push_back(static_cast<double>(i));
      b.push_back(static_cast<double>(i) + shift);
    }
    const double u = u_of(a, b);
    double far = 0;
    for (std::size_t v = 0; v < ways.size(); ++v) {
      if (std::abs(static_cast<double>(v) - 450) >= std::abs(u - 450)) far += ways[v];
    }
    EXPECT_NEAR(mann_whitney_p(a, b), far / all, 0.004) << shift;
  }
}

TEST(MannWhitneyTest, DoesNotCareWhichSideIsFirstOrHowSamplesAreScaled) {
  std::mt19937_64 random(2);
  for (const std::size_t count : {8U, 40U}) {
    const Samples a = small_numbers(count, 20, random), b = small_numbers(count, 20, random);
    Samples stretched_a, stretched_b;
    for (const double x : a) stretched_a.push_back(std::exp(x / 4));
    for (const double x : b) stretched_b.push_back(std::exp(x / 4));
    EXPECT_DOUBLE_EQ(mann_whitney_p(a, b), mann_whitney_p(b, a));
    EXPECT_DOUBLE_EQ(mann_whitney_p(a, b), mann_whitney_p(stretched_a, stretched_b));
  }
}

TEST(SignedRankTest, AgreesWithAllWaysToChooseSignsTiesAndZerosIncluded) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const Samples differences = small_numbers(1 + random() % 10, round % 2 == 0 ? 3 : 1000, random);
    EXPECT_NEAR(signed_rank_p(differences), signed_rank_by_enumeration(differences), 1e-12);
  }
}

TEST(SignedRankTest, GivesThePublishedPValue) {
  // Depression scores (Hollander and Wolfe, Nonparametric Statistical Methods, 1973): V = 40.
  const Samples before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Samples after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  Samples differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(before[i] - after[i]);
  EXPECT_NEAR(signed_rank_p(differences), 0.0390625, 1e-12);
  EXPECT_EQ(signed_rank_p({0, 0}), 1);
  EXPECT_DOUBLE_EQ(smallest_signed_rank_p(10), 2.0 / 1024);
}

TEST(HolmTest, MultipliesTheSmallestMostAndNeverReverses) {
  const std::vector<double> adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12);
  EXPECT_EQ(holm_adjusted({0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

// Student's density, integrated by Simpson's rule.
double student_tail(double t, double freedom) {
  const double scale = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * std::acos(-1.0));
  const auto density = [&](double x) {
    return scale * std::pow(1 + x * x / freedom, -(freedom + 1) / 2);
  };
  constexpr int kSteps = 4000;
  const double width = t / kSteps;
  double sum = density(0) + density(t);
  for (int i = 1; i < kSteps; ++i) sum += density(i * width) * (i % 2 == 1 ? 4 : 2);
  return 1 - 2 * sum * width / 3;
}

TEST(WelchTest, AgreesWithTheIntegralOfStudentsDensity) {
  for (const double difference : {0.1, 0.7, 1.5, 4.0}) {
    const double t = difference / std::sqrt(1.0 / 10 + 4.0 / 20);
    const double freedom = 0.3 * 0.3 / (0.01 / 9 + 0.04 / 19);
    EXPECT_NEAR(welch_p(5, 1, 10, 5 + difference, 2, 20), student_tail(t, freedom), 1e-9);
  }
  EXPECT_EQ(welch_p(5, 0, 10, 5, 0, 10), 1);
  EXPECT_EQ(welch_p(5, 0, 10, 6, 0, 10), 0);
}

TEST(MiddleTest, MedianAndHodgesLehmannAreOfTheirDefinition) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(median_of({})));
  // Means of pairs and samples: 1, 1.5, 2, 5.5, 6, 10.
  EXPECT_EQ(hodges_lehmann({1, 2, 10}), 3.75);
}

}  // namespace
}  // namespace tidemark
