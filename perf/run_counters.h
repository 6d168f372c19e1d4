// Figures of a run that have no noise.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/perf/bench_run.h"

namespace tidemark {

// By name. Of a run with one worker and one partition they are the same every time and on every
// machine, so a change of one is a change of what the engine does. logical_state_bytes are the
// peak of live entries times the size of one, its 8-byte header included; batches_sent go from the
// source task to the window stage.
std::vector<std::pair<std::string, std::uint64_t>> run_counters(const ThroughputRun& run);

}  // namespace tidemark
