// What window state cost in a measurement.
#pragma once

#include <cstdint>

#include "tidemark/perf/bench_run.h"

namespace tidemark {

// From the repeat with the median throughput.
struct StateFigures {
  std::uint64_t keys = 0;  // held at one time, at most
  std::uint64_t peak_live_entries = 0;
  std::uint64_t state_bytes_per_entry = 0;  // aggregate state, without the entry's 8-byte header
  // Window state as the allocator has it, at its peak, over the peak of live entries.
  double allocated_bytes_per_entry = 0;
  std::uint64_t peak_state_bytes = 0;  // window state and key tables, allocated
  std::uint64_t peak_key_table_bytes = 0;
  double updates_per_row = 0;   // over rows that were in some window
  double merges_per_slide = 0;  // over windows with at least one result
};
StateFigures state_figures(const BenchResult& result);

}  // namespace tidemark
