// What a measurement found, for people.
#pragma once

#include <string>

#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/machine.h"

namespace tidemark {

// Some twenty lines. `result` is complete.
std::string bench_text(const BenchResult& result, const Machine& machine, const Build& build);

}  // namespace tidemark
