#include "cli/bench_command.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_progress.h"
#include "cli/cores_argument.h"
#include "cli/duration_argument.h"
#include "cli/metrics_server.h"
#include "cli/progress_line.h"
#include "cli/report_output.h"
#include "cli/shared_files.h"
#include "cli/signal_watch.h"
#include "cli/stream_arguments.h"
#include "cli/suite_run.h"
#include "cli/user_error.h"
#include "tidemark/connectors/quantity.h"
#include "tidemark/perf/bench_json.h"
#include "tidemark/perf/bench_run.h"
#include "tidemark/perf/bench_text.h"
#include "tidemark/perf/machine.h"
#include "tidemark/perf/percentile_text.h"
#include "tidemark/runtime/cpu_allowance.h"
#include "tidemark/runtime/duration.h"

namespace tidemark::cli {

namespace {

constexpr const char* kBenchExamples =
    R"(Without options it measures the headline job: a sliding window of 1 h every 1 s,
count, sum and max over 1,000 keys, on all cores; about half a minute.

Examples:
  tidemark bench --rows 500k --repeat 2 --duration 300ms --warmup 100ms
  tidemark bench --window 'tumbling size=10s' --keys 100 --skew zipf:1.1 --rows 500k --duration 300ms --json bench.json
  tidemark bench --window 'tumbling size=1s' --rows 500k --repeat 2 --event-rate 100000/s --find-rate --latency-bound 100ms --duration 100ms --warmup 50ms
  tidemark bench --suite ci --repeat 1 --json suite.json
  tidemark bench --window 'sliding size=1m slide=1s' --agg 'count, avg(amount)' --strategy recompute --rows 500k --repeat 1 --rate 500000/s --duration 500ms --hgrm bench.hgrm
)";

constexpr std::uint64_t kMostBenchRepeats = 1'000;

// As written on the command line; empty where a default depends on other options.
struct BenchArguments {
  std::string window = "sliding size=1h slide=1s";
  std::string keys = "1000";
  std::string skew = "uniform";
  std::string aggregates = "count, sum(amount), max(amount)";
  std::string strategy = "auto";
  std::string rate;
  std::string event_rate = "10000/s";
  std::string duration = "5s";
  std::string warmup = "1s";
  std::string disorder = "0ms";
  std::string delay;
  std::string cores;
  std::string repeat = "5";
  std::string rows;
  std::string json;
  std::string hgrm;

  bool find_rate = false;
  std::string latency_bound;
  std::string suite;
  std::string suite_job;
  bool instructions = false;
  std::string html;
  std::string metrics;
  bool progress = false;
  bool no_progress = false;
};

void add_options(CLI::App& command, BenchArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help);
  };
  add("--window", arguments.window, "as in `tidemark window`; default 'sliding size=1h slide=1s'");
  add("--keys", arguments.keys, "number of keys; default 1000");
  add("--skew", arguments.skew, "of the keys: uniform (default), zipf:S or hot:F");
  add("--agg", arguments.aggregates,
      "count, and sum, min, max, avg of amount; default 'count, sum(amount), max(amount)'");
  add("--strategy", arguments.strategy,
      "auto (default), buckets, recompute, subtract, two-stacks, worst-case, base-intervals");
  add("--rate", arguments.rate,
      "rows per second of the latency run, such as 2M/s; default: half of the median throughput; "
      "max: no latency run");
  add("--event-rate", arguments.event_rate, "rows per second of event time; default 10000/s");
  add("--duration", arguments.duration, "of the latency run, after the warm-up; default 5s");
  add("--warmup", arguments.warmup, "of the latency run; default 1s");
  add("--disorder", arguments.disorder, "rows lie up to this long before their turn; default 0ms");
  add("--delay", arguments.delay,
      "of the watermark; default: as long as --disorder, in sessions 1 ms longer");
  add("--cores", arguments.cores, "default: what the affinity mask and the cgroup allow");
  add("--repeat", arguments.repeat, "throughput runs; default 5");
  add("--rows", arguments.rows, "of one throughput run; default: 1.25 windows of event time");
  add("--json", arguments.json, "file for all figures as one JSON object");
  add("--html", arguments.html, "file for a page with charts, which opens without a network");
  add("--metrics", arguments.metrics,
      "serve live figures for Prometheus, such as at 127.0.0.1:9464; port 0: any that is free");
  command.add_flag("--progress", arguments.progress,
                   "phase, rate and time left on standard error; default on a terminal only");
  command.add_flag("--no-progress", arguments.no_progress, "no progress line");
  add("--hgrm", arguments.hgrm, "file for the latency percentiles in HdrHistogram's text format");
  command.add_flag("--find-rate", arguments.find_rate,
                   "search the highest rate that is sustained, each for --warmup and --duration");
  add("--latency-bound", arguments.latency_bound,
      "of --find-rate: the 99th percentile of event time to result is at most this; default 10ms");
  add("--suite", arguments.suite,
      "ci: a fixed set of small jobs instead, for gates; takes --repeat, --json, --html, "
      "--instructions, --progress, --no-progress");
  command.add_flag("--instructions", arguments.instructions,
                   "with --suite: count instructions, by the CPU or by valgrind");
  // How --instructions has this program run a single job.
  command.add_option("--suite-job", arguments.suite_job)->group("");
}

// A suite's jobs are fixed, so what says how one runs would be ignored.
void refuse_options_beside_suite(const CLI::App& command) {
  const std::set<std::string> taken{"--suite", "--suite-job",    "--repeat",   "--json",
                                    "--html",  "--instructions", "--progress", "--no-progress"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = "--" + option->get_single_name();
    if (option->count() > 0 && !taken.contains(name)) {
      throw UserError(
          fmt::format("{} does not go with --suite, whose jobs are fixed; --repeat, --json, "
                      "--html, --instructions, --progress and --no-progress do",
                      name));
    }
  }
}

// A wall-clock duration, at most a day.
std::chrono::milliseconds wall_time_of(const char* option, const std::string& text) {
  constexpr std::int64_t kLongest = 86'400'000;
  const std::int64_t duration = duration_of(option, text);
  if (duration > kLongest) {
    throw UserError(fmt::format("{} must be at most 1d, but is {}", option, text));
  }
  return std::chrono::milliseconds(duration);
}

void set_cores(const BenchArguments& arguments, const CpuAllowance& allowance,
               BenchOptions& options) {
  CoresChoice choice = choose_cores(arguments.cores, allowance);
  options.cores = choice.cores;
  options.cpus = std::move(choice.cpus);
  options.cores_reason = arguments.cores.empty() ? allowance.reason
                                                 : fmt::format("--cores; by default {} ({})",
                                                               allowance.workers, allowance.reason);
  if (choice.note) fmt::print(stderr, "tidemark: {}\n", *choice.note);
}

BenchOptions options_of(const BenchArguments& arguments) {
  BenchOptions options;
  Expected<WindowSpec> window = parse_window_spec(arguments.window);
  if (!window) throw UserError("--window: " + window.error().message);
  options.window = *window;
  options.aggregates = stream_aggregates(arguments.aggregates, "bench");
  options.strategy = value_or_throw(parse_strategy(arguments.strategy));
  options.stream.keys = positive_count("--keys", arguments.keys, UINT32_MAX);
  options.stream.skew = value_or_throw(parse_skew(arguments.skew));
  options.stream.event_rate = value_or_throw(parse_rate(arguments.event_rate, "--event-rate"));
  options.stream.disorder = duration_of("--disorder", arguments.disorder);
  const bool is_session = options.window.kind == WindowKind::kSession;
  options.delay = arguments.delay.empty() ? options.stream.disorder + (is_session ? 1 : 0)
                                          : duration_of("--delay", arguments.delay);
  options.stream.rows = arguments.rows.empty()
                            ? default_rows(options.window, options.stream.event_rate)
                            : positive_count("--rows", arguments.rows, INT64_MAX);
  options.repeats = positive_count("--repeat", arguments.repeat, kMostBenchRepeats);
  options.measures_latency = arguments.rate != "max";
  if (options.measures_latency && !arguments.rate.empty()) {
    options.rate = value_or_throw(parse_rate(arguments.rate, "--rate"));
  }
  options.duration = wall_time_of("--duration", arguments.duration);
  options.warmup = wall_time_of("--warmup", arguments.warmup);
  options.finds_rate = arguments.find_rate;
  if (!arguments.latency_bound.empty()) {
    if (!arguments.find_rate)
      throw UserError("--latency-bound is for --find-rate, which is not there");
    options.latency_bound = wall_time_of("--latency-bound", arguments.latency_bound);
    if (options.latency_bound.count() == 0) throw UserError("--latency-bound must be above 0");
  }
  if (!options.measures_latency && !arguments.hgrm.empty()) {
    throw UserError("--hgrm needs a latency run, and --rate max makes none");
  }
  return options;
}

// One file for each latency: PATH itself has event time to result; the others have .hand_over and
// .watermark before the ending.
std::vector<std::string> percentile_paths(const std::string& path) {
  if (path.empty()) return {};
  const std::filesystem::path whole(path);
  std::vector<std::string> paths;
  for (const char* name : {"", ".hand_over", ".watermark"}) {
    const std::string file = whole.stem().string() + name + whole.extension().string();
    paths.push_back((whole.parent_path() / file).string());
  }
  return paths;
}

class PercentileFiles {
 public:
  explicit PercentileFiles(const std::string& path) {
    for (const std::string& file : percentile_paths(path)) files_.push_back(open_report(file));
  }

  void write(const ResultLatencies& latencies) const {
    const auto all = latencies.all();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      write_report(files_[i].get(), percentile_text(*all[i].second));
    }
  }

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
};

void refuse_shared_reports(const BenchArguments& arguments) {
  std::vector<OptionFile> outputs{{"--json", arguments.json}, {"--html", arguments.html}};
  for (const std::string& path : percentile_paths(arguments.hgrm)) {
    outputs.push_back({"--hgrm", path});
  }
  refuse_shared_files({}, outputs);
}

int measure(const CLI::App& command, const BenchArguments& arguments,
            const BenchMeasurements& measurements) {
  if (!arguments.suite.empty()) {
    refuse_options_beside_suite(command);
    return run_suite_command(
        {arguments.suite, arguments.suite_job, arguments.repeat, arguments.json, arguments.html,
         arguments.instructions, shows_progress(arguments.progress, arguments.no_progress, true)},
        measurements.suite);
  }
  if (arguments.instructions) throw UserError("--instructions is for --suite, which is not there");
  Cancellation cancellation;
  const SignalWatch signals(cancellation);
  BenchOptions options = options_of(arguments);
  const CpuAllowance allowance = cpu_allowance();
  set_cores(arguments, allowance, options);
  options.cancellation = &cancellation;
  value_or_throw(validate(options));
  refuse_shared_reports(arguments);
  // Before the measurement, so that a path that cannot be written is told at once.
  const std::unique_ptr<OutputFile> json = open_report(arguments.json);
  const std::unique_ptr<OutputFile> html = open_report(arguments.html);
  const PercentileFiles hgrm(arguments.hgrm);

  LiveRuns live;
  const std::unique_ptr<LiveMetrics> metrics = serve_metrics(arguments.metrics, live);
  const bool progresses = shows_progress(arguments.progress, arguments.no_progress, true);
  if (metrics || progresses) options.live = &live;
  std::optional<ProgressLine> progress;
  if (progresses) progress.emplace(live, bench_progress(options));
  const BenchResult result = measurements.job(options);
  progress.reset();
  if (result.cancelled) {
    fmt::print(stderr, "tidemark: stopped before the measurement was complete\n");
    return signals.exit_code(kExitDone);
  }
  const Machine machine = describe_machine(allowance);
  const Build build = describe_build();
  const std::string document = bench_json(result, machine, build);
  write_report(json.get(), document);
  write_page(html.get(), "bench.json", document);
  if (result.latency) hgrm.write(result.latency->latencies);
  const std::unique_ptr<OutputFile> out = open_report("-");
  write_report(out.get(), bench_text(result, machine, build));
  return result.checks.right() ? kExitDone : kExitWrongResult;
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code, BenchMeasurements measurements) {
  CLI::App* command =
      app.add_subcommand("bench", "measure throughput and latency of a windowed job");
  const auto arguments = std::make_shared<BenchArguments>();
  add_options(*command, *arguments);
  command->footer(kBenchExamples);
  command->callback([command, arguments, &exit_code, measurements = std::move(measurements)] {
    exit_code = measure(*command, *arguments, measurements);
  });
}

}  // namespace tidemark::cli
