// What a state profile found, for people.
#pragma once

#include <string>

#include "tidemark/perf/machine.h"
#include "tidemark/perf/state_profile.h"

namespace tidemark {

// For each slide and number of keys: what each strategy costs, where its time goes, and what was
// predicted; at the end what panes save. Every figure is in profile_json() or follows from it.
// `profile` is complete.
std::string profile_text(const StateProfile& profile, const Machine& machine, const Build& build);

}  // namespace tidemark
