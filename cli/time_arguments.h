// The options of `tidemark window` that say what time is.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/window_arguments.h"
#include "tidemark/operators/query.h"

namespace tidemark::cli {

// `arguments` must outlive `command`.
void add_time_options(CLI::App& command, WindowArguments& arguments);

// Sets time_domain, watermarks, delay, max_ahead and idle_timeout. Throws UserError for values that
// are wrong and for options that contradict each other.
void set_time_rules(const WindowArguments& arguments, WindowQuery& query);

}  // namespace tidemark::cli
