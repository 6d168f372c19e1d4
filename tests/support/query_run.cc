#include "support/query_run.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <tuple>

namespace tidemark::test_support {
namespace {

std::vector<std::unique_ptr<SourcePartition>> make_partitions(
    const std::vector<std::vector<Row>>& rows, const Pace& pace) {
  std::vector<std::unique_ptr<SourcePartition>> partitions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Pace own = pace;
    own.seed += i;
    partitions.push_back(std::make_unique<VectorPartition>(rows[i], own));
  }
  return partitions;
}

void take_from(const CollectingSink& sink, RunOutcome& outcome) {
  outcome.results.insert(outcome.results.end(), sink.results().begin(), sink.results().end());
  outcome.faults.insert(outcome.faults.end(), sink.faults().begin(), sink.faults().end());
  if (sink.finished() != 1) {
    outcome.faults.push_back(fmt::format("finish came {} times", sink.finished()));
  }
}

std::size_t distinct_windows(const std::vector<ResultRow>& results) {
  std::set<std::tuple<std::uint32_t, EventTime, EventTime>> windows;
  for (const ResultRow& result : results) windows.insert({result.window, result.start, result.end});
  return windows.size();
}

}  // namespace

std::string RunSettings::to_text() const {
  return fmt::format(
      "cores={} batch_rows={} channel_batches={} linger={}ms random_yields={} spins={} yields={} "
      "park={} "
      "longest_run={} pending_share={} sink_per_worker={} key_collection={} local_aggregation={}",
      pipeline.cores, pipeline.batch_rows, pipeline.channel_batches, pipeline.linger.count(),
      pipeline.random_yields ? static_cast<long long>(*pipeline.random_yields) : -1,
      pipeline.ladder.spins, pipeline.ladder.yields, pipeline.ladder.park, pace.longest_run,
      pace.pending_share, sink_per_worker, static_cast<int>(pipeline.key_collection),
      static_cast<int>(pipeline.local_aggregation));
}

std::vector<Row> RunOutcome::late_rows() const {
  std::vector<Row> rows;
  rows.reserve(late.size());
  for (const auto& entry : late) rows.push_back(entry.row);
  return rows;
}

RunOutcome run_query(const WindowQuery& query, const std::vector<std::vector<Row>>& partitions,
                     const RunSettings& settings) {
  auto sources = make_partitions(partitions, settings.pace);
  std::vector<std::unique_ptr<CollectingSink>> sinks;
  ResultSinks result_sinks;
  const std::size_t sink_count = settings.sink_per_worker ? settings.pipeline.cores : 1;
  for (std::size_t i = 0; i < sink_count; ++i) {
    sinks.push_back(std::make_unique<CollectingSink>(query));
    if (settings.sink_per_worker) result_sinks.per_worker.push_back(sinks.back().get());
  }
  if (!settings.sink_per_worker) result_sinks.shared = sinks.front().get();

  CollectingLateSink late(query);
  RunOutcome outcome;
  outcome.report = run_pipeline(query, sources, result_sinks, &late, settings.pipeline);
  for (const auto& sink : sinks) take_from(*sink, outcome);
  if (late.finished() != 1) {
    outcome.faults.push_back(fmt::format("the late sink finished {} times", late.finished()));
  }
  outcome.late = late.late();
  const std::size_t windows = distinct_windows(outcome.results);
  const bool fires_once = !query.carries_watermarks();
  if (!settings.sink_per_worker && fires_once && outcome.report.windows_fired != windows) {
    outcome.faults.push_back(fmt::format("{} windows have results, but {} are reported", windows,
                                         outcome.report.windows_fired));
  }
  sort_canonically(outcome.results);
  return outcome;
}

}  // namespace tidemark::test_support
