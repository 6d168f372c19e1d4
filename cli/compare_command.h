// `tidemark compare`: decides whether a measurement regressed against another.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

// `exit_code` is set when the command runs; it must outlive the parsing of `app`.
void add_compare_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
