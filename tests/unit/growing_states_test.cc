// States that grow: what they hold, how near their estimates are, and that they leave nothing
// behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tidemark/operators/counted_values.h"
#include "tidemark/operators/distinct_sketch.h"
#include "tidemark/operators/quantile_buckets.h"
#include "tidemark/operators/value_runs.h"
#include "tidemark/runtime/state_memory.h"

namespace tidemark {
namespace {

std::map<std::uint64_t, std::uint64_t> content_of(const CountedValues& values) {
  std::map<std::uint64_t, std::uint64_t> content;
  values.for_each([&](std::uint64_t value, std::uint64_t count) { content[value] = count; });
  return content;
}

TEST(CountedValuesTest, HoldsWhatWasAddedAndNotTakenOut) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    StateMemory memory;
    CountedValues values(memory);
    std::map<std::uint64_t, std::uint64_t> expected;
    std::vector<std::vector<std::uint64_t>> slices;
    for (int step = 0; step < 30; ++step) {
      if (slices.size() > 3) {
        CountedValues leaves(memory);
        for (const std::uint64_t value : slices.front()) {
          leaves.add(value);
          if (--expected[value] == 0) expected.erase(value);
        }
        values.subtract(leaves);
        slices.erase(slices.begin());
      }
      CountedValues comes(memory);
      slices.emplace_back(random() % 40);
      for (std::uint64_t& value : slices.back()) {
        value = random() % (1 + random() % 100);
        comes.add(value);
        ++expected[value];
      }
      values.merge(comes);
      ASSERT_EQ(content_of(values), expected);
      ASSERT_EQ(values.size(), expected.size());
    }
  }
}

// Standard errors of the estimate; the seed is fixed.
double errors_of(std::uint64_t estimate, std::uint64_t exact) {
  const auto n = static_cast<double>(exact);
  return (static_cast<double>(estimate) - n) / n / (1.04 / 64);
}

TEST(DistinctSketchTest, StaysWithinThreeStandardErrorsOfRandomAndOfConsecutiveValues) {
  std::mt19937_64 random(7);
  for (const std::uint64_t n : {1'100U, 3'000U, 10'000U, 30'000U, 100'000U, 1'000'000U}) {
    StateMemory memory;
    DistinctSketch drawn(memory);
    DistinctSketch consecutive(memory);
    for (std::uint64_t i = 0; i < n; ++i) {
      drawn.add(random());
      consecutive.add(i);
    }
    EXPECT_LT(std::fabs(errors_of(drawn.estimate(), n)), 3) << n;
    EXPECT_LT(std::fabs(errors_of(consecutive.estimate(), n)), 3) << n;
    EXPECT_LT(memory.bytes(), 2 * 4'600U);
  }
}

TEST(DistinctSketchTest, TheErrorInTheMeanOfManySketchesIsTheStatedOne) {
  std::mt19937_64 random(3);
  double squares = 0;
  constexpr int kSketches = 100;
  for (int i = 0; i < kSketches; ++i) {
    StateMemory memory;
    DistinctSketch sketch(memory);
    for (int value = 0; value < 20'000; ++value) sketch.add(random());
    const double errors = errors_of(sketch.estimate(), 20'000);
    squares += errors * errors;
  }
  EXPECT_LT(std::sqrt(squares / kSketches), 1.25);
  EXPECT_GT(std::sqrt(squares / kSketches), 0.75);
}

TEST(DistinctSketchTest, AFewValuesAreCountedExactly) {
  for (std::uint64_t n = 0; n <= 512; ++n) {
    StateMemory memory;
    DistinctSketch sketch(memory);
    for (std::uint64_t i = 0; i < n; ++i) {
      sketch.add(i * 1'000'003);
      sketch.add(i * 1'000'003);
    }
    EXPECT_EQ(sketch.estimate(), n);
  }
}

// Where a list of values becomes registers, most of all.
TEST(DistinctSketchTest, AnEstimateDependsOnlyOnWhichValuesThereAre) {
  std::mt19937_64 random(5);
  for (std::size_t n = 10; n < 4'000; n += n < 400 || n > 1'600 ? 195 : 17) {
    StateMemory memory;
    DistinctSketch a(memory);
    DistinctSketch b(memory);
    DistinctSketch one_by_one(memory);
    DistinctSketch repeated(memory);
    DistinctSketch merged(memory);
    std::vector<std::uint64_t> values(n);
    for (std::uint64_t& value : values) value = random();
    for (std::size_t i = 0; i < n; ++i) {
      (i % 5 == 0 ? a : b).add(values[i]);
      one_by_one.add(values[i]);
      for (std::size_t j = i - std::min<std::size_t>(i, 3); j <= i; ++j) repeated.add(values[j]);
      DistinctSketch single(memory);
      single.add(values[i]);
      merged.merge(single);
    }
    const std::uint64_t estimate = one_by_one.estimate();
    EXPECT_EQ(repeated.estimate(), estimate) << n;
    EXPECT_EQ(merged.estimate(), estimate) << n;
    EXPECT_EQ(DistinctSketch::estimate(a, b), estimate) << n;
    EXPECT_EQ(DistinctSketch::estimate(b, a), estimate) << n;
    const DistinctSketch copy(a, memory);
    a.merge(b);
    b.merge(copy);
    EXPECT_EQ(a.estimate(), estimate) << n;
    EXPECT_EQ(b.estimate(), estimate) << n;
  }
}

TEST(QuantileBucketsTest, NumbersAreWithinOnePercentOfTheirBucketAndInOrder) {
  std::mt19937_64 random(2);
  std::vector<double> numbers{0.0,      -0.0,   1,       -1,     1e300,   -1e300,
                              1e-299,   0.01,   12345.6, 1e15,   1.7e308, -1.7e308,
                              2.2e-308, 1e-310, -1e-310, 5e-324, -5e-324};
  for (int i = 0; i < 10'000; ++i) {
    const double magnitude = std::exp(std::uniform_real_distribution<double>(-744, 700)(random));
    numbers.push_back(random() % 2 == 0 ? magnitude : -magnitude);
  }
  std::sort(numbers.begin(), numbers.end());
  // Where doubles are farther apart than 1 % there is no nearer one.
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  for (const double number : numbers) {
    const std::int64_t bucket = quantile_bucket(number);
    EXPECT_LE(before, bucket);
    before = bucket;
    EXPECT_NEAR(quantile_bucket_value(bucket), number, std::fabs(number) * 0.0100001 + kSmallest);
  }
}

TEST(QuantileBucketsTest, WhatIsNotFiniteHasBucketsAtTheEnds) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile_bucket_value(quantile_bucket(infinity)), infinity);
  EXPECT_EQ(quantile_bucket_value(quantile_bucket(-infinity)), -infinity);
  EXPECT_TRUE(std::isnan(quantile_bucket_value(quantile_bucket(std::nan("")))));
  EXPECT_GT(quantile_bucket(infinity), quantile_bucket(1.7e308));
  EXPECT_GT(quantile_bucket(std::nan("")), quantile_bucket(infinity));
}

using Runs = ValueRuns<PlainValue>;

std::vector<std::uint64_t> values_of(const Runs* runs) {
  std::vector<std::uint64_t> values;
  if (runs == nullptr) return values;
  std::vector<const Runs*> ahead;
  runs->for_each_run(ahead, [&](const PlainValue* items, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values.push_back(items[i].bits);
  });
  return values;
}

// Handles that are copied, grown, joined and dropped at random, beside plain vectors.
TEST(ValueRunsTest, JoinedAndSharedRunsStayAsTheyAreForEachOfTheirHolders) {
  std::mt19937_64 random(4);
  StateMemory memory;
  std::vector<Runs*> handles(6, nullptr);
  std::vector<std::vector<std::uint64_t>> expected(handles.size());
  const auto drop = [&](std::size_t i) {
    if (handles[i] != nullptr) Runs::release(handles[i], memory);
    handles[i] = nullptr;
    expected[i].clear();
  };
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::size_t i = random() % handles.size();
    const std::size_t other = random() % handles.size();
    switch (random() % 8) {
      case 0:
        if (i == other || expected[i].size() + expected[other].size() > 3000) {
          drop(i);
        } else if (handles[i] != nullptr && handles[other] != nullptr) {
          Runs::append(handles[i], handles[other], memory);
          expected[i].insert(expected[i].end(), expected[other].begin(), expected[other].end());
        }
        break;
      case 1:
        if (i == other || handles[other] == nullptr) break;
        drop(i);
        Runs::retain(handles[other]);
        handles[i] = handles[other];
        expected[i] = expected[other];
        break;
      default:
        Runs::add(handles[i], static_cast<std::int64_t>(step), 0, memory);
        expected[i].push_back(step);
    }
    if (step % 16 == 0) {
      ASSERT_EQ(values_of(handles[i]), expected[i]);
    }
  }
  for (std::size_t i = 0; i < handles.size(); ++i) {
    ASSERT_EQ(values_of(handles[i]), expected[i]);
    drop(i);
  }
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(ValueRunsTest, AMillionJoinedRunsAreDroppedWithoutDeepRecursion) {
  StateMemory memory;
  Runs* all = nullptr;
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    Runs* one = nullptr;
    for (std::int64_t value = 0; value < 5; ++value) Runs::add(one, value, 0, memory);
    if (all == nullptr) {
      all = one;
      continue;
    }
    Runs::append(all, one, memory);
    Runs::release(one, memory);
  }
  EXPECT_EQ(all->size(), 5'000'000U);
  Runs::release(all, memory);
  EXPECT_EQ(memory.bytes(), 0U);
}

}  // namespace
}  // namespace tidemark
