#include "cli/metrics_server.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/user_error.h"

namespace tidemark::cli {

std::unique_ptr<LiveMetrics> serve_metrics(const std::string& address, const LiveRuns& runs) {
  if (address.empty()) return nullptr;
  std::unique_ptr<LiveMetrics> metrics = value_or_throw(LiveMetrics::serve(address, runs));
  fmt::print(stderr, "tidemark: metrics at {}\n", metrics->url());
  return metrics;
}

}  // namespace tidemark::cli
