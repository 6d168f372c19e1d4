// How far `tidemark bench` has come.
#pragma once

#include "cli/progress_line.h"
#include "tidemark/perf/bench_options.h"

namespace tidemark::cli {

// The phase by the number of runs that have begun, and the time left: rows of throughput passes
// that are still to be read at the rate so far, then the time of the latency run. A rate search has
// no known end.
ProgressLine::Estimator bench_progress(const BenchOptions& options);

}  // namespace tidemark::cli
