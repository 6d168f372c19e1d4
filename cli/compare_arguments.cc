#include "cli/compare_arguments.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "cli/user_error.h"
#include "tidemark/connectors/quantity.h"

namespace tidemark::cli {

namespace {

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

// Those of `options` that are given, as `--a, --b`; empty if none is.
std::string given_among(const CLI::App& command, const std::vector<std::string>& options) {
  std::vector<std::string> given;
  for (const std::string& option : options) {
    if (command.get_option(option)->count() > 0) given.push_back(option);
  }
  return fmt::format("{}", fmt::join(given, ", "));
}

// What says how commands are run would be ignored where none is.
void refuse_running_options(const CLI::App& command) {
  const std::string given = given_among(
      command, {"--runs", "--turns", "--wall-time", "--instructions", "--no-confirm", "--seed"});
  if (given.empty()) return;
  throw UserError(fmt::format("{}: for --run alone, which runs commands", given));
}

// Without BASE nothing is compared, so no report is written and nothing is decided.
void refuse_comparing_options(const CLI::App& command, const CompareArguments& arguments) {
  std::set<std::string> taken{"--history", "--allow-different", "--help"};
  // Of NEW, where there is one.
  if (!arguments.inputs.empty()) taken.insert({"--commit", "--time"});
  std::vector<std::string> others;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (name.starts_with("--") && !taken.contains(name)) others.push_back(name);
  }
  const std::string given = given_among(command, others);
  if (given.empty()) return;
  throw UserError(fmt::format(
      "{}: without {} nothing is compared that this could be for: give BASE and NEW, or leave it "
      "out (`tidemark report {} --html FILE` makes a page of a history)",
      given, arguments.inputs.empty() ? "BASE and NEW" : "BASE", arguments.history));
}

void refuse_shared_outputs(const CompareArguments& arguments) {
  const std::vector<std::string> files =
      arguments.run ? std::vector<std::string>() : arguments.inputs;
  refuse_shared_files(
      files, {{"--json", arguments.json},
              {"--markdown", arguments.markdown},
              {"--junit", arguments.junit},
              {"--html", arguments.html},
              {"--github-action", github_action_path(arguments.github_action, Better::kHigher)},
              {"--github-action", github_action_path(arguments.github_action, Better::kLower)},
              {"--history", arguments.history}});
}

}  // namespace

void add_compare_options(CLI::App& command, CompareArguments& arguments) {
  command.add_option("BASE NEW", arguments.inputs, "files, folders, or with --run command lines");
  add_deciding_options(command, arguments);
  add_running_options(command, arguments);
  add_output_options(command, arguments);
}

void check_compare_arguments(const CLI::App& command, const CompareArguments& arguments) {
  const std::size_t count = arguments.inputs.size();
  const bool follows_history = !arguments.history.empty() && !arguments.run && count < 2;
  if (!follows_history && count != 2) {
    throw UserError(
        fmt::format("compare needs BASE and NEW, two {}; {} given (--help shows examples)",
                    arguments.run ? "command lines" : "files or folders",
                    count == 1 ? "one is" : fmt::format("{} are", count)));
  }
  if (!arguments.run) refuse_running_options(command);
  if (follows_history) refuse_comparing_options(command, arguments);
  if (arguments.history.empty() && !arguments.commit.empty()) {
    throw UserError("--commit is for --history, which is not there");
  }
  refuse_shared_outputs(arguments);
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

std::size_t runs_of(const CompareArguments& arguments) {
  return count_of("--runs", arguments.runs.empty() ? arguments.min_runs : arguments.runs);
}

std::size_t turns_of(const CompareArguments& arguments) {
  return count_of("--turns", arguments.turns);
}

std::string github_action_path(const std::string& path, Better better) {
  if (path.empty()) return path;
  const std::string stem = path.ends_with(".json") ? path.substr(0, path.size() - 5) : path;
  return fmt::format("{}.{}.json", stem, better == Better::kHigher ? "bigger" : "smaller");
}

}  // namespace tidemark::cli
