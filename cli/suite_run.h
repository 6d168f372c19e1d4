// `tidemark bench --suite`: a fixed set of jobs instead of one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidemark/perf/bench_suite.h"

namespace tidemark::cli {

struct SuiteArguments {
  std::string suite;   // its name
  std::string job;     // only this one, once, without a report; empty: all
  std::string repeat;  // passes of each job
  std::string json;    // may be empty, and so may html
  std::string html;
  bool instructions = false;
  bool progress = false;  // a line on standard error
};

using SuiteMeasurement = std::function<Expected<SuiteResult>(
    const std::string& name, const std::vector<SuiteJob>& jobs, const SuiteOptions& options)>;

// Has it measured by `measure` and reports it; returns the exit code. Throws UserError.
int run_suite_command(const SuiteArguments& arguments, const SuiteMeasurement& measure);

}  // namespace tidemark::cli
