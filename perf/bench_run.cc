#include "tidemark/perf/bench_run.h"

#include <algorithm>
#include <memory>

#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/perf/cpu_time.h"

namespace tidemark {

namespace {

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

}  // namespace

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
  PipelineOptions pipeline = bench_pipeline(options, cores);
  pipeline.batch_rows = batch_rows;
  ThroughputRun run;
  const auto throttling_before = cgroup_cpu_throttling();
  const double cpu_before = process_cpu_seconds();
  run.report = run_pipeline(bench_query(options), sources, sinks, nullptr, pipeline);
  run.cpu_seconds = process_cpu_seconds() - cpu_before;
  run.throttled = throttled_between(throttling_before, cgroup_cpu_throttling());
  for (const auto& sink : checksums) run.checksum += sink->checksum();
  return run;
}

BenchChecks check_results(const BenchOptions& options, const ThroughputRun& one_core,
                          const std::vector<ThroughputRun>& repeats) {
  BenchChecks checks;
  checks.comparable = options.cores == 1 || is_order_free(options);
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
  const auto half = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(result.median() / 2));
  const auto look_at = [&](const RunReport& report, std::uint64_t rows) {
    result.checks.rows_add_up &= adds_up(report, rows);
    result.checks.no_overflow &= report.overflows.count == 0;
  };
  if (options.measures_latency) {
    result.latency = run_latency(options, options.rate.value_or(half));
    if (cancelled()) return result;
    look_at(result.latency->report, result.latency->rows_sent);
  }
  if (options.finds_rate) {
    RateSearchLimits limits;
    limits.first = half;
    limits.lowest = std::max<std::uint64_t>(1, half / 1024);
    limits.highest = std::max<std::uint64_t>(
        half, kMostOfThroughput * static_cast<std::uint64_t>(result.highest()));
    result.rates = find_rate(options, limits);
    if (cancelled()) return result;
    for (const RateStep& step : result.rates->steps) look_at(step.run.report, step.run.rows_sent);
  }
  return result;
}

double ThroughputRun::cpu_share() const { return tidemark::cpu_share(report, cpu_seconds); }

double BenchResult::median() const {
  const std::vector<double> sorted = sorted_rates(repeats);
  const std::size_t upper = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
}

double BenchResult::lowest() const { return sorted_rates(repeats).front(); }
double BenchResult::highest() const { return sorted_rates(repeats).back(); }

const ThroughputRun& BenchResult::median_run() const {
  const double rate = sorted_rates(repeats)[(repeats.size() - 1) / 2];
  return *std::find_if(repeats.begin(), repeats.end(),
                       [rate](const ThroughputRun& run) { return run.rows_per_second() == rate; });
}

}  // namespace tidemark
