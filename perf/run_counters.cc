#include "tidemark/perf/run_counters.h"

namespace tidemark {

namespace {
constexpr std::uint64_t kHeldHeaderBytes = 8;
}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> run_counters(const ThroughputRun& run) {
  const RunReport& report = run.report;
  const StateCounters& state = report.state;
  return {{"rows_read", report.rows_read},
          {"rows_on_time", report.rows_on_time},
          {"rows_late", report.rows_late},
          {"rows_in_no_window", report.rows_in_no_window},
          {"results", report.results},
          {"windows_fired", report.windows_fired},
          {"updates", state.updates},
          {"merges", state.merges},
          {"peak_live_entries", state.peak_live_entries},
          {"state_bytes_per_entry", state.state_bytes_per_entry},
          {"logical_state_bytes",
           state.peak_live_entries * (state.state_bytes_per_entry + kHeldHeaderBytes)},
          {"batches_sent", report.batches_sent}};
}

}  // namespace tidemark
