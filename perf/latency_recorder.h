// Latencies as a log-linear histogram: constant memory, constant time, three significant digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark {

// Values are nanoseconds. Buckets are those of HdrHistogram (G. Tene) with 2048 sub-buckets: exact
// below 2048 ns, above that at most 1/1024 of the value wide. Longer values than kLongest count as
// kLongest, negative ones as 0. Not thread-safe: one per worker, merged at the end. About 270 KB.
class LatencyRecorder {
 public:
  static constexpr std::int64_t kLongest = 3'600'000'000'000;  // 1 h
  static constexpr std::int64_t kSubBuckets = 2048;

  LatencyRecorder();

  // Records `value` `count` times. Does not allocate.
  void record(std::int64_t value, std::uint64_t count = 1);
  void merge(const LatencyRecorder& other);

  std::uint64_t count() const { return count_; }

  // Without values there is nothing to tell, not 0. min and max are exact, mean and deviation are
  // taken over the middles of buckets.
  std::optional<std::int64_t> min() const;
  std::optional<std::int64_t> max() const;
  std::optional<double> mean() const;
  std::optional<double> standard_deviation() const;

  // The smallest recorded value with at least `percent` % of all values at or below it, given as
  // the upper end of its bucket, but never above max(). 0.5 means half a percent. `percent` is held
  // within 0 and 100; 0 gives min() and 100 gives max(). Looks at every bucket.
  std::optional<std::int64_t> percentile(double percent) const;

  // How many values lie in the buckets up to that of `value`. Looks at every such bucket.
  std::uint64_t count_at_or_below(std::int64_t value) const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::int64_t min_ = kLongest;
  std::int64_t max_ = 0;
};

}  // namespace tidemark
