#include "tidemark/perf/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace tidemark {

namespace {

// Ranks from 1, samples that are equal share the mean of theirs; times two, so that they are whole.
struct DoubledRanks {
  std::vector<std::uint32_t> ranks;  // in the order of the samples
  double tie_cubes = 0;              // sum of t^3 - t over groups of t equal samples
};

DoubledRanks doubled_ranks(const std::vector<double>& samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  DoubledRanks result{std::vector<std::uint32_t>(samples.size()), 0};
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && samples[order[end]] == samples[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      result.ranks[order[i]] = static_cast<std::uint32_t>(begin + 1 + end);
    }
    const auto ties = static_cast<double>(end - begin);
    result.tie_cubes += ties * ties * ties - ties;
    begin = end;
  }
  return result;
}

double two_sided_normal(double deviation, double variance) {
  if (variance <= 0) return 1;
  const double corrected = std::max(0.0, std::abs(deviation) - 0.5);
  return std::min(1.0, std::erfc(corrected / std::sqrt(2 * variance)));
}

// Share of the weight in `ways` at sums at least as far from `middle` as `sum`.
double share_as_far(const std::vector<double>& ways, double middle, double sum) {
  const double distance = std::abs(sum - middle);
  double all = 0, far = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    all += ways[s];
    if (std::abs(static_cast<double>(s) - middle) >= distance) far += ways[s];
  }
  return far / all;
}

// Ways to choose `chosen` of `ranks`, by their sum.
std::vector<double> ways_to_choose(const std::vector<std::uint32_t>& ranks, std::size_t chosen) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1));
  ways[0][0] = 1;
  std::size_t reached = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    reached += ranks[i];
    for (std::size_t k = std::min(i + 1, chosen); k > 0; --k) {
      for (std::size_t s = ranks[i]; s <= reached; ++s) ways[k][s] += ways[k - 1][s - ranks[i]];
    }
  }
  return ways[chosen];
}

// Ways to choose any number of `ranks`, by their sum.
std::vector<double> ways_to_sum(const std::vector<std::uint32_t>& ranks) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> ways(most + 1);
  ways[0] = 1;
  for (const std::uint32_t rank : ranks) {
    for (std::size_t s = most; s >= rank; --s) ways[s] += ways[s - rank];
  }
  return ways;
}

// Continued fraction of the incomplete beta function (Lentz's method; Abramowitz and
// Stegun 26.5.8).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int i = 1; i <= 500; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-14) break;
  }
  return fraction;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<double> pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const DoubledRanks doubled = doubled_ranks(pooled);
  const double sum = std::accumulate(
      doubled.ranks.begin(), doubled.ranks.begin() + static_cast<std::ptrdiff_t>(a.size()), 0.0);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double all = n + m;
  const double middle = n * (all + 1);
  if (pooled.size() <= kExactSamples) {
    return share_as_far(ways_to_choose(doubled.ranks, a.size()), middle, sum);
  }
  const double variance = n * m / 12 * (all + 1 - doubled.tie_cubes / (all * (all - 1)));
  return two_sided_normal((sum - middle) / 2, variance);
}

double smallest_mann_whitney_p(std::size_t a, std::size_t b) {
  if (a == 0 || b == 0) return 1;
  if (a + b <= kExactSamples) {
    // Two of all ways to deal the samples out.
    double ways = 1;
    for (std::size_t i = 1; i <= b; ++i) {
      ways *= static_cast<double>(a + i) / static_cast<double>(i);
    }
    return std::min(1.0, 2 / ways);
  }
  std::vector<double> low(a, 0), high(b, 0);
  std::iota(low.begin(), low.end(), 0.0);
  std::iota(high.begin(), high.end(), static_cast<double>(a));
  return mann_whitney_p(low, high);
}

double signed_rank_p(const std::vector<double>& differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return 1;
  const DoubledRanks doubled = doubled_ranks(sizes);
  double sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) sum += positive[i] ? doubled.ranks[i] : 0;
  const auto n = static_cast<double>(sizes.size());
  const double middle = n * (n + 1) / 2;
  if (sizes.size() <= kExactSamples) return share_as_far(ways_to_sum(doubled.ranks), middle, sum);
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - doubled.tie_cubes / 48;
  return two_sided_normal((sum - middle) / 2, variance);
}

double smallest_signed_rank_p(std::size_t pairs) {
  return std::min(1.0, std::exp2(1 - static_cast<double>(pairs)));
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double scaled = p_values[order[i]] * static_cast<double>(order.size() - i);
    highest = std::max(highest, std::min(1.0, scaled));
    adjusted[order[i]] = highest;
  }
  return adjusted;
}

double welch_p(double mean_a, double deviation_a, std::size_t count_a, double mean_b,
               double deviation_b, std::size_t count_b) {
  const auto n = static_cast<double>(count_a);
  const auto m = static_cast<double>(count_b);
  const double error_a = deviation_a * deviation_a / n;
  const double error_b = deviation_b * deviation_b / m;
  const double error = error_a + error_b;
  if (error <= 0) return mean_a == mean_b ? 1 : 0;
  const double t = (mean_a - mean_b) / std::sqrt(error);
  const double freedom =
      error * error / (error_a * error_a / (n - 1) + error_b * error_b / (m - 1));
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double median_of(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return samples[middle - 1] + (samples[middle] - samples[middle - 1]) / 2;
}

double hodges_lehmann(const std::vector<double>& samples) {
  std::vector<double> means;
  means.reserve(samples.size() * (samples.size() + 1) / 2);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i; j < samples.size(); ++j) {
      means.push_back(samples[i] + (samples[j] - samples[i]) / 2);
    }
  }
  return median_of(std::move(means));
}

}  // namespace tidemark
