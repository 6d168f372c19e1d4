// Event times as text for people and programs.
#pragma once

#include <date/tz.h>
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

enum class TimeStyle : std::uint8_t {
  kIso,  // 2026-10-01T00:00:00.000+08:00, with Z for UTC
  kMs,   // milliseconds since the epoch
};

// From `iso` or `ms`.
Expected<TimeStyle> parse_time_style(std::string_view text);

// Whether a window's bound is a time: a window without beginning or end has kNoWatermark or
// kEndOfTime there.
constexpr bool is_bound_in_time(EventTime bound) {
  return bound != kNoWatermark && bound != kEndOfTime;
}

// Writes times in one zone. It remembers the span over which the zone's offset holds, so that only
// a time beyond that span costs a look-up. Years outside 0000 to 9999 are written with a sign, as
// ISO 8601 has it (-0044-03-15, +10000-01-01); seconds of an offset, as in local mean times, follow
// its minutes. Not thread-safe.
class TimeFormatter {
 public:
  // UTC.
  explicit TimeFormatter(TimeStyle style) : style_(style) {}
  // An IANA zone such as Asia/Shanghai; refuses a name that the system's zone database lacks.
  static Expected<TimeFormatter> in_zone(TimeStyle style, std::string_view zone);

  TimeStyle style() const { return style_; }
  // Writes nothing for a bound that is no time.
  void append(EventTime time, fmt::memory_buffer& out);

 private:
  void find_offset(std::int64_t seconds);

  TimeStyle style_;
  const date::time_zone* zone_ = nullptr;  // null for UTC
  // The offset, in seconds, holds for UTC seconds in [offset_begin_, offset_end_).
  std::int64_t offset_begin_ = 0;
  std::int64_t offset_end_ = 0;
  std::int64_t offset_ = 0;
};

}  // namespace tidemark
