#include "tidemark/perf/latency_recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tidemark {

namespace {

constexpr int kHalfBits = 10;
constexpr std::size_t kHalf = std::size_t{1} << kHalfBits;
static_assert(LatencyRecorder::kSubBuckets == 2 * kHalf);

// The first 2048 buckets are 1 ns wide; every further 1024 are twice as wide as those before.
std::size_t bucket_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const int shift = static_cast<int>(std::bit_width(bits | (2 * kHalf - 1))) - 1 - kHalfBits;
  return (static_cast<std::size_t>(shift) << kHalfBits) + static_cast<std::size_t>(bits >> shift);
}

int shift_of(std::size_t bucket) {
  return bucket < 2 * kHalf ? 0 : static_cast<int>(bucket >> kHalfBits) - 1;
}

std::int64_t lowest_of(std::size_t bucket) {
  const int shift = shift_of(bucket);
  const std::size_t sub = bucket - (static_cast<std::size_t>(shift) << kHalfBits);
  return static_cast<std::int64_t>(sub) << shift;
}

std::int64_t highest_of(std::size_t bucket) {
  return lowest_of(bucket) + (std::int64_t{1} << shift_of(bucket)) - 1;
}

double middle_of(std::size_t bucket) {
  return 0.5 * (static_cast<double>(lowest_of(bucket)) + static_cast<double>(highest_of(bucket)));
}

// How many values make at least `percent` % of `count`, from 1. What a product misses a whole
// number by is rounding, not a reason for one value more.
std::uint64_t rank_of(double percent, std::uint64_t count) {
  const double exact = std::clamp(percent, 0.0, 100.0) * static_cast<double>(count) / 100;
  const double nearest = std::round(exact);
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * exact;
  const double rank = std::abs(exact - nearest) <= rounding ? nearest : std::ceil(exact);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, count);
}

}  // namespace

LatencyRecorder::LatencyRecorder() : counts_(bucket_of(kLongest) + 1, 0) {}

void LatencyRecorder::record(std::int64_t value, std::uint64_t count) {
  if (count == 0) return;
  value = std::clamp<std::int64_t>(value, 0, kLongest);
  counts_[bucket_of(value)] += count;
  count_ += count;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void LatencyRecorder::merge(const LatencyRecorder& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::optional<std::int64_t> LatencyRecorder::min() const {
  return count_ == 0 ? std::nullopt : std::optional(min_);
}

std::optional<std::int64_t> LatencyRecorder::max() const {
  return count_ == 0 ? std::nullopt : std::optional(max_);
}

std::optional<double> LatencyRecorder::mean() const {
  if (count_ == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += static_cast<double>(counts_[i]) * middle_of(i);
  }
  return sum / static_cast<double>(count_);
}

std::optional<double> LatencyRecorder::standard_deviation() const {
  const std::optional<double> middle = mean();
  if (!middle) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double distance = middle_of(i) - *middle;
    squares += static_cast<double>(counts_[i]) * distance * distance;
  }
  return std::sqrt(squares / static_cast<double>(count_));
}

std::optional<std::int64_t> LatencyRecorder::percentile(double percent) const {
  if (count_ == 0) return std::nullopt;
  if (percent <= 0) return min_;
  const std::uint64_t rank = rank_of(percent, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(highest_of(i), max_);
  }
  return max_;
}

std::uint64_t LatencyRecorder::count_at_or_below(std::int64_t value) const {
  if (value < 0) return 0;
  const std::size_t end = bucket_of(std::min(value, kLongest)) + 1;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < end; ++i) seen += counts_[i];
  return seen;
}

}  // namespace tidemark
