// Event times out of text: numbers since the epoch in a given unit, ISO 8601 and its common
// relatives, or a format of the user's own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/connectors/local_time_reader.h"
#include "tidemark/runtime/error.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

enum class TimeUnit : std::uint8_t {
  kAuto,  // to be found out from the data; see time_unit_detection.h
  kSeconds,
  kMilliseconds,
  kMicroseconds,
  kNanoseconds,
  kText,
};

// From `auto`, `s`, `ms`, `us`, `ns` or `text`.
Expected<TimeUnit> parse_time_unit(std::string_view text);
std::string_view to_string(TimeUnit unit);
// In full: `seconds`; `text` for what is no number.
std::string_view long_name(TimeUnit unit);

struct EventTimeOptions {
  TimeUnit unit = TimeUnit::kAuto;
  // For text of another shape: a format as of strptime, with %z for an offset from UTC. Empty means
  // the shapes that EventTimeParser knows.
  std::string format;
  // IANA name of the zone of text that carries none.
  std::string zone = "UTC";
};

// Numbers are digits with an optional minus in front and an optional decimal fraction behind,
// nothing else: no plus, no exponent, no blanks. Text is
//   YYYY-MM-DD, or YYYY-MM-DD HH:MM[:SS[.fraction]] with T or one blank between date and time,
// then optionally Z or an offset from UTC as +02:00, +0200 or +02; '/' may stand for '-' in the
// date, ',' for '.' before the fraction. Anything left over, such as PM, makes the time bad.
// Fractions of a millisecond are dropped towards the past. The second 60 is accepted where leap
// seconds are inserted (23:59:60 UTC on 30 June and 31 December) and becomes 23:59:59.999.
// Allocates nothing, except with a format. Not thread-safe; copies are independent.
class EventTimeParser {
 public:
  // The unit must not be kAuto, except with a format, which means text. Refuses an unknown zone, a
  // format next to a numeric unit, and %Z in a format.
  static Expected<EventTimeParser> create(const EventTimeOptions& options);

  // A time for which is_valid_event_time holds, or nothing if the text is bad.
  std::optional<EventTime> parse(std::string_view text);

  // The time that so many units since the epoch are, as parse() has it; not for text.
  // `number` is not the lowest of its type.
  std::optional<EventTime> from_number(std::int64_t number) const;

  // Why parse() refuses `text`, for a bad row's reason.
  std::string explain(std::string_view text);

  TimeUnit unit() const { return unit_; }

 private:
  enum class Problem : std::uint8_t { kNone, kNotATime, kOutOfRange };
  struct Reading {
    EventTime time = 0;
    Problem problem = Problem::kNotATime;
  };

  EventTimeParser(TimeUnit unit, std::string format, LocalTimeReader zone);
  Reading read(std::string_view text);
  Reading read_number(std::string_view text) const;
  Reading scale(std::int64_t value, std::string_view fraction, bool negative) const;
  Reading read_text(std::string_view text);
  bool read_in_same_minute(std::string_view text, EventTime& time);
  Reading read_formatted(std::string_view text);

  TimeUnit unit_;
  std::string format_;
  LocalTimeReader zone_;
  // The last minute read from text, and how it was written: YYYY-MM-DDTHH:MM. Rows mostly stay in
  // it.
  std::array<char, 16> minute_text_{'1', '9', '7', '0', '-', '0', '1', '-',
                                    '0', '1', 'T', '0', '0', ':', '0', '0'};
  std::int64_t minute_ = 0;  // ms on the wall clock
};

}  // namespace tidemark
