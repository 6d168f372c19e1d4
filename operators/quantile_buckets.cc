#include "tidemark/operators/quantile_buckets.h"

#include <cmath>
#include <limits>

namespace tidemark {

namespace {

constexpr double kGrowth = 1.01 / 0.99;
// Above and below every index of a finite number, which lie within 38,000 of 0.
constexpr std::int64_t kMiddle = 100'000;
constexpr std::int64_t kInfinity = 2 * kMiddle;
constexpr std::int64_t kNaN = kInfinity + 1;

std::int64_t index_of(double magnitude) {
  static const double scale = 1 / std::log(kGrowth);
  return static_cast<std::int64_t>(std::ceil(std::log(magnitude) * scale));
}

}  // namespace

std::int64_t quantile_bucket(double value) {
  if (std::isnan(value)) return kNaN;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return 0;
  const std::int64_t bucket = std::isinf(value) ? kInfinity : kMiddle + index_of(magnitude);
  return value < 0 ? -bucket : bucket;
}

double quantile_bucket_value(std::int64_t bucket) {
  if (bucket == 0) return 0;
  if (bucket == kNaN) return std::numeric_limits<double>::quiet_NaN();
  const std::int64_t magnitude = bucket < 0 ? -bucket : bucket;
  double value = std::numeric_limits<double>::infinity();
  if (magnitude != kInfinity) {
    // The middle by relative error; a factor at a time so that the largest do not overflow.
    const double upper = std::exp(static_cast<double>(magnitude - kMiddle) * std::log(kGrowth));
    value = std::isinf(upper) ? std::numeric_limits<double>::max() : upper * (2 / (kGrowth + 1));
  }
  return bucket < 0 ? -value : value;
}

}  // namespace tidemark
