// `tidemark profile`: measures what window state costs, per strategy.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "tidemark/perf/state_profile.h"

namespace tidemark::cli {

// What measures; the command parses, reports and decides on the exit code.
using ProfileMeasurement = std::function<StateProfile(const ProfileOptions&)>;

// As add_window_command().
void add_profile_command(CLI::App& app, int& exit_code, ProfileMeasurement measure = run_profile);

}  // namespace tidemark::cli
