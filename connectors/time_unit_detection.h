// Finding out how a file writes its times, and doubting what cannot be right.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tidemark/connectors/event_time_text.h"

namespace tidemark {

inline constexpr std::size_t kTimeSampleRows = 100;

struct DetectedTimeUnit {
  TimeUnit unit = TimeUnit::kText;
  // How many times the choice rests on; 0 when there was none to look at.
  std::size_t samples = 0;
};

// Judges the first kTimeSampleRows texts that are not empty. Numbers tell their unit by magnitude:
//   100,000,000 to under 10^10   seconds       (1973-03-03 to 2286-11-20)
//   10^11       to under 10^13   milliseconds  (the same span of years)
//   10^14       to under 10^16   microseconds
//   10^17       to under 10^19   nanoseconds
// and likewise below zero. Every other number could be two things. What is neither a number nor a
// time is left out (it will be a bad row). Refuses when a number could be two things, when samples
// disagree, when all of them could as well be dates written YYYYMMDDHH or YYYYMMDDHHMM, and when
// none is a time.
Expected<DetectedTimeUnit> detect_time_unit(std::span<const std::string_view> times);

// A sentence for stderr when times look as if their unit was not the declared one: all of them in
// January 1970, or some more than a year ahead of `now`. `lowest` and `highest` bound what was
// read.
std::optional<std::string> doubtful_times_warning(EventTime lowest, EventTime highest,
                                                  EventTime now, TimeUnit unit);

}  // namespace tidemark
