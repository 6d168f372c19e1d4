// What a suite of jobs found, as JSON and as text.
#pragma once

#include <string>

#include "tidemark/perf/bench_suite.h"
#include "tidemark/perf/machine.h"

namespace tidemark {

// One JSON object of the same schema as bench_json, with `suite` instead of the parts that one job
// has; documented in docs/benchmarking.md. `result` is complete.
std::string suite_json(const SuiteResult& result, const Machine& machine, const Build& build);

// Several lines for people.
std::string suite_text(const SuiteResult& result, const Machine& machine, const Build& build);

}  // namespace tidemark
