#include "tidemark/perf/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace tidemark {
namespace {

// Sum of twelve uniform numbers, less 6: close to normal, and the same with every library.
double noise(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

struct Level {
  std::size_t count;
  double value;
};

std::vector<double> series(const std::vector<Level>& levels, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (const Level& level : levels) {
    for (std::size_t i = 0; i < level.count; ++i) {
      values.push_back(level.value + deviation * noise(random));
    }
  }
  return values;
}

TEST(ChangePointsTest, FindsEachStepWhereItIs) {
  const std::vector<double> values = series({{30, 100}, {25, 110}, {30, 90}}, 1, 7);
  const std::vector<ChangePoint> points = find_change_points(values, {});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].index, 30U);
  EXPECT_NEAR(points[0].before, 100, 1);
  EXPECT_NEAR(points[0].after, 110, 1);
  EXPECT_LE(points[0].p_value, 0.01);
  EXPECT_EQ(points[1].index, 55U);
  EXPECT_NEAR(points[1].after, 90, 1);
}

// The statistic as the paper writes it: means over all pairs.
double energy_of_cut(const std::vector<double>& values, std::size_t cut) {
  double between = 0, left = 0, right = 0;
  const std::size_t n = cut, m = values.size() - cut;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const double distance = std::abs(values[i] - values[j]);
      (j < cut ? left : i >= cut ? right : between) += distance;
    }
  }
  const auto a = static_cast<double>(n), b = static_cast<double>(m);
  return a * b / (a + b) *
         (2 * between / (a * b) - left / (a * (a - 1) / 2) - right / (b * (b - 1) / 2));
}

TEST(ChangePointsTest, CutsWhereTheEnergyDistanceIsLargest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<double> values = series({{12, 100}, {15, 104}}, 1, seed);
    std::size_t best = 4;
    for (std::size_t cut = 4; cut + 4 <= values.size(); ++cut) {
      if (energy_of_cut(values, cut) > energy_of_cut(values, best)) best = cut;
    }
    const std::vector<ChangePoint> points = find_change_points(values, {});
    ASSERT_EQ(points.size(), 1U) << seed;
    EXPECT_EQ(points[0].index, best) << seed;
  }
}

TEST(ChangePointsTest, NoiseAloneSeldomHasOne) {
  std::size_t with_points = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    // Any change counts, so that only the permutation test keeps noise out.
    ChangePointOptions options;
    options.smallest_change = 0;
    options.permutations = 199;
    if (!find_change_points(series({{40, 100}}, 3, seed), options).empty()) ++with_points;
  }
  // 1 % of 200, and three standard deviations.
  EXPECT_LE(with_points, 6U);
}

TEST(ChangePointsTest, SlowDriftShowsThoughNoStepIsLarge) {
  std::vector<double> values = series({{60, 100}}, 0.5, 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.2 * static_cast<double>(i);
  const std::vector<ChangePoint> points = find_change_points(values, {});
  ASSERT_FALSE(points.empty());
  for (const ChangePoint& point : points) EXPECT_GT(point.after, point.before);
}

TEST(ChangePointsTest, ASingleOutlierIsNone) {
  std::vector<double> values = series({{40, 100}}, 1, 5);
  values[20] = 200;
  EXPECT_TRUE(find_change_points(values, {}).empty());
}

TEST(ChangePointsTest, ChangesBelowTheSmallestAreLeftOut) {
  const std::vector<double> values = series({{30, 100}, {30, 101}}, 0.1, 2);
  EXPECT_TRUE(find_change_points(values, {}).empty());
  ChangePointOptions options;
  options.smallest_change = 0.005;
  EXPECT_EQ(find_change_points(values, options).size(), 1U);
}

TEST(ChangePointsTest, TheSameSeedGivesTheSameAnswer) {
  const std::vector<double> values = series({{20, 100}, {20, 102}}, 2, 11);
  const auto first = find_change_points(values, {}), second = find_change_points(values, {});
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].index, second[i].index);
    EXPECT_EQ(first[i].p_value, second[i].p_value);
  }
}

TEST(ChangePointsTest, ShortAndConstantSeriesHaveNone) {
  EXPECT_TRUE(find_change_points({}, {}).empty());
  EXPECT_TRUE(find_change_points({1, 2, 3}, {}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>(50, 7), {}).empty());
}

}  // namespace
}  // namespace tidemark
