// Latencies and the search for a rate as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tidemark/perf/bench_latency.h"
#include "tidemark/perf/bench_rates.h"

namespace tidemark {

// Documented in docs/benchmarking.md.
nlohmann::ordered_json latency_json(const LatencyRun& run);
nlohmann::ordered_json rates_json(const RateSearchResult& rates);
nlohmann::ordered_json recorder_json(const LatencyRun& run);

}  // namespace tidemark
