// `tidemark bench`: measures throughput and latency of a windowed job.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// As add_window_command().
void add_bench_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
