#include "tidemark/perf/latency_json.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tidemark/perf/cpu_time.h"
#include "tidemark/perf/machine_json.h"
#include "tidemark/perf/percentile_text.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json latency_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::int64_t nanoseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

ordered_json percentiles_json(const LatencyRecorder& latencies) {
  return {{"count", latencies.count()},
          {"min", latency_or_null(latencies.min())},
          {"mean", latency_or_null(latencies.mean())},
          {"p50", latency_or_null(latencies.percentile(50))},
          {"p90", latency_or_null(latencies.percentile(90))},
          {"p99", latency_or_null(latencies.percentile(99))},
          {"p99.9", latency_or_null(latencies.percentile(99.9))},
          {"p99.99", latency_or_null(latencies.percentile(99.99))},
          {"max", latency_or_null(latencies.max())}};
}

ordered_json distribution_json(const LatencyRecorder& latencies) {
  ordered_json distribution = percentiles_json(latencies);
  ordered_json curve = ordered_json::array();
  for (const PercentilePoint& point : percentile_curve(latencies)) {
    curve.push_back(ordered_json::array({point.percent, point.value}));
  }
  distribution["curve"] = curve;
  return distribution;
}

ordered_json step_json(const RateStep& step) {
  const LatencyRun& run = step.run;
  return {{"offered_rate", run.offered_rate},
          {"achieved_rate", run.achieved_rate},
          {"sustained", step.sustained},
          {"overloaded", step.overloaded},
          {"reason", step.reason},
          {"max_lag_ns", nanoseconds(run.lag.highest())},
          {"backlog_rows_per_second", step.backlog_growth},
          {"latency", percentiles_json(run.latencies.event_time_to_result)}};
}

}  // namespace

ordered_json latency_json(const LatencyRun& run) {
  ordered_json latency = {
      {"offered_rate", run.offered_rate},
      {"achieved_rate", run.achieved_rate},
      {"rate_reached", run.rate_reached()},
      {"max_lag_ns", nanoseconds(run.lag.highest())},
      {"last_lag_ns", nanoseconds(run.lag.last())},
      {"backlog_rows_per_second", run.lag.backlog_growth(run.offered_rate)},
      {"rows_scheduled", run.rows},
      {"cut_off_after_ms",
       run.cut_off_after ? ordered_json(run.cut_off_after->count()) : ordered_json(nullptr)},
      {"rows_read", run.report.rows_read},
      {"results", run.report.results},
      {"results_recorded", run.latencies.event_time_to_result.count()},
      {"window_filled", run.window_filled},
      {"cpu_share", cpu_share(run.report, run.cpu_seconds)},
      {"throttled_ns", throttled_json(run.throttled)},
      {"involuntary_switches", run.involuntary_switches},
      {"event_time_ms", run.event_time_ms}};
  for (const auto& [name, latencies] : run.latencies.all()) {
    latency[std::string(name)] = distribution_json(*latencies);
  }
  return latency;
}

ordered_json rates_json(const RateSearchResult& rates) {
  ordered_json steps = ordered_json::array();
  for (const RateStep& step : rates.steps) steps.push_back(step_json(step));
  return {{"highest_sustained", latency_or_null(rates.highest_sustained)},
          {"at_limit", rates.at_limit},
          {"lowest_tried", rates.limits.lowest},
          {"highest_tried", rates.limits.highest},
          {"precision", rates.limits.precision},
          {"steps", steps}};
}

ordered_json recorder_json(const LatencyRun& run) {
  return {{"ns_per_record", run.nanoseconds_per_record()}, {"share_of_run", run.recording_share()}};
}

}  // namespace tidemark
