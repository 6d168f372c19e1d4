#include "tidemark/perf/state_figures.h"

namespace tidemark {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

StateFigures state_figures(const BenchResult& result) {
  const RunReport& report = result.median_run().report;
  const StateCounters& state = report.state;
  StateFigures figures;
  figures.keys = state.peak_keys;
  figures.peak_live_entries = state.peak_live_entries;
  figures.state_bytes_per_entry = state.state_bytes_per_entry;
  figures.allocated_bytes_per_entry =
      ratio(state.peak_state_bytes - state.peak_key_table_bytes, state.peak_live_entries);
  figures.peak_state_bytes = state.peak_state_bytes;
  figures.peak_key_table_bytes = state.peak_key_table_bytes;
  figures.updates_per_row = ratio(state.updates, report.rows_on_time);
  // Several workers fire one window several times, so windows are counted where there is one.
  figures.merges_per_slide = ratio(state.merges, result.one_core.report.windows_fired);
  return figures;
}

}  // namespace tidemark
