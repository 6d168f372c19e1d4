// `tidemark explain`: prints how a windowed job would run, and runs nothing.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// As add_window_command().
void add_explain_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
