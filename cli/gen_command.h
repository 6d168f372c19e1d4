// `tidemark gen`: writes a generated stream.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// As add_window_command().
void add_gen_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
