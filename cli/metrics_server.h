// The option --metrics.
#pragma once

#include <memory>
#include <string>

#include "tidemark/perf/live_metrics.h"

namespace tidemark::cli {

// Nothing for an empty address. Says on standard error where the metrics are; throws UserError if
// nothing can be served there.
std::unique_ptr<LiveMetrics> serve_metrics(const std::string& address, const LiveRuns& runs);

}  // namespace tidemark::cli
