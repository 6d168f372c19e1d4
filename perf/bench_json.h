// What a measurement found, as JSON.
#pragma once

#include <string>

#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/machine.h"

namespace tidemark {

// One JSON object, documented in docs/benchmarking.md. `result` is complete.
std::string bench_json(const BenchResult& result, const Machine& machine, const Build& build);

}  // namespace tidemark
