// `tidemark profile`: measures what window state costs, per strategy.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// As add_window_command().
void add_profile_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
