// Windows of the generated stream computed the plain way, to know what is right.
#pragma once

#include <cstdint>

#include "tidemark/perf/bench_options.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// Comparable with a run of one partition: see ChecksumSink and RunReport.
struct PlainResults {
  std::uint64_t checksum = 0;
  std::uint64_t results = 0;
  std::uint64_t rows_on_time = 0;
  std::uint64_t rows_late = 0;
  std::uint64_t rows_in_no_window = 0;
};

// One row at a time, into every window that holds it; nothing is shared with the engine but the
// stream and the checksum. Time is rows * size / slide, memory keys * open windows. Refuses what it
// does not know: windows that are not tumbling, sliding, cumulate or sessions, or follow the
// calendar; sessions with rows out of order or lateness; other aggregates than count, sum, min,
// max.
Expected<PlainResults> compute_plainly(const BenchOptions& options);

}  // namespace tidemark
