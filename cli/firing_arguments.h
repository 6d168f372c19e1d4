// The options of `tidemark window` that say when windows fire and what they say then.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/window_arguments.h"
#include "tidemark/operators/query.h"

namespace tidemark::cli {

// `arguments` must outlive `command`.
void add_firing_options(CLI::App& command, WindowArguments& arguments);

// Sets lateness, early, accumulation, repeat_unchanged, reports_panes and state_ttl. Throws
// UserError for values that are wrong.
void set_firing(const WindowArguments& arguments, WindowQuery& query);

}  // namespace tidemark::cli
