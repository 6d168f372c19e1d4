// A query over rows in memory as a pipeline, and what every benchmark of that kind reports.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "row_columns.h"
#include "tidemark/operators/pipeline.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/runtime/cpu_allowance.h"

namespace tidemark::bench {

// How far sources may be apart, in ms of event time: what one of them is ahead by is held in state.
constexpr std::int64_t kMaxDrift = 10'000;

// Runs to the end of the rows, one source and one window stage per core. `sinks[i]` consumes the
// results of window stage i on its core.
template <typename Sink>
RunReport run_columns(WindowQuery query, const RowColumns& rows, std::vector<Sink>& sinks) {
  const std::size_t cores = sinks.size();
  query.keys = RowColumns::key_columns();
  query.values = RowColumns::value_columns();
  if (query.time_domain == TimeDomain::kEvent) query.max_drift = kMaxDrift;
  PipelineOptions options;
  options.cores = cores;
  const CpuAllowance allowance = cpu_allowance();
  for (std::size_t i = 0; i < std::min(cores, allowance.cpus.size()); ++i) {
    options.cpus.push_back(allowance.cpus[i]);
  }
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  ResultSinks result_sinks;
  for (std::size_t i = 0; i < cores; ++i) {
    partitions.push_back(std::make_unique<RowColumnsPartition>(rows, i, cores));
    result_sinks.per_worker.push_back(&sinks[i]);
  }
  return run_pipeline(query, partitions, result_sinks, nullptr, options);
}

inline std::uint64_t checksum_of(const std::vector<ChecksumSink>& sinks) {
  std::uint64_t checksum = 0;
  for (const ChecksumSink& sink : sinks) checksum += sink.checksum();
  return checksum;
}

inline void report_rate(benchmark::State& state, std::size_t rows) {
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(rows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

// The counters that have no noise.
inline void report_counters(benchmark::State& state, const RunReport& report) {
  const auto rows = static_cast<double>(report.rows_read);
  state.counters["updates_per_row"] = static_cast<double>(report.state.updates) / rows;
  state.counters["results_per_row"] = static_cast<double>(report.results) / rows;
  state.counters["merges_per_result"] =
      static_cast<double>(report.state.merges) /
      static_cast<double>(std::max<std::uint64_t>(report.results, 1));
  state.counters["rows_late"] = static_cast<double>(report.rows_late);
  state.counters["peak_live_entries"] = static_cast<double>(report.state.peak_live_entries);
}

}  // namespace tidemark::bench
