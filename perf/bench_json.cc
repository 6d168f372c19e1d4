#include "tidemark/perf/bench_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tidemark/perf/latency_json.h"
#include "tidemark/perf/run_counters.h"
#include "tidemark/perf/state_figures.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

// As text: a JSON number cannot hold 64 bits everywhere.
std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:#018x}", checksum); }

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json machine_json(const Machine& machine) {
  return {{"cpu_model", machine.cpu_model},
          {"system", machine.system},
          {"cpus", machine.cpus},
          {"cgroup_quota", or_null(machine.cgroup_quota)},
          {"default_cores", machine.default_cores},
          {"default_reason", machine.default_reason}};
}

ordered_json build_json(const Build& build) {
  return {{"version", build.version},   {"commit", build.commit},
          {"compiler", build.compiler}, {"build_type", build.build_type},
          {"flags", build.flags},       {"allocator", build.allocator}};
}

ordered_json options_json(const BenchOptions& options) {
  ordered_json aggregates = ordered_json::array();
  for (const AggregateSpec& aggregate : options.aggregates) aggregates.push_back(aggregate.name);
  return {{"window", to_string(options.window)},
          {"keys", options.stream.keys},
          {"skew", to_string(options.stream.skew)},
          {"aggregates", aggregates},
          {"strategy", to_string(options.strategy)},
          {"event_rate", options.stream.event_rate},
          {"disorder_ms", options.stream.disorder},
          {"delay_ms", options.delay},
          {"seed", options.stream.seed},
          {"rows", options.stream.rows},
          {"repeats", options.repeats},
          {"cores", options.cores},
          {"cores_reason", options.cores_reason},
          {"rate", or_null(options.rate)},
          {"duration_ms", options.duration.count()},
          {"warmup_ms", options.warmup.count()},
          {"finds_rate", options.finds_rate},
          {"latency_bound_ns", options.latency_bound.count()}};
}

ordered_json run_json(const ThroughputRun& run) {
  const RunReport& report = run.report;
  return {{"cores", report.cores},
          {"rows_per_second", run.rows_per_second()},
          {"wall_seconds", report.wall_seconds},
          {"cpu_seconds", run.cpu_seconds},
          {"cpu_share", run.cpu_share()},
          {"rows_read", report.rows_read},
          {"rows_on_time", report.rows_on_time},
          {"rows_late", report.rows_late},
          {"rows_bad", report.rows_bad},
          {"rows_in_no_window", report.rows_in_no_window},
          {"results", report.results},
          {"windows_fired", report.windows_fired},
          {"checksum", checksum_text(run.checksum)}};
}

ordered_json throughput_json(const BenchResult& result) {
  ordered_json repeats = ordered_json::array();
  for (const ThroughputRun& run : result.repeats) repeats.push_back(run_json(run));
  return {{"rows_per_second",
           {{"median", result.median()}, {"min", result.lowest()}, {"max", result.highest()}}},
          {"strategy", to_string(result.median_run().report.strategies.front())},
          {"repeats", repeats},
          {"one_core", run_json(result.one_core)}};
}

ordered_json counters_json(const ThroughputRun& run) {
  ordered_json counters = ordered_json::object();
  for (const auto& [name, value] : run_counters(run)) counters[name] = value;
  counters["checksum"] = checksum_text(run.checksum);
  return counters;
}

ordered_json state_json(const StateFigures& state) {
  return {{"keys", state.keys},
          {"peak_live_entries", state.peak_live_entries},
          {"state_bytes_per_entry", state.state_bytes_per_entry},
          {"allocated_bytes_per_entry", state.allocated_bytes_per_entry},
          {"peak_state_bytes", state.peak_state_bytes},
          {"peak_key_table_bytes", state.peak_key_table_bytes},
          {"updates_per_row", state.updates_per_row},
          {"merges_per_slide", state.merges_per_slide}};
}

ordered_json checks_json(const BenchResult& result) {
  const BenchChecks& checks = result.checks;
  return {{"right", checks.right()},
          {"checksum", checksum_text(result.repeats.front().checksum)},
          {"comparable", checks.comparable},
          {"repeats_agree", checks.repeats_agree},
          {"one_core_agrees", checks.one_core_agrees},
          {"rows_add_up", checks.rows_add_up},
          {"no_overflow", checks.no_overflow}};
}

}  // namespace

std::string bench_json(const BenchResult& result, const Machine& machine, const Build& build) {
  ordered_json report;
  report["schema"] = "tidemark-bench/2";
  report["machine"] = machine_json(machine);
  report["build"] = build_json(build);
  report["options"] = options_json(result.options);
  report["throughput"] = throughput_json(result);
  report["latency"] = result.latency ? latency_json(*result.latency) : ordered_json(nullptr);
  report["rates"] = result.rates ? rates_json(*result.rates) : ordered_json(nullptr);
  report["recorder"] = result.latency ? recorder_json(*result.latency) : ordered_json(nullptr);
  report["state"] = state_json(state_figures(result));
  report["checks"] = checks_json(result);
  report["counters"] = counters_json(result.one_core);
  report["suite"] = nullptr;
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tidemark
