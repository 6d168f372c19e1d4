// What is asked of the event times of many rows at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tidemark/runtime/time.h"

namespace tidemark {

// Every row's time is looked at here more than once, so these loops are made for vectors: without a
// branch, and with flags as wide as times.

// Whether all times are in [first, end).
inline bool all_within(std::span<const EventTime> times, EventTime first, EventTime end) {
  const EventTime* const time = times.data();
  const std::size_t n = times.size();
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    outside |=
        static_cast<std::int64_t>(time[i] < first) | static_cast<std::int64_t>(time[i] >= end);
  }
  return outside == 0;
}

// The highest of the times and `before`. In four parts, whose maxima do not wait for one another.
inline EventTime highest_of(std::span<const EventTime> times, EventTime before) {
  const EventTime* const time = times.data();
  const std::size_t n = times.size();
  const std::size_t part = n / 4;
  EventTime a = before;
  EventTime b = before;
  EventTime c = before;
  EventTime d = before;
  for (std::size_t i = 0; i < part; ++i) {
    a = std::max(a, time[i]);
    b = std::max(b, time[part + i]);
    c = std::max(c, time[2 * part + i]);
    d = std::max(d, time[3 * part + i]);
  }
  for (std::size_t i = 4 * part; i < n; ++i) a = std::max(a, time[i]);
  return std::max(std::max(a, b), std::max(c, d));
}

}  // namespace tidemark
