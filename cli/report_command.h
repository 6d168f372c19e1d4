// `tidemark report`.
#pragma once

#include <CLI/CLI.hpp>

namespace tidemark::cli {

void add_report_command(CLI::App& app, int& exit_code);

}  // namespace tidemark::cli
