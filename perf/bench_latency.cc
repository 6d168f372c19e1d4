#include "tidemark/perf/bench_latency.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/bench_source.h"
#include "tidemark/perf/cpu_time.h"
#include "tidemark/perf/latency_sink.h"

namespace tidemark {

namespace {

// A stall of a busy machine is not what ends a short run.
constexpr std::chrono::milliseconds kLeastGrace{5'000};

// The parts of a run at a rate: as many partitions and recorders as there are cores.
struct PacedRun {
  PacedRun(const BenchOptions& options, const BenchStream& stream, LoadSchedule& schedule,
           std::uint64_t first_counted)
      : load{stream, schedule, {}, first_counted} {
    for (std::size_t i = 0; i < options.cores; ++i) {
      load.hand_overs.push_back(std::make_unique<HandOverLog>());
      auto partition = std::make_unique<BenchPartition>(stream, i, options.cores, schedule,
                                                        first_counted, *load.hand_overs.back());
      paced.push_back(partition.get());
      partitions.push_back(std::move(partition));
    }
    for (std::size_t i = 0; i < options.cores; ++i) {
      recorders.push_back(std::make_unique<LatencySink>(load, options.window, options.delay));
      sinks.per_worker.push_back(recorders.back().get());
    }
  }

  LoadRecord load;
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  std::vector<const BenchPartition*> paced;
  std::vector<std::unique_ptr<LatencySink>> recorders;
  ResultSinks sinks;
};

}  // namespace

double LatencyRun::nanoseconds_per_record() const {
  return cost.results() == 0 ? 0 : 1e9 * recording_seconds / static_cast<double>(cost.results());
}

std::chrono::milliseconds longest_run(std::chrono::milliseconds scheduled) {
  return scheduled + std::max(scheduled, kLeastGrace);
}

LatencyRun run_latency(const BenchOptions& options, std::uint64_t rate) {
  BenchStreamConfig config = options.stream;
  const std::uint64_t first_counted = rows_within(options.warmup, rate);
  config.rows = std::max<std::uint64_t>(1, rows_within(options.warmup + options.duration, rate));
  const BenchStream stream(config);
  const std::chrono::milliseconds limit = longest_run(options.warmup + options.duration);
  LoadSchedule schedule(rate, limit);
  PacedRun parts(options, stream, schedule, first_counted);

  LatencyRun run;
  run.rows = config.rows;
  run.offered_rate = rate;
  const auto throttling_before = cgroup_cpu_throttling();
  const double cpu_before = process_cpu_seconds();
  const std::uint64_t switches_before = process_involuntary_switches();
  run.report = run_pipeline(bench_query(options), parts.partitions, parts.sinks, nullptr,
                            bench_pipeline(options, options.cores));
  run.cpu_seconds = process_cpu_seconds() - cpu_before;
  run.throttled = throttled_between(throttling_before, cgroup_cpu_throttling());
  run.involuntary_switches = process_involuntary_switches() - switches_before;
  for (const BenchPartition* partition : parts.paced) {
    run.lag.merge(partition->lag());
    run.rows_sent += partition->rows_sent();
  }
  std::uint64_t hand_overs = 0;
  for (const auto& log : parts.load.hand_overs) hand_overs += log->batches();
  for (const auto& recorder : parts.recorders) {
    run.latencies.merge(recorder->latencies());
    run.cost.merge(recorder->cost());
  }
  run.recording_seconds =
      run.cost.total_seconds() + hand_over_note_seconds() * static_cast<double>(hand_overs);
  std::chrono::duration<double> took =
      schedule.due(config.rows) - schedule.start() + run.lag.last();
  if (schedule.first_unsent() < config.rows) {
    run.cut_off_after = limit;
    took = limit;
  }
  run.achieved_rate = static_cast<double>(run.rows_sent) / took.count();
  const EventClock clock(0, config.event_rate, 0);
  run.event_time_ms = clock.due(config.rows - 1);
  run.window_filled = clock.due(first_counted) >= options.window.size;
  return run;
}

}  // namespace tidemark
