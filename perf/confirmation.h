// Alarms of a comparison that are measured again.
#pragma once

#include <string>
#include <vector>

#include "tidemark/perf/comparison.h"

namespace tidemark {

// Names of timings that regressed, for measuring them again.
std::vector<std::string> alarmed_timings(const Comparison& comparison);

// Takes back the alarms of `first` about timings that `again`, a comparison of these runs and as
// many further ones together, does not show.
void confirm(Comparison& first, const Comparison& again);

}  // namespace tidemark
