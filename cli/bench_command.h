// `tidemark bench`: measures throughput and latency of a windowed job.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/suite_run.h"
#include "tidemark/perf/bench_run.h"

namespace tidemark::cli {

// What measures; the command parses, reports and decides on the exit code.
struct BenchMeasurements {
  std::function<BenchResult(const BenchOptions&)> job = run_bench;
  SuiteMeasurement suite = run_suite;
};

// As add_window_command().
void add_bench_command(CLI::App& app, int& exit_code, BenchMeasurements measurements = {});

}  // namespace tidemark::cli
