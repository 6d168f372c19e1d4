// Event time: milliseconds since 1970-01-01T00:00:00Z, and the arithmetic that windows need.
#pragma once

#include <cstdint>
#include <limits>

namespace tidemark {

// Milliseconds since the epoch, UTC. Also used for watermarks and window bounds.
using EventTime = std::int64_t;

// The watermark before any row: nothing is late yet.
inline constexpr EventTime kNoWatermark = std::numeric_limits<EventTime>::min();

// The watermark at the end of a bounded input: every window is complete.
inline constexpr EventTime kEndOfTime = std::numeric_limits<EventTime>::max();

// Rows are accepted from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, and no duration is
// longer than that span. Window arithmetic inside these bounds cannot overflow; a row outside them
// is refused as bad by whoever reads it.
inline constexpr EventTime kMinEventTime = -62'135'596'800'000;
inline constexpr EventTime kMaxEventTime = 253'402'300'799'999;
inline constexpr std::int64_t kMaxDurationMs = kMaxEventTime - kMinEventTime;

constexpr bool is_valid_event_time(EventTime time) {
  return time >= kMinEventTime && time <= kMaxEventTime;
}

// Division that rounds towards minus infinity. `divisor` must be positive.
constexpr std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return quotient - static_cast<std::int64_t>(value % divisor < 0);
}

// The remainder that goes with floor_div: always in [0, divisor).
constexpr std::int64_t floor_mod(std::int64_t value, std::int64_t divisor) {
  const std::int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

// a + b, held at the ends of int64 instead of wrapping.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

}  // namespace tidemark
