// Latency percentiles in the text format that HdrHistogram's plotters read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/perf/latency_recorder.h"

namespace tidemark {

// A point of a distribution's curve: `count` values, `percent` % of all, are at or below `value`.
struct PercentilePoint {
  double percent = 0;
  std::int64_t value = 0;  // ns
  std::uint64_t count = 0;
};

// Five points for each halving of the distance to 100 %, the last at 100 %; none without values.
std::vector<PercentilePoint> percentile_curve(const LatencyRecorder& latencies);

// The classic percentile distribution (`.hgrm`), values in milliseconds, a line for each
// point of the curve. Without values only the header and the summary lines.
std::string percentile_text(const LatencyRecorder& latencies);

}  // namespace tidemark
