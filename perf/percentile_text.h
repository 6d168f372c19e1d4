// Latency percentiles in the text format that HdrHistogram's plotters read.
#pragma once

#include <string>

#include "tidemark/perf/latency_recorder.h"

namespace tidemark {

// The classic percentile distribution (`.hgrm`), values in milliseconds, five lines for each
// halving of the distance to 100 %. Without values only the header and the summary lines.
std::string percentile_text(const LatencyRecorder& latencies);

}  // namespace tidemark
