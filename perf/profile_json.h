// What a state profile found, as JSON.
#pragma once

#include <string>

#include "tidemark/perf/machine.h"
#include "tidemark/perf/state_profile.h"

namespace tidemark {

// One JSON object, documented in docs/profiling.md. `profile` is complete.
std::string profile_json(const StateProfile& profile, const Machine& machine, const Build& build);

}  // namespace tidemark
