#include "tidemark/perf/percentile_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>

namespace tidemark {

namespace {

constexpr double kLinesPerHalving = 5;

double as_milliseconds(double nanoseconds) { return nanoseconds / 1e6; }

// The percentage of the next line: steps shrink by half whenever the rest to 100 % has halved.
double next_percent(double percent) {
  const double halvings = std::floor(std::log2(100 / (100 - percent))) + 1;
  return percent + 100 / (kLinesPerHalving * std::exp2(halvings));
}

}  // namespace

std::vector<PercentilePoint> percentile_curve(const LatencyRecorder& latencies) {
  std::vector<PercentilePoint> curve;
  double percent = 0;
  std::uint64_t seen = 0;
  while (seen < latencies.count()) {
    const std::int64_t value = *latencies.percentile(percent);
    seen = latencies.count_at_or_below(value);
    curve.push_back({percent, value, seen});
    percent = next_percent(percent);
  }
  if (seen > 0) curve.push_back({100, *latencies.max(), seen});
  return curve;
}

std::string percentile_text(const LatencyRecorder& latencies) {
  fmt::memory_buffer text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount",
                 "1/(1-Percentile)");
  for (const PercentilePoint& point : percentile_curve(latencies)) {
    fmt::format_to(to, "{:12.3f} {:14.12f} {:10}",
                   as_milliseconds(static_cast<double>(point.value)), point.percent / 100,
                   point.count);
    if (point.percent < 100) fmt::format_to(to, " {:14.2f}", 100 / (100 - point.percent));
    text.push_back('\n');
  }
  fmt::format_to(to, "#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n",
                 as_milliseconds(latencies.mean().value_or(0)),
                 as_milliseconds(latencies.standard_deviation().value_or(0)));
  fmt::format_to(to, "#[Max     = {:12.3f}, Total count    = {:12}]\n",
                 as_milliseconds(static_cast<double>(latencies.max().value_or(0))),
                 latencies.count());
  fmt::format_to(to, "#[Buckets = {:12}, SubBuckets     = {:12}]\n", 32,
                 LatencyRecorder::kSubBuckets);
  return fmt::to_string(text);
}

}  // namespace tidemark
