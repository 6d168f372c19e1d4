#include "cli/compare_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/compare_arguments.h"
#include "cli/report_output.h"
#include "cli/signal_watch.h"
#include "cli/user_error.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/quantity.h"
#include "tidemark/perf/comparison.h"
#include "tidemark/perf/comparison_json.h"
#include "tidemark/perf/comparison_text.h"
#include "tidemark/perf/confirmation.h"
#include "tidemark/perf/history.h"
#include "tidemark/perf/interleaved_runs.h"
#include "tidemark/perf/measurement.h"
#include "tidemark/perf/progress_text.h"

namespace tidemark::cli {

namespace {

constexpr const char* kCompareExamples =
    R"(BASE and NEW are JSON files of `tidemark bench`, `tidemark profile` or any Google Benchmark
program, or folders that hold one such file per run. Exit codes: 0 no regression, 2 not comparable
or too few samples, 3 regression, 4 wrong results.

Examples:
  tidemark bench --window 'tumbling size=10s' --rows 100k --repeat 10 --rate max --json base.json
  tidemark compare base.json base.json --all
  tidemark compare base.json base.json --threshold 3% --markdown compare.md --junit compare.xml --json compare.json --history history.jsonl
  tidemark compare --history history.jsonl
  tidemark compare --run --turns 1 --threshold 90% 'tidemark bench --window "tumbling size=1s" --rows 20k --repeat 1 --rate max --json {json}' 'tidemark bench --window "tumbling size=1s" --rows 20k --repeat 1 --rate max --json {json}'
  tidemark compare --run --wall-time --turns 1 --threshold 900% 'tidemark gen orders --rows 1000' 'tidemark gen orders --rows 1000'
)";

constexpr int kExitNotComparable = 2;
constexpr int kExitRegression = 3;
// Back to the start of a terminal's line, and clear it.
constexpr const char* kClearTerminalLine = "\r\x1b[K";

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// What was measured, or why nothing could be.
struct Sides {
  Measurement base;
  Measurement next;
  std::string problem;
  bool cancelled = false;
};

Measurement read_side(const std::string& path, BenchmarkTime time, std::string& problem) {
  if (::access(path.c_str(), R_OK) != 0) {
    throw UserError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  Expected<Measurement> measurement = read_measurement_file(path, time);
  if (measurement) return std::move(*measurement);
  if (problem.empty()) problem = measurement.error().message;
  Measurement nothing;
  nothing.source = path;
  return nothing;
}

Sides read_sides(const CompareArguments& arguments) {
  const BenchmarkTime time = time_of(arguments);
  Sides sides;
  sides.base = read_side(arguments.inputs.front(), time, sides.problem);
  sides.next = read_side(arguments.inputs.back(), time, sides.problem);
  return sides;
}

// On a terminal, one line that says which run comes and how long all will take.
std::function<void(std::size_t, std::size_t)> progress_line() {
  if (::isatty(STDERR_FILENO) != 1) return {};
  using std::chrono::steady_clock;
  return [start = steady_clock::now()](std::size_t done, std::size_t all) {
    fmt::print(stderr, "{}{}", kClearTerminalLine,
               runs_progress_text(done, all, steady_clock::now() - start));
    std::fflush(stderr);
  };
}

Sides run_sides(const CompareArguments& arguments, const Cancellation& cancellation,
                std::uint64_t further_seed) {
  InterleavedOptions options;
  options.base_command = arguments.inputs.front();
  options.next_command = arguments.inputs.back();
  options.runs = runs_of(arguments);
  options.turns = turns_of(arguments);
  options.whole_process = arguments.wall_time;
  options.instructions = arguments.instructions && further_seed == 0;
  options.time = time_of(arguments);
  options.seed = value_or_throw(parse_count(arguments.seed, "--seed")) + further_seed;
  options.cancellation = &cancellation;
  options.progress = progress_line();
  Sides sides;
  sides.base.source = options.base_command;
  sides.next.source = options.next_command;
  Expected<InterleavedRuns> runs = run_interleaved(options);
  if (options.progress) fmt::print(stderr, "{}", kClearTerminalLine);
  if (!runs) {
    sides.problem = runs.error().message;
    return sides;
  }
  sides.base = std::move(runs->base);
  sides.next = std::move(runs->next);
  sides.base.source = options.base_command;
  sides.next.source = options.next_command;
  sides.cancelled = runs->cancelled;
  return sides;
}

Comparison compare_sides(const Sides& sides, const CompareOptions& options) {
  if (sides.problem.empty()) return compare(sides.base, sides.next, options);
  Comparison comparison;
  comparison.base_source = sides.base.source;
  comparison.next_source = sides.next.source;
  comparison.base_machine = comparison.base_build = "null";
  comparison.next_machine = comparison.next_build = "null";
  comparison.options = options;
  comparison.not_comparable = sides.problem;
  return comparison;
}

// Measures again, if something regressed, and takes back what does not show in both together.
// Returns false if it was cancelled.
bool confirm_by_rerun(const CompareArguments& arguments, const Cancellation& cancellation,
                      CompareOptions options, Sides& sides, Comparison& comparison) {
  options.only = alarmed_timings(comparison);
  if (options.only.empty()) return true;
  fmt::print(stderr, "tidemark: {} regressed; measuring again to confirm\n",
             fmt::join(options.only, ", "));
  Sides again = run_sides(arguments, cancellation, 1);
  if (again.cancelled) return false;
  if (!again.problem.empty() || !add_run(sides.base, again.base) ||
      !add_run(sides.next, again.next)) {
    return true;
  }
  confirm(comparison, compare(sides.base, sides.next, options));
  return true;
}

int exit_code_of(const Comparison& comparison) {
  if (!comparison.wrong.empty()) return kExitWrongResult;
  switch (comparison.verdict()) {
    case OverallVerdict::kRegressed:
      return kExitRegression;
    case OverallVerdict::kNotComparable:
      return kExitNotComparable;
    default:
      return kExitDone;
  }
}

// The files that are asked for, opened before anything is measured.
class CompareOutputs {
 public:
  explicit CompareOutputs(const CompareArguments& arguments)
      : markdown_(open_report(arguments.markdown)),
        junit_(open_report(arguments.junit)),
        json_(open_report(arguments.json)),
        html_(open_report(arguments.html)),
        bigger_(open_report(github_action_path(arguments.github_action, Better::kHigher))),
        smaller_(open_report(github_action_path(arguments.github_action, Better::kLower))) {}

  void write(const Comparison& comparison, const HistoryFindings* findings) {
    const std::string json = comparison_json(comparison, findings);
    write_report(markdown_.get(), comparison_markdown(comparison));
    write_report(junit_.get(), comparison_junit(comparison));
    write_report(json_.get(), json);
    write_page(html_.get(), "compare.json", json);
    write_report(bigger_.get(), github_action_json(comparison, Better::kHigher));
    write_report(smaller_.get(), github_action_json(comparison, Better::kLower));
  }

 private:
  using File = std::unique_ptr<OutputFile>;

  File markdown_;
  File junit_;
  File json_;
  File html_;
  File bigger_;
  File smaller_;
};

void print(const std::string& text) {
  const std::unique_ptr<OutputFile> out = value_or_throw(OutputFile::open("-"));
  out->buffer().append(text);
  out->close();
}

// Appends NEW, if there is one, and looks for change points.
HistoryFindings look_at_history(const CompareArguments& arguments, const Measurement* next) {
  const std::string& path = arguments.history;
  if (next == nullptr && ::access(path.c_str(), R_OK) != 0) {
    throw UserError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  Expected<History> history = read_history(path);
  if (!history) throw UserError(history.error().message);
  if (history->last_line_is_torn) {
    fmt::print(stderr, "tidemark: the last line of {} was cut off while it was written; left out\n",
               path);
  }
  if (next != nullptr) {
    HistoryEntry entry = history_entry(*next, now_text());
    if (!arguments.commit.empty()) entry.commit = arguments.commit;
    value_or_throw(append_history(path, entry));
    history->entries.push_back(std::move(entry));
  }
  HistoryFindings findings;
  findings.series = history_series(*history, arguments.allow_different);
  findings.change_points = history_change_points(findings.series, {});
  return findings;
}

// Without BASE there is only the history.
int follow_history(const CompareArguments& arguments) {
  Measurement next;
  std::string problem;
  if (!arguments.inputs.empty()) {
    next = read_side(arguments.inputs.front(), time_of(arguments), problem);
  }
  if (problem.empty() && !next.wrong.empty()) problem = next.wrong;
  if (!problem.empty()) {
    fmt::print(stderr, "tidemark: {}\n", problem);
    return next.wrong.empty() ? kExitNotComparable : kExitWrongResult;
  }
  const HistoryFindings findings =
      look_at_history(arguments, arguments.inputs.empty() ? nullptr : &next);
  print(change_points_text(findings.change_points));
  return kExitDone;
}

bool writes_to_standard_output(const CompareArguments& arguments) {
  return arguments.json == "-" || arguments.markdown == "-" || arguments.junit == "-" ||
         arguments.html == "-";
}

// Refuses a history that cannot be read or appended to before anything is measured.
void check_history(const CompareArguments& arguments) {
  if (arguments.history.empty()) return;
  value_or_throw(read_history(arguments.history));
  if (!arguments.inputs.empty()) value_or_throw(check_history_is_writable(arguments.history));
}

// Writes and prints everything that was found; returns the exit code.
int report(const CompareArguments& arguments, const Sides& sides, const Comparison& comparison,
           CompareOutputs& outputs) {
  std::string text = comparison_text(comparison, arguments.all);
  if (arguments.history.empty() || !sides.problem.empty() || !comparison.wrong.empty()) {
    outputs.write(comparison, nullptr);
  } else {
    const HistoryFindings findings = look_at_history(arguments, &sides.next);
    outputs.write(comparison, &findings);
    text += "\n" + change_points_text(findings.change_points);
  }
  const int exit_code = exit_code_of(comparison);
  // What cannot be compared is an error before it is a report.
  if (exit_code == kExitNotComparable) {
    fmt::print(stderr, "tidemark: {}\n", comparison.not_comparable);
  }
  if (exit_code == kExitWrongResult) fmt::print(stderr, "tidemark: {}\n", comparison.wrong);
  if (!comparison.figures.empty() && !writes_to_standard_output(arguments)) print(text);
  return exit_code;
}

int stopped(const SignalWatch& signals) {
  fmt::print(stderr, "tidemark: stopped before the measurement was complete\n");
  return signals.exit_code(kExitDone);
}

int compare_commands(const CompareArguments& arguments, const CompareOptions& options) {
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  CompareOutputs outputs(arguments);
  Sides sides = run_sides(arguments, cancellation, 0);
  if (sides.cancelled) return stopped(signals);
  Comparison comparison = compare_sides(sides, options);
  if (!arguments.no_confirm &&
      !confirm_by_rerun(arguments, cancellation, options, sides, comparison)) {
    return stopped(signals);
  }
  return report(arguments, sides, comparison, outputs);
}

int compare_inputs(const CompareArguments& arguments) {
  const CompareOptions options = compare_options_of(arguments);
  check_history(arguments);
  if (arguments.run) return compare_commands(arguments, options);
  if (arguments.inputs.size() < 2) return follow_history(arguments);
  const Sides sides = read_sides(arguments);
  CompareOutputs outputs(arguments);
  return report(arguments, sides, compare_sides(sides, options), outputs);
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("compare", "decide whether NEW regressed against BASE");
  const auto arguments = std::make_shared<CompareArguments>();
  add_compare_options(*command, *arguments);
  command->footer(kCompareExamples);
  command->callback([command, arguments, &exit_code] {
    check_compare_arguments(*command, *arguments);
    exit_code = compare_inputs(*arguments);
  });
}

}  // namespace tidemark::cli
