// `tidemark window`: runs windowed aggregations over an input.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// Adds the subcommand; when it is called it sets `exit_code`, or throws UserError, BrokenPipe or
// another std::exception. `exit_code` must outlive `app`.
void add_window_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
