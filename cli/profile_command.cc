#include "cli/profile_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/cores_argument.h"
#include "cli/duration_argument.h"
#include "cli/progress_line.h"
#include "cli/report_output.h"
#include "cli/shared_files.h"
#include "cli/signal_watch.h"
#include "cli/stream_arguments.h"
#include "cli/user_error.h"
#include "tidemark/connectors/quantity.h"
#include "tidemark/perf/profile_json.h"
#include "tidemark/perf/profile_text.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark::cli {

namespace {

constexpr const char* kProfileExamples =
    R"(Every strategy runs over one and the same stream, for each slide and number of keys: rows/s,
updates per row, merges per slide, entries and bytes of state, the time of one firing, where the
time goes, and what was predicted.

Examples:
  tidemark profile --rows 20k --repeat 1
  tidemark profile --size 1m --slides 1s,10s --keys 10,1000 --strategies buckets,recompute,subtract --rows 20k --json profile.json
  tidemark profile --size 1h --slides 5m --keys 1000 --agg 'count, max(amount)' --skew zipf:1.1 --strategies all --rows 50k --repeat 1 --html profile.html
)";

constexpr std::uint64_t kMostProfileRepeats = 1'000;

// As written on the command line; empty where a default depends on other options.
struct ProfileArguments {
  std::string size = "10m";
  std::string slides = "1s,1m";
  std::string keys = "10,10k";
  std::string strategies = "all";
  std::string aggregates = "count, sum(amount)";
  std::string rows = "200k";
  std::string event_rate;
  std::string skew = "uniform";
  std::string disorder = "0ms";
  std::string seed = "1";
  std::string repeat = "3";
  std::string memory = "2GiB";
  std::string cores;
  std::string json;
  std::string html;
  bool progress = false;
  bool no_progress = false;
};

void add_options(CLI::App& command, ProfileArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help);
  };
  add("--size", arguments.size, "of the windows; default 10m");
  add("--slides", arguments.slides, "list; default 1s,1m");
  add("--keys", arguments.keys, "list of numbers of keys; default 10,10k");
  add("--strategies", arguments.strategies,
      "all (default), or a list of auto, buckets, recompute, subtract, two-stacks, worst-case, "
      "base-intervals");
  add("--rows", arguments.rows, "of the stream; default 200k");
  add("--agg", arguments.aggregates, "over the column amount; default 'count, sum(amount)'");
  add("--event-rate", arguments.event_rate,
      "rows per second of event time; default: so that the rows make 2.2 windows");
  add("--skew", arguments.skew, "of the keys: uniform (default), zipf:S or hot:F");
  add("--disorder", arguments.disorder,
      "rows lie up to this long before their turn, and the watermark waits as long; default 0ms");
  add("--seed", arguments.seed, "of the stream; default 1");
  add("--repeat", arguments.repeat, "passes that are timed, for each cell; default 3");
  add("--memory", arguments.memory,
      "a cell that is predicted to hold more state is not run; default 2GiB");
  add("--cores", arguments.cores,
      "also run each cell once as a whole job on so many cores; default: the stage alone");
  add("--json", arguments.json, "file for all figures as one JSON object");
  command.add_flag("--progress", arguments.progress,
                   "cell and time left on standard error; default on a terminal only");
  command.add_flag("--no-progress", arguments.no_progress, "no progress line");
  add("--html", arguments.html, "file for a page with charts, which opens without a network");
}

// The parts of a list, without the spaces around them.
std::vector<std::string> parts_of(const char* option, const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::size_t first = std::min(list.find_first_not_of(' ', begin), comma);
    const std::size_t last = list.find_last_not_of(' ', comma - 1);
    if (first == comma) {
      throw UserError(fmt::format("{} has an empty place in its list: {:?}", option, list));
    }
    parts.push_back(list.substr(first, last + 1 - first));
    if (std::count(parts.begin(), parts.end(), parts.back()) > 1) {
      throw UserError(fmt::format("{} names {} twice", option, parts.back()));
    }
    begin = comma + 1;
  }
  return parts;
}

std::vector<Strategy> strategies_of(const std::string& text) {
  if (text == "all") {
    return {Strategy::kBuckets,   Strategy::kRecompute, Strategy::kSubtract,
            Strategy::kTwoStacks, Strategy::kWorstCase, Strategy::kBaseIntervals};
  }
  std::vector<Strategy> strategies;
  for (const std::string& name : parts_of("--strategies", text)) {
    const Expected<Strategy> strategy = parse_strategy(name);
    if (!strategy) throw UserError("--strategies: " + strategy.error().message);
    strategies.push_back(*strategy);
  }
  return strategies;
}

ProfileOptions options_of(const ProfileArguments& arguments) {
  ProfileOptions options;
  options.size = positive_duration_of("--size", arguments.size);
  for (const std::string& slide : parts_of("--slides", arguments.slides)) {
    options.slides.push_back(positive_duration_of("--slides", slide));
  }
  for (const std::string& keys : parts_of("--keys", arguments.keys)) {
    options.keys.push_back(positive_count("--keys", keys, INT64_MAX));
  }
  options.strategies = strategies_of(arguments.strategies);
  options.aggregates = stream_aggregates(arguments.aggregates, "profile");
  options.stream.rows = positive_count("--rows", arguments.rows, INT64_MAX);
  options.stream.event_rate =
      arguments.event_rate.empty()
          ? default_event_rate(options.size, options.stream.rows)
          : value_or_throw(parse_rate(arguments.event_rate, "--event-rate"));
  options.stream.skew = value_or_throw(parse_skew(arguments.skew));
  options.stream.disorder = duration_of("--disorder", arguments.disorder);
  options.stream.seed = value_or_throw(parse_count(arguments.seed, "--seed"));
  options.repeats = positive_count("--repeat", arguments.repeat, kMostProfileRepeats);
  options.memory_limit = value_or_throw(parse_bytes(arguments.memory, "--memory"));
  return options;
}

void set_job_cores(const ProfileArguments& arguments, const CpuAllowance& allowance,
                   ProfileOptions& options) {
  if (arguments.cores.empty()) return;
  CoresChoice choice = choose_cores(arguments.cores, allowance);
  options.cores = choice.cores;
  options.cpus = std::move(choice.cpus);
  if (choice.note) fmt::print(stderr, "tidemark: {}\n", *choice.note);
}

int measure_state(const ProfileArguments& arguments, const ProfileMeasurement& measure) {
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  ProfileOptions options = options_of(arguments);
  const CpuAllowance allowance = cpu_allowance();
  set_job_cores(arguments, allowance, options);
  options.cancellation = &cancellation;
  value_or_throw(validate(options));
  refuse_shared_files({}, {{"--json", arguments.json}, {"--html", arguments.html}});
  // Before the measurement, so that a path that cannot be written is told at once.
  const std::unique_ptr<OutputFile> json = open_report(arguments.json);
  const std::unique_ptr<OutputFile> html = open_report(arguments.html);
  std::optional<StepLine> line;
  if (shows_progress(arguments.progress, arguments.no_progress, true)) {
    line.emplace("cell");
    options.on_cell = std::ref(*line);
  }

  const StateProfile profile = measure(options);
  line.reset();
  if (profile.cancelled) {
    fmt::print(stderr, "tidemark: stopped before the measurement was complete\n");
    return signals.exit_code(kExitDone);
  }
  const Machine machine = describe_machine(allowance);
  const Build build = describe_build();
  const std::string document = profile_json(profile, machine, build);
  write_report(json.get(), document);
  write_page(html.get(), "profile.json", document);
  write_report(open_report("-").get(), profile_text(profile, machine, build));
  return profile.checks.right() ? kExitDone : kExitWrongResult;
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code, ProfileMeasurement measure) {
  CLI::App* command =
      app.add_subcommand("profile", "measure what window state costs, per strategy");
  const auto arguments = std::make_shared<ProfileArguments>();
  add_options(*command, *arguments);
  command->footer(kProfileExamples);
  command->callback([arguments, &exit_code, measure = std::move(measure)] {
    exit_code = measure_state(*arguments, measure);
  });
}

}  // namespace tidemark::cli
