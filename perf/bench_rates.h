// Measures latency at rising rates until the highest that is sustained is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/perf/bench_latency.h"
#include "tidemark/perf/rate_search.h"

namespace tidemark {

struct RateStep {
  LatencyRun run;
  double backlog_growth = 0;  // rows per second
  bool sustained = false;
  bool overloaded = false;  // not sustained, whatever the latency was
  std::string reason;       // for people: why not; empty if sustained
};

struct RateSearchResult {
  std::optional<std::uint64_t> highest_sustained;  // rows per second
  bool at_limit = false;                           // no rate was tried that is not sustained
  RateSearchLimits limits;
  std::vector<RateStep> steps;  // in the order they ran; a rate may occur several times
};

// The search goes up to so many times the best throughput: passes over few rows, with the time to
// start and to drain them, are slower than a run that goes on.
inline constexpr std::uint64_t kMostOfThroughput = 8;

struct RateVerdict {
  RateOutcome outcome = RateOutcome::kSustained;
  std::string reason;  // in a few words; empty if sustained
};

// A run at a rate is not sustained if
//  - less than 99 % of the offered rate was sent, or
//  - the backlog grew by more than 1 % of the offered rate, or
//  - the 99th percentile of event time to result is above `latency_bound`, or
//  - no result was recorded, so that there is no latency to judge by.
// It is overloaded if the backlog grew, or if it was cut off; otherwise late. A stall at the end of
// a short run keeps rows from being sent too, and says nothing of higher rates.
RateVerdict judge_rate(const LatencyRun& run, std::chrono::nanoseconds latency_bound);

// Tries rates by RateSearch, each as in run_latency, until that is done or `options` are cancelled.
RateSearchResult find_rate(const BenchOptions& options, const RateSearchLimits& limits);

}  // namespace tidemark
