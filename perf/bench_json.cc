#include "tidemark/perf/bench_json.h"

#include <nlohmann/json.hpp>

#include "tidemark/perf/job_json.h"
#include "tidemark/perf/latency_json.h"
#include "tidemark/perf/machine_json.h"
#include "tidemark/perf/state_figures.h"

namespace tidemark {

namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json options_json(const BenchOptions& options) {
  ordered_json report = job_json(options);
  report["repeats"] = options.repeats;
  report["cores"] = options.cores;
  report["cores_reason"] = options.cores_reason;
  report["rate"] = or_null(options.rate);
  report["duration_ms"] = options.duration.count();
  report["warmup_ms"] = options.warmup.count();
  report["finds_rate"] = options.finds_rate;
  report["latency_bound_ns"] = options.latency_bound.count();
  return report;
}

ordered_json run_json(const ThroughputRun& run) {
  const RunReport& report = run.report;
  return {{"cores", report.cores},
          {"rows_per_second", run.rows_per_second()},
          {"wall_seconds", report.wall_seconds},
          {"cpu_seconds", run.cpu_seconds},
          {"cpu_share", run.cpu_share()},
          {"throttled_ns", throttled_json(run.throttled)},
          {"rows_read", report.rows_read},
          {"rows_on_time", report.rows_on_time},
          {"rows_late", report.rows_late},
          {"rows_bad", report.rows_bad},
          {"rows_in_no_window", report.rows_in_no_window},
          {"results", report.results},
          {"windows_fired", report.windows_fired},
          {"updates", report.state.updates},
          {"merges", report.state.merges},
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
