#include "cli/firing_arguments.h"

#include <string>

#include "cli/duration_argument.h"
#include "cli/user_error.h"
#include "tidemark/operators/firing.h"

namespace tidemark::cli {

void add_firing_options(CLI::App& command, WindowArguments& arguments) {
  constexpr const char* kGroup = "Firing";
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->group(kGroup);
  };
  add("--lateness", arguments.lateness,
      "allowed lateness: keep fired windows that long, and fire them again on late rows");
  add("--early", arguments.early,
      "early firings of open windows: every DUR of event time, processing=DUR by the clock, or "
      "rows=N");
  add("--accumulate", arguments.accumulate,
      "what a later firing of the same window says: accumulating (default), discarding or "
      "retracting");
  command
      .add_flag("--repeat-unchanged", arguments.repeat_unchanged,
                "also firings that say the same as the one before")
      ->group(kGroup);
  add("--ttl", arguments.ttl,
      "drop the state of a key's window that has had no row for so long; default: never");
}

void set_firing(const WindowArguments& arguments, WindowQuery& query) {
  if (!arguments.lateness.empty()) query.lateness = duration_of("--lateness", arguments.lateness);
  if (!arguments.early.empty()) {
    const Expected<EarlyFiring> early = parse_early_firing(arguments.early);
    if (!early) throw UserError("--early: " + early.error().message);
    query.early = *early;
  }
  if (!arguments.accumulate.empty()) {
    const Expected<Accumulation> mode = parse_accumulation(arguments.accumulate);
    if (!mode) throw UserError("--accumulate: " + mode.error().message);
    query.accumulation = *mode;
  }
  query.repeat_unchanged = arguments.repeat_unchanged;
  query.reports_panes =
      !arguments.lateness.empty() || !arguments.early.empty() || !arguments.accumulate.empty();
  if (!arguments.ttl.empty()) query.state_ttl = positive_duration_of("--ttl", arguments.ttl);
}

}  // namespace tidemark::cli
