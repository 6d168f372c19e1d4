// The limits of aggregates: for each the shortest state of one key that gives its result, filled
// row by row, merged, and read. Doubles throughout where the aggregate has doubles; no NULLs, no
// checks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::bench::limits {

struct Count {
  std::int64_t count = 0;
  void add(std::int64_t /*value*/) { ++count; }
  void merge(const Count& other) { count += other.count; }
  double result() const { return static_cast<double>(count); }
};

struct Sum {
  std::int64_t sum = 0;
  void add(std::int64_t value) { sum += value; }
  void merge(const Sum& other) { sum += other.sum; }
  double result() const { return static_cast<double>(sum); }
};

struct SumOfSquares {
  std::int64_t sum = 0;
  void add(std::int64_t value) { sum += value * value; }
  void merge(const SumOfSquares& other) { sum += other.sum; }
  double result() const { return static_cast<double>(sum); }
};

struct Average {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  void add(std::int64_t value) {
    sum += value;
    ++count;
  }
  void merge(const Average& other) {
    sum += other.sum;
    count += other.count;
  }
  double result() const { return static_cast<double>(sum) / static_cast<double>(count); }
};

struct Min {
  std::int64_t min = INT64_MAX;
  void add(std::int64_t value) { min = std::min(min, value); }
  void merge(const Min& other) { add(other.min); }
  double result() const { return static_cast<double>(min); }
};

struct Max {
  std::int64_t max = INT64_MIN;
  void add(std::int64_t value) { max = std::max(max, value); }
  void merge(const Max& other) { add(other.max); }
  double result() const { return static_cast<double>(max); }
};

// Welford (1962), and Chan, Golub and LeVeque (1979) to merge.
struct Variance {
  double count = 0;
  double mean = 0;
  double squares = 0;
  void add(std::int64_t value) {
    const auto x = static_cast<double>(value);
    const double distance = x - mean;
    mean += distance / ++count;
    squares += distance * (x - mean);
  }
  void merge(const Variance& other) {
    const double both = count + other.count;
    if (both == 0) return;
    const double distance = other.mean - mean;
    squares += other.squares + distance * distance * count * other.count / both;
    mean += distance * other.count / both;
    count = both;
  }
  double result() const { return squares / (count - 1); }
};

struct Deviation : Variance {
  double result() const { return std::sqrt(Variance::result()); }
};

// Rows come in the order of time, and so do states.
struct First {
  std::int64_t value = INT64_MIN;
  void add(std::int64_t row) {
    if (value == INT64_MIN) value = row;
  }
  void merge(const First& other) { add(other.value); }
  double result() const { return static_cast<double>(value); }
};

struct Last {
  std::int64_t value = 0;
  void add(std::int64_t row) { value = row; }
  void merge(const Last& other) { value = other.value; }
  double result() const { return static_cast<double>(value); }
};

struct Distinct {
  std::unordered_set<std::int64_t> values;
  void add(std::int64_t value) { values.insert(value); }
  void merge(const Distinct& other) { values.insert(other.values.begin(), other.values.end()); }
  double result() const { return static_cast<double>(values.size()); }
};

// HyperLogLog (Flajolet and others 2007) with 4,096 registers and linear counting below 2.5 times
// as many.
struct ApproxDistinct {
  static constexpr std::size_t kRegisters = 4096;
  std::vector<std::uint8_t> registers = std::vector<std::uint8_t>(kRegisters);
  void add(std::int64_t value) {
    std::uint64_t hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
    hash ^= hash >> 32;
    std::uint8_t& place = registers[hash % kRegisters];
    place = std::max(place, static_cast<std::uint8_t>(std::countl_zero(hash | 1) + 1));
  }
  void merge(const ApproxDistinct& other) {
    for (std::size_t i = 0; i < kRegisters; ++i) {
      registers[i] = std::max(registers[i], other.registers[i]);
    }
  }
  double result() const {
    constexpr auto kSize = static_cast<double>(kRegisters);
    double inverse = 0;
    std::size_t zeros = 0;
    for (const std::uint8_t place : registers) {
      inverse += std::ldexp(1.0, -place);
      zeros += static_cast<std::size_t>(place == 0);
    }
    const double estimate = 0.7213 / (1 + 1.079 / kSize) * kSize * kSize / inverse;
    if (estimate > 2.5 * kSize || zeros == 0) return estimate;
    return kSize * std::log(kSize / static_cast<double>(zeros));
  }
};

struct Values {
  std::vector<std::int64_t> values;
  void add(std::int64_t value) { values.push_back(value); }
  void merge(const Values& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
  }
  // The value at `share` of the way from the least to the greatest, between two of them.
  double quantile(double share) const {
    static thread_local std::vector<std::int64_t> scratch;
    scratch = values;
    const double at = share * static_cast<double>(scratch.size() - 1);
    const auto below = scratch.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(scratch.begin(), below, scratch.end());
    const auto low = static_cast<double>(*below);
    const double rest = at - std::floor(at);
    if (rest == 0) return low;
    return low + rest * (static_cast<double>(*std::min_element(below + 1, scratch.end())) - low);
  }
};

struct Collected : Values {
  double result() const { return static_cast<double>(values.size()); }
};
struct Median : Values {
  double result() const { return quantile(0.5); }
};
struct Quantile : Values {
  double result() const { return quantile(0.99); }
};

// Counts by logarithm, as DDSketch (Masson, Rim and Lee 2019) keeps them for 1 %; for values from 1
// to a million.
struct ApproxQuantile {
  static constexpr double kGamma = 1.01 / 0.99;
  std::vector<std::uint32_t> counts = std::vector<std::uint32_t>(800);
  std::uint32_t zeros = 0;
  std::uint32_t rows = 0;
  void add(std::int64_t value) {
    ++rows;
    if (value == 0) {
      ++zeros;
    } else {
      ++counts[static_cast<std::size_t>(
          std::ceil(std::log(static_cast<double>(value)) / std::log(kGamma)))];
    }
  }
  void merge(const ApproxQuantile& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    zeros += other.zeros;
    rows += other.rows;
  }
  double result() const {
    auto left = static_cast<std::int64_t>(0.99 * static_cast<double>(rows - 1)) - zeros;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      left -= counts[i];
      if (left < 0) return 2 * std::pow(kGamma, static_cast<double>(i)) / (1 + kGamma);
    }
    return 0;
  }
};

struct TopThree {
  std::unordered_map<std::int64_t, std::int64_t> counts;
  void add(std::int64_t value) { ++counts[value]; }
  void merge(const TopThree& other) {
    for (const auto& [value, count] : other.counts) counts[value] += count;
  }
  // The most frequent of them.
  double result() const {
    std::array<std::pair<std::int64_t, std::int64_t>, 3> top{};
    std::partial_sort_copy(counts.begin(), counts.end(), top.begin(), top.end(),
                           [](const auto& a, const auto& b) {
                             return a.second != b.second ? a.second > b.second : a.first < b.first;
                           });
    return static_cast<double>(top[0].first);
  }
};

}  // namespace tidemark::bench::limits
