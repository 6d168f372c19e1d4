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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/report_output.h"
#include "cli/signal_watch.h"
#include "cli/user_error.h"
#include "tidemark/connectors/output_file.h"
#include "tidemark/connectors/quantity.h"
#include "tidemark/perf/comparison.h"
#include "tidemark/perf/comparison_json.h"
#include "tidemark/perf/comparison_text.h"
#include "tidemark/perf/history.h"
#include "tidemark/perf/interleaved_runs.h"
#include "tidemark/perf/measurement.h"

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

struct CompareArguments {
  std::vector<std::string> inputs;
  std::string threshold = "5%";
  std::string alpha = "0.05";
  std::string min_runs = "10";
  std::string instruction_tolerance = "2%";
  std::string time = "real";
  std::string gate = "all";
  std::string runs;
  std::string turns = "4";
  std::string seed = "1";
  std::string commit;
  std::string markdown;
  std::string junit;
  std::string json;
  std::string html;
  std::string github_action;
  std::string history;
  std::vector<std::string> only;
  std::vector<std::string> ignore;
  std::vector<std::string> lower;
  std::vector<std::string> higher;
  bool run = false;
  bool wall_time = false;
  bool instructions = false;
  bool no_confirm = false;
  bool allow_different = false;
  bool allow_missing = false;
  bool all = false;
};

void add_deciding_options(CLI::App& command, CompareArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help);
  };
  const auto add_patterns = [&](const char* name, std::vector<std::string>& value,
                                const char* help) {
    command.add_option(name, value, help)->allow_extra_args(false);
  };
  add("--threshold", arguments.threshold, "smallest change of a timing that counts; default 5%");
  add("--alpha", arguments.alpha,
      "chance of any false alarm among all timings, default 0.05; 1: the threshold alone decides");
  add("--min-runs", arguments.min_runs, "samples that a timing needs on each side; default 10");
  add("--instruction-tolerance", arguments.instruction_tolerance,
      "change of an instruction count that is none; default 2%");
  add("--gate", arguments.gate, "all (default), or counters: timings are reported only");
  add("--time", arguments.time, "of Google Benchmark rows: real (default) or cpu");
  add_patterns("--only", arguments.only, "compare figures of this name or pattern; repeatable");
  add_patterns("--ignore", arguments.ignore, "leave figures of this pattern out; repeatable");
  add_patterns("--lower", arguments.lower, "user counters of which less is better; repeatable");
  add_patterns("--higher", arguments.higher, "user counters of which more is better; repeatable");
  command.add_flag("--allow-different", arguments.allow_different,
                   "compare although machine, build or options differ");
  command.add_flag("--allow-missing", arguments.allow_missing,
                   "figures that NEW lacks are listed, but are no failure");
}

void add_running_options(CLI::App& command, CompareArguments& arguments) {
  command.add_flag("--run", arguments.run,
                   "BASE and NEW are command lines: run them in turn. Each writes JSON to standard "
                   "output, or to the file that {json} in it stands for");
  command.add_option("--runs", arguments.runs,
                     "with --run: runs of each command; default: --min-runs");
  command.add_option("--turns", arguments.turns,
                     "with --run: a run is this many short ones in turn, A B A B; default 4");
  command.add_flag("--wall-time", arguments.wall_time,
                   "with --run: measure the whole process, whatever it writes");
  command.add_flag("--instructions", arguments.instructions,
                   "with --run: count instructions too, by the CPU's counter or by valgrind");
  command.add_flag("--no-confirm", arguments.no_confirm,
                   "with --run: do not measure again what regressed");
  command.add_option("--seed", arguments.seed,
                     "with --run: of which command goes first in each pair; default 1");
}

void add_output_options(CLI::App& command, CompareArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help);
  };
  command.add_flag("--all", arguments.all, "list figures that are the same, too");
  add("--markdown", arguments.markdown, "file for a Markdown table, such as for a pull request");
  add("--junit", arguments.junit, "file for JUnit XML");
  add("--json", arguments.json, "file for everything as one JSON object");
  add("--html", arguments.html, "file for a page with charts, which opens without a network");
  add("--github-action", arguments.github_action,
      "NAME.json: writes NAME.bigger.json and NAME.smaller.json for github-action-benchmark");
  add("--history", arguments.history,
      "append NEW to this file and find change points in it; alone: only find them");
  add("--commit", arguments.commit, "of NEW, for the history; default: what its JSON says");
}

double fraction_of(const char* option, const std::string& text) {
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  const bool is_percent = end != text.c_str() && std::string_view(end) == "%";
  if (!is_percent || !(percent >= 0) || percent > 1e6) {
    throw UserError(fmt::format("{} must be a percentage such as 5%, but is {}", option, text));
  }
  return percent / 100;
}

double probability_of(const char* option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value > 0) || value > 1) {
    throw UserError(
        fmt::format("{} must be above 0 and at most 1, such as 0.05, but is {}", option, text));
  }
  return value;
}

std::size_t count_of(const char* option, const std::string& text) {
  constexpr std::uint64_t kMost = 10'000;
  const std::uint64_t count = value_or_throw(parse_count(text, option));
  if (count == 0 || count > kMost) {
    throw UserError(fmt::format("{} must be from 1 to {}, but is {}", option, kMost, text));
  }
  return count;
}

CompareOptions compare_options_of(const CompareArguments& arguments) {
  CompareOptions options;
  options.threshold = fraction_of("--threshold", arguments.threshold);
  options.alpha = probability_of("--alpha", arguments.alpha);
  options.min_runs = count_of("--min-runs", arguments.min_runs);
  options.instruction_tolerance =
      fraction_of("--instruction-tolerance", arguments.instruction_tolerance);
  if (arguments.gate != "all" && arguments.gate != "counters") {
    throw UserError(fmt::format("--gate must be all or counters, but is {}", arguments.gate));
  }
  options.counters_only = arguments.gate == "counters";
  options.allow_different = arguments.allow_different;
  options.allow_missing = arguments.allow_missing;
  options.paired = arguments.run;
  options.only = arguments.only;
  options.ignore = arguments.ignore;
  options.lower = arguments.lower;
  options.higher = arguments.higher;
  return options;
}

BenchmarkTime time_of(const CompareArguments& arguments) {
  if (arguments.time == "real") return BenchmarkTime::kReal;
  if (arguments.time == "cpu") return BenchmarkTime::kCpu;
  throw UserError(fmt::format("--time must be real or cpu, but is {}", arguments.time));
}

void check_inputs(const CompareArguments& arguments) {
  const std::size_t count = arguments.inputs.size();
  if (!arguments.history.empty() && !arguments.run && count < 2) return;
  if (count != 2) {
    throw UserError(
        fmt::format("compare needs BASE and NEW, two {}; {} given (--help shows examples)",
                    arguments.run ? "command lines" : "files or folders",
                    count == 1 ? "one is" : fmt::format("{} are", count)));
  }
  if (arguments.run) return;
  if (arguments.wall_time || arguments.instructions || !arguments.runs.empty()) {
    throw UserError("--wall-time, --instructions and --runs belong to --run, which runs commands");
  }
}

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

void show_progress(std::size_t done, std::size_t all) {
  if (::isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\033[Krun {} of {}{}", done + 1, all, done + 1 == all ? "\r\033[K" : "");
}

Sides run_sides(const CompareArguments& arguments, const Cancellation& cancellation,
                std::uint64_t further_seed) {
  InterleavedOptions options;
  options.base_command = arguments.inputs.front();
  options.next_command = arguments.inputs.back();
  options.runs = count_of("--runs", arguments.runs.empty() ? arguments.min_runs : arguments.runs);
  options.turns = count_of("--turns", arguments.turns);
  options.whole_process = arguments.wall_time;
  options.instructions = arguments.instructions && further_seed == 0;
  options.time = time_of(arguments);
  options.seed = value_or_throw(parse_count(arguments.seed, "--seed")) + further_seed;
  options.cancellation = &cancellation;
  options.progress = show_progress;
  Sides sides;
  sides.base.source = options.base_command;
  sides.next.source = options.next_command;
  Expected<InterleavedRuns> runs = run_interleaved(options);
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
        bigger_(open_report(github_name(arguments.github_action, "bigger"))),
        smaller_(open_report(github_name(arguments.github_action, "smaller"))) {}

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

  static std::string github_name(const std::string& path, const char* which) {
    if (path.empty()) return path;
    const std::string stem = path.ends_with(".json") ? path.substr(0, path.size() - 5) : path;
    return fmt::format("{}.{}.json", stem, which);
  }
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

// Refuses a history that cannot be read before anything is measured.
void check_history(const CompareArguments& arguments) {
  if (!arguments.history.empty()) value_or_throw(read_history(arguments.history));
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

int compare_commands(const CompareArguments& arguments, const CompareOptions& options) {
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  CompareOutputs outputs(arguments);
  Sides sides = run_sides(arguments, cancellation, 0);
  if (sides.cancelled) return signals.exit_code(kExitDone);
  Comparison comparison = compare_sides(sides, options);
  if (!arguments.no_confirm &&
      !confirm_by_rerun(arguments, cancellation, options, sides, comparison)) {
    return signals.exit_code(kExitDone);
  }
  return report(arguments, sides, comparison, outputs);
}

int compare_inputs(const CompareArguments& arguments) {
  check_inputs(arguments);
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
  command->add_option("BASE NEW", arguments->inputs, "files, folders, or with --run command lines");
  add_deciding_options(*command, *arguments);
  add_running_options(*command, *arguments);
  add_output_options(*command, *arguments);
  command->footer(kCompareExamples);
  command->callback([arguments, &exit_code] { exit_code = compare_inputs(*arguments); });
}

}  // namespace tidemark::cli
