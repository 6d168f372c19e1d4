// The state behind variance and stddev, beside two passes in more digits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tidemark/operators/aggregate_operation.h"

namespace tidemark {
namespace {

template <typename T>
Moments<T> moments_of(const std::vector<T>& values, std::size_t begin, std::size_t end) {
  std::array<std::byte, sizeof(Moments<T>)> bytes{};
  store_state(bytes.data(), 0, MomentsOf<T>::identity());
  for (std::size_t i = begin; i < end; ++i) MomentsOf<T>::add_in_place(bytes.data(), 0, values[i]);
  return load_state<Moments<T>>(bytes.data(), 0);
}

template <typename T>
long double squares_of(const std::vector<T>& values) {
  // From the first value on, which is exact in 64 bits.
  long double sum = 0;
  for (const T value : values) {
    sum += static_cast<long double>(value) - static_cast<long double>(values[0]);
  }
  const long double mean = sum / static_cast<long double>(values.size());
  long double squares = 0;
  for (const T value : values) {
    const long double distance =
        static_cast<long double>(value) - static_cast<long double>(values[0]) - mean;
    squares += distance * distance;
  }
  return squares;
}

template <typename T>
void expect_all_digits(const std::vector<T>& values, std::mt19937_64& random) {
  const auto exact = static_cast<double>(squares_of(values));
  const Moments<T> one_by_one = moments_of(values, 0, values.size());
  EXPECT_NEAR(one_by_one.squares, exact, 1e-12 * exact);
  Moments<T> merged = MomentsOf<T>::identity();
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t end = std::min(values.size(), begin + 1 + random() % 20);
    merged = MomentsOf<T>::combine(merged, moments_of(values, begin, end));
    begin = end;
  }
  EXPECT_NEAR(merged.squares, exact, 1e-12 * exact);
  EXPECT_EQ(merged.count, values.size());
}

TEST(MomentsTest, IntegersFarFromZeroLoseNoDigits) {
  std::mt19937_64 random(1);
  for (const std::int64_t base :
       {INT64_C(0), INT64_C(1'700'000'000'000), INT64_C(9'007'199'254'740'993),
        std::numeric_limits<std::int64_t>::max() - 2000,
        std::numeric_limits<std::int64_t>::min()}) {
    for (const std::uint64_t range : {3U, 10U, 1000U}) {
      std::vector<std::int64_t> values(1000);
      for (std::int64_t& value : values) {
        value = base + static_cast<std::int64_t>(random() % range);
      }
      SCOPED_TRACE(std::to_string(base) + " + " + std::to_string(range));
      expect_all_digits(values, random);
    }
  }
}

TEST(MomentsTest, DoublesFarFromZeroLoseNoDigits) {
  std::mt19937_64 random(2);
  for (const double base : {0.0, 1e6, 1e9, -1e15}) {
    for (const double range : {1e-3, 1.0, 1e3}) {
      std::uniform_real_distribution<double> distribution(0, range);
      std::vector<double> values(1000);
      for (double& value : values) value = base + distribution(random);
      if (squares_of(values) == 0) continue;
      SCOPED_TRACE(std::to_string(base) + " + " + std::to_string(range));
      expect_all_digits(values, random);
    }
  }
}

// The oldest value is nothing special: it may be the one that lies apart.
TEST(MomentsTest, AnOldestValueFarFromTheOthersDoesNoHarm) {
  std::mt19937_64 random(3);
  for (const double first : {1e3, 1e6, -1e9}) {
    std::vector<double> values(1000);
    for (double& value : values) value = std::uniform_real_distribution<double>(0, 1)(random);
    values[0] = first;
    expect_all_digits(values, random);
  }
}

TEST(MomentsTest, IntegersAtBothEndsAreTakenAsDoubles) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  const Moments<std::int64_t> moments = moments_of<std::int64_t>({kLowest, kHighest}, 0, 2);
  EXPECT_NEAR(moments.squares, std::exp2(127), 1e-12 * std::exp2(127));
}

TEST(MomentsTest, WhatIsNotFiniteHasNoVariance) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values :
       {std::vector<double>{1, 2, infinity}, {infinity, 1, 2}, {1, std::nan(""), 2}}) {
    EXPECT_TRUE(std::isnan(moments_of(values, 0, values.size()).squares));
    EXPECT_TRUE(std::isnan(
        MomentsOf<double>::combine(moments_of(values, 0, 1), moments_of(values, 1, 3)).squares));
  }
}

}  // namespace
}  // namespace tidemark
