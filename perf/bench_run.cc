#include "tidemark/perf/bench_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include "tidemark/connectors/stream_expectation.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/perf/latency_sink.h"

namespace tidemark {

namespace {

// With several sources, none runs more than this many slides ahead of the slowest.
constexpr std::int64_t kDriftSlides = 10;

PipelineOptions pipeline_options(const BenchOptions& options, std::size_t cores) {
  PipelineOptions pipeline;
  pipeline.cores = cores;
  pipeline.stream =
      expected_stream(options.stream.keys, options.stream.event_rate, options.stream.skew);
  if (options.cpus.size() >= cores) {
    pipeline.cpus.assign(options.cpus.begin(),
                         options.cpus.begin() + static_cast<std::ptrdiff_t>(cores));
  }
  pipeline.local_aggregation = options.local_aggregation;
  pipeline.cancellation = options.cancellation;
  return pipeline;
}

// In ms, as a calendar's months are in 1970.
WindowSpec in_milliseconds(const WindowSpec& window) {
  if (window.unit == CalendarUnit::kNone) return window;
  const Slicing slicing(window);
  const std::chrono::milliseconds size(slicing.window_end(0) - slicing.window_start(0));
  return tumbling(size);
}

// How many rows are due within `time`.
std::uint64_t rows_within(std::chrono::milliseconds time, std::uint64_t rate) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(time.count())} * rate / 1000);
}

// CPU time that this process has used, all threads.
double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool adds_up(const RunReport& report, std::uint64_t rows) {
  return report.rows_read == rows && report.rows_read == report.rows_on_time + report.rows_late +
                                                             report.rows_bad +
                                                             report.rows_in_no_window;
}

std::vector<double> sorted_rates(const std::vector<ThroughputRun>& runs) {
  std::vector<double> rates;
  rates.reserve(runs.size());
  for (const ThroughputRun& run : runs) rates.push_back(run.rows_per_second());
  std::sort(rates.begin(), rates.end());
  return rates;
}

LatencyRun run_latency(const BenchOptions& options, std::uint64_t rate) {
  BenchStreamConfig config = options.stream;
  const std::uint64_t first_counted = rows_within(options.warmup, rate);
  config.rows = std::max<std::uint64_t>(1, rows_within(options.warmup + options.duration, rate));
  const BenchStream stream(config);
  LoadSchedule schedule(rate);

  std::vector<std::unique_ptr<SourcePartition>> partitions;
  std::vector<const BenchPartition*> paced;
  std::vector<std::unique_ptr<LatencySink>> recorders;
  ResultSinks sinks;
  for (std::size_t i = 0; i < options.cores; ++i) {
    auto partition =
        std::make_unique<BenchPartition>(stream, i, options.cores, schedule, first_counted);
    paced.push_back(partition.get());
    partitions.push_back(std::move(partition));
    recorders.push_back(
        std::make_unique<LatencySink>(stream, schedule, options.delay, first_counted));
    sinks.per_worker.push_back(recorders.back().get());
  }

  LatencyRun run;
  run.rows = config.rows;
  run.offered_rate = rate;
  run.report = run_pipeline(bench_query(options), partitions, sinks, nullptr,
                            pipeline_options(options, options.cores));
  for (const BenchPartition* partition : paced) run.lag.merge(partition->lag());
  for (const auto& recorder : recorders) run.latencies.merge(recorder->latencies());
  const std::chrono::duration<double> took =
      schedule.due(config.rows) - schedule.start() + run.lag.last;
  run.achieved_rate = static_cast<double>(config.rows) / took.count();
  const EventClock clock(0, config.event_rate, 0);
  run.event_time_ms = clock.due(config.rows - 1);
  run.window_filled = clock.due(first_counted) >= options.window.size;
  return run;
}

}  // namespace

std::vector<AggregateSpec> headline_aggregates() {
  return {{AggregateFunction::kCount, AggregateSpec::kRows, "count"},
          {AggregateFunction::kSum, 0, "sum(amount)"},
          {AggregateFunction::kMax, 0, "max(amount)"}};
}

std::uint64_t default_rows(const WindowSpec& window, std::uint64_t event_rate) {
  const double seconds = 1.25 * static_cast<double>(in_milliseconds(window).size) / 1000;
  return static_cast<std::uint64_t>(std::max(1.0, seconds * static_cast<double>(event_rate)));
}

WindowQuery bench_query(const BenchOptions& options) {
  WindowQuery query;
  query.keys = BenchStream::keys();
  query.values = BenchStream::values();
  query.windows = {options.window};
  query.aggregates = options.aggregates;
  query.strategy = options.strategy;
  query.delay = options.delay;
  query.max_drift = kDriftSlides * in_milliseconds(options.window).slide;
  return query;
}

Expected<void> validate(const BenchOptions& options) {
  if (auto valid = validate(bench_query(options)); !valid) return valid;
  if (auto valid = validate(options.stream); !valid) return valid;
  if (options.stream.rows == 0) return make_error("rows must be at least 1, not 0");
  if (options.repeats == 0) return make_error("at least 1 repeat is needed, not 0");
  if (options.cores == 0) return make_error("at least 1 core is needed, not 0");
  if (options.measures_latency && options.duration.count() <= 0) {
    return make_error("the latency run needs a duration longer than 0");
  }
  if (options.measures_latency && options.rate) {
    BenchStreamConfig paced = options.stream;
    paced.rows = rows_within(options.warmup + options.duration, *options.rate);
    if (auto valid = validate(paced); !valid) return valid;
  }
  return {};
}

ThroughputRun run_throughput(const BenchOptions& options, std::size_t cores, std::size_t partitions,
                             std::size_t batch_rows) {
  const BenchStream stream(options.stream);
  std::vector<std::unique_ptr<SourcePartition>> sources;
  for (std::size_t i = 0; i < partitions; ++i) {
    sources.push_back(std::make_unique<BenchPartition>(stream, i, partitions));
  }
  std::vector<std::unique_ptr<ChecksumSink>> checksums;
  ResultSinks sinks;
  for (std::size_t i = 0; i < cores; ++i) {
    checksums.push_back(std::make_unique<ChecksumSink>());
    sinks.per_worker.push_back(checksums.back().get());
  }
  PipelineOptions pipeline = pipeline_options(options, cores);
  pipeline.batch_rows = batch_rows;
  ThroughputRun run;
  const double cpu_before = cpu_seconds();
  run.report = run_pipeline(bench_query(options), sources, sinks, nullptr, pipeline);
  run.cpu_seconds = cpu_seconds() - cpu_before;
  for (const auto& sink : checksums) run.checksum += sink->checksum();
  return run;
}

BenchChecks check_results(const BenchOptions& options, const ThroughputRun& one_core,
                          const std::vector<ThroughputRun>& repeats) {
  BenchChecks checks;
  checks.comparable = options.cores == 1 || options.delay >= options.stream.disorder;
  const auto look_at = [&](const RunReport& report) {
    checks.rows_add_up &= adds_up(report, options.stream.rows);
    checks.no_overflow &= report.overflows.count == 0;
  };
  look_at(one_core.report);
  for (const ThroughputRun& run : repeats) {
    look_at(run.report);
    checks.repeats_agree &= run.checksum == repeats.front().checksum &&
                            run.report.results == repeats.front().report.results;
    checks.one_core_agrees &=
        run.checksum == one_core.checksum && run.report.results == one_core.report.results;
  }
  return checks;
}

BenchResult run_bench(const BenchOptions& options) {
  BenchResult result;
  result.options = options;
  const auto cancelled = [&] {
    result.cancelled = options.cancellation != nullptr && options.cancellation->requested();
    return result.cancelled;
  };
  result.one_core = run_throughput(options, 1, 1, Batch::kDefaultCapacity);
  while (result.repeats.size() < options.repeats && !cancelled()) {
    result.repeats.push_back(
        run_throughput(options, options.cores, options.cores, Batch::kDefaultCapacity));
  }
  if (cancelled()) return result;
  result.checks = check_results(options, result.one_core, result.repeats);
  if (!options.measures_latency) return result;
  const auto half = static_cast<std::uint64_t>(result.median() / 2);
  result.latency = run_latency(options, options.rate.value_or(std::max<std::uint64_t>(1, half)));
  result.checks.rows_add_up &= adds_up(result.latency->report, result.latency->rows);
  result.checks.no_overflow &= result.latency->report.overflows.count == 0;
  cancelled();
  return result;
}

double ThroughputRun::cpu_share() const {
  Clock::duration busy{};
  for (const Scheduler::WorkerMetrics& worker : report.workers) busy += worker.busy;
  const double seconds = std::chrono::duration<double>(busy).count();
  return seconds > 0 ? std::min(1.0, cpu_seconds / seconds) : 1;
}

double BenchResult::median() const {
  const std::vector<double> rates = sorted_rates(repeats);
  const std::size_t upper = rates.size() / 2;
  return rates.size() % 2 == 1 ? rates[upper] : (rates[upper - 1] + rates[upper]) / 2;
}

double BenchResult::lowest() const { return sorted_rates(repeats).front(); }
double BenchResult::highest() const { return sorted_rates(repeats).back(); }

const ThroughputRun& BenchResult::median_run() const {
  const double rate = sorted_rates(repeats)[(repeats.size() - 1) / 2];
  return *std::find_if(repeats.begin(), repeats.end(),
                       [rate](const ThroughputRun& run) { return run.rows_per_second() == rate; });
}

}  // namespace tidemark
